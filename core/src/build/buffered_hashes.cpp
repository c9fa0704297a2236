#include "build/buffered_hashes.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "build/build_task.h"
#include "build/sort.h"

namespace crivo {
namespace {

constexpr std::size_t kFirstRoom = 64;                     // small, because SQL builds a filter per group
constexpr std::size_t kFirstSweep = std::size_t{1} << 16;  // fewer hashes are not worth sorting
constexpr std::size_t kMinSorted = std::size_t{1} << 18;   // one thread sorts fewer hashes

}  // namespace

template <class Record>
Result<void> BufferedRecords<Record>::add(std::span<const Record> hashes, std::uint64_t& added) {
  while (!hashes.empty()) {
    if (kept_ == room_) {
      if (auto made = make_room(); !made) return made;
    }
    const auto part = hashes.first(std::min(hashes.size(), room_ - kept_));
    std::memcpy(hashes_.get() + kept_, part.data(), part.size_bytes());
    kept_ += part.size();
    added += part.size();
    hashes = hashes.subspan(part.size());
  }
  return {};
}

template <class Record>
Result<void> BufferedRecords<Record>::make_room() {
  // Repeated hashes are dropped only when the buffer is full. The buffer therefore never exceeds kFirstSweep hashes or
  // four times the distinct hashes, whichever is more.
  if (kept_ >= kFirstSweep && !every_addition_) {
    if (auto swept = sweep(); !swept) return swept;
  }
  if (room_ != 0 && kept_ <= room_ / 2) return {};
  const std::uint64_t most = budget_.for_hashes(runs_.index_bytes());
  if (room_ >= most) return write_run();
  const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(std::max(kFirstRoom, room_ * 2), most));
  // glibc's realloc remaps the pages of a large array instead of copying them.
  void* grown = std::realloc(hashes_.get(), room * sizeof(Record));
  if (grown == nullptr) throw std::bad_alloc();
  (void)hashes_.release();
  hashes_.reset(static_cast<Record*>(grown));
  room_ = room;
  return {};
}

template <class Record>
Result<void> BufferedRecords<Record>::sweep() {
  const bool alone = kept_ < kMinSorted || budget_.is_limited();  // a limit leaves no memory for more threads
  const BuildOptions options{.threads = alone ? 1 : threads_};
  BuildTask task(options);
  return drop_repeated(task);
}

template <class Record>
Result<void> BufferedRecords<Record>::write_run() {
  if (auto written = runs_.append(in_memory()); !written) return written;
  kept_ = 0;
  room_ = static_cast<std::size_t>(std::min<std::uint64_t>(room_, budget_.for_hashes(runs_.index_bytes())));
  if (budget_.leaves_too_little(runs_.index_bytes())) return budget_.too_many(size());
  return {};
}

template <class Record>
Result<void> BufferedRecords<Record>::drop_repeated(BuildTask& task) {
  if (every_addition_) return {};
  const Result<std::size_t> distinct = sort_distinct(in_memory(), task);
  if (!distinct.has_value()) return distinct.error();
  kept_ = *distinct;
  return {};
}

template <class Record>
Result<void> BufferedRecords<Record>::spill() {
  const BuildOptions options;
  BuildTask alone(options);
  if (auto dropped = drop_repeated(alone); !dropped) return dropped;
  if (kept_ != 0) {
    if (auto written = write_run(); !written) return written;
  }
  hashes_.reset();
  room_ = 0;
  return {};
}

template class BufferedRecords<std::uint64_t>;
template class BufferedRecords<HashedValue>;

}  // namespace crivo

#include "build/buffered_hashes.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "build/build_task.h"
#include "build/sort.h"

namespace crivo {
namespace {

constexpr std::size_t kFirstCapacity = 64;                 // small, because SQL builds a filter per group
constexpr std::size_t kFirstSweep = std::size_t{1} << 16;  // fewer hashes are not worth sorting
constexpr std::size_t kMinSorted = std::size_t{1} << 18;   // fewer hashes are sorted by one thread

}  // namespace

template <class Record>
Result<void> BufferedRecords<Record>::add(std::span<const Record> hashes, std::uint64_t& added) {
  while (!hashes.empty()) {
    if (count_ == capacity_) {
      if (auto made = grow_or_spill(); !made) return made;
    }
    const auto part = hashes.first(std::min(hashes.size(), capacity_ - count_));
    std::memcpy(hashes_.get() + count_, part.data(), part.size_bytes());
    count_ += part.size();
    added += part.size();
    hashes = hashes.subspan(part.size());
  }
  return {};
}

template <class Record>
Result<void> BufferedRecords<Record>::grow_or_spill() {
  // During the additions, repeated hashes are dropped only when the buffer is full. Unless every addition is stored,
  // the buffer never exceeds kFirstSweep hashes or four times the distinct hashes, whichever is more.
  if (count_ >= kFirstSweep && !every_addition_) {
    if (auto swept = sweep(); !swept) return swept;
  }
  if (capacity_ != 0 && count_ <= capacity_ / 2) return {};
  const std::uint64_t most = budget_.for_hashes(runs_.index_bytes());
  if (capacity_ >= most) return write_run();
  const auto capacity =
      static_cast<std::size_t>(std::min<std::uint64_t>(std::max(kFirstCapacity, capacity_ * 2), most));
  // glibc's realloc remaps the pages of a large array instead of copying them.
  void* grown = std::realloc(hashes_.get(), capacity * sizeof(Record));
  if (grown == nullptr) throw std::bad_alloc();
  (void)hashes_.release();
  hashes_.reset(static_cast<Record*>(grown));
  capacity_ = capacity;
  return {};
}

template <class Record>
Result<void> BufferedRecords<Record>::sweep() {
  const bool alone = count_ < kMinSorted || budget_.is_limited();  // a limit leaves no memory for more threads
  const BuildOptions options{.threads = alone ? 1 : threads_};
  BuildTask task(options);
  return drop_repeated(task);
}

template <class Record>
Result<void> BufferedRecords<Record>::write_run() {
  if (auto written = runs_.append(in_memory()); !written) return written;
  count_ = 0;
  capacity_ = static_cast<std::size_t>(std::min<std::uint64_t>(capacity_, budget_.for_hashes(runs_.index_bytes())));
  if (budget_.leaves_too_little(runs_.index_bytes())) return budget_.too_many_error(size());
  return {};
}

template <class Record>
Result<void> BufferedRecords<Record>::drop_repeated(BuildTask& task) {
  if (every_addition_) return {};
  const Result<std::size_t> distinct = sort_distinct(in_memory(), task);
  if (!distinct.has_value()) return distinct.error();
  count_ = *distinct;
  return {};
}

template <class Record>
Result<void> BufferedRecords<Record>::spill() {
  const BuildOptions options;
  BuildTask alone(options);
  if (auto dropped = drop_repeated(alone); !dropped) return dropped;
  if (count_ != 0) {
    if (auto written = write_run(); !written) return written;
  }
  hashes_.reset();
  capacity_ = 0;
  return {};
}

template class BufferedRecords<std::uint64_t>;
template class BufferedRecords<HashedValue>;

}  // namespace crivo

#include "build/run_reader.h"

#include <algorithm>
#include <utility>

#include "base/error_text.h"
#include "build/sort.h"

namespace crivo {

template <class Record>
RunReader<Record>::RunReader(const RecordRuns<Record>& runs, std::size_t capacity, BuildTask& task)
    : runs_(runs),
      task_(task),
      buffer_(static_cast<Record*>(task.memory()->allocate(sizeof(Record) * capacity, alignof(Record))), capacity) {}

template <class Record>
RunReader<Record>::~RunReader() {
  task_.memory()->deallocate(buffer_.data(), buffer_.size_bytes(), alignof(Record));
}

template <class Record>
Result<std::span<const Record>> RunReader<Record>::load(std::uint64_t first, std::uint64_t last) {
  if (!fits(first, last)) {
    return error(ErrorCode::kBadArgument, "hashes must be uniform, as hash_key makes them, got ",
                 runs_.buffer_hashes_for(first, last), " in a range with memory for ", buffer_.size());
  }
  const Result<std::size_t> read = runs_.read(first, last, buffer_);
  if (!read.has_value()) return read.error();
  const auto hashes = buffer_.first(*read);
  const Result<std::size_t> distinct = sort_distinct(hashes, task_, 0);
  if (!distinct.has_value()) return distinct.error();
  return std::span<const Record>(hashes.first(*distinct));
}

template <class Record>
Result<std::span<const Record>> RunReader<Record>::up_from(std::uint64_t first, std::uint64_t& last) {
  std::uint64_t most = last;
  last = first;
  while (last < most) {  // [first, last] fits; [first, most + 1] does not fit or is not requested
    const std::uint64_t middle = most - (most - last) / 2;
    if (fits(first, middle)) {
      last = middle;
    } else {
      most = middle - 1;
    }
  }
  return load(first, last);
}

template <class Record>
Result<std::span<const Record>> RunReader<Record>::down_to(std::uint64_t& first, std::uint64_t last) {
  std::uint64_t least = 0;
  while (least < first) {
    const std::uint64_t middle = least + (first - least) / 2;
    if (fits(middle, last)) {
      first = middle;
    } else {
      least = middle + 1;
    }
  }
  return load(first, last);
}

template <class Record>
Result<void> for_each_distinct(const RecordRuns<Record>& runs, std::size_t capacity, BuildTask& task,
                               const std::function<Result<void>(std::span<const Record>)>& use) {
  RunReader<Record> reader(runs, capacity, task);
  for (std::uint64_t first = 0;; ++first) {
    std::uint64_t last = UINT64_MAX;
    const auto hashes = reader.up_from(first, last);
    if (!hashes) return hashes.error();
    if (auto used = use(*hashes); !used) return used;
    if (last == UINT64_MAX) return {};
    first = last;
  }
}

template <class Record>
Result<std::uint64_t> count_distinct(const RecordRuns<Record>& runs, BuildTask& task,
                                     const std::function<void(std::span<const Record>)>& visit) {
  std::uint64_t distinct = 0;
  const auto count = [&](std::span<const Record> hashes) -> Result<void> {
    if (hashes.empty()) return {};
    distinct += hashes.size();
    if (visit) visit(hashes);
    return task.advance(kSortShare * static_cast<double>(hash_of(hashes.back())) * 0x1p-64);
  };
  if (auto read = for_each_distinct<Record>(runs, task.memory_left() / sizeof(Record), task, count); !read)
    return read.error();
  return distinct;
}

template <class Record>
Result<std::span<const Record>> RunSource<Record>::take_from(std::uint64_t first) {
  if (left_.empty || first > left_.to) return std::span<const Record>();
  if (!left_.is_loaded || first < left_.loaded_from) {
    left_.loaded_from = first;
    const auto loaded = reader_.down_to(left_.loaded_from, left_.to);
    if (!loaded) return loaded.error();
    left_.loaded = *loaded;
    left_.is_loaded = true;
  }
  const std::size_t at = first_from(left_.loaded, first);
  const auto taken = left_.loaded.subspan(at);
  left_.loaded = left_.loaded.first(at);
  left_.empty = first == 0;
  left_.to = first - 1;
  return taken;
}

template <class Record>
Result<std::span<const Record>> RunSource<Record>::take_highest() {
  while (!left_.empty) {
    std::uint64_t first = left_.is_loaded ? left_.loaded_from : left_.to;
    if (!left_.is_loaded) {
      const auto loaded = reader_.down_to(first, left_.to);
      if (!loaded) return loaded.error();
      left_.loaded = *loaded;
    }
    left_.is_loaded = false;  // all loaded hashes are returned now
    left_.empty = first == 0;
    left_.to = first - 1;
    if (!left_.loaded.empty()) return std::exchange(left_.loaded, {});
  }
  return std::span<const Record>();
}

template class RunReader<std::uint64_t>;
template class RunReader<HashedValue>;
template class RunSource<std::uint64_t>;
template class RunSource<HashedValue>;
template Result<void> for_each_distinct(const HashRuns&, std::size_t, BuildTask&,
                                        const std::function<Result<void>(std::span<const std::uint64_t>)>&);
template Result<std::uint64_t> count_distinct(const HashRuns&, BuildTask&,
                                              const std::function<void(std::span<const std::uint64_t>)>&);
template Result<std::uint64_t> count_distinct(const RecordRuns<HashedValue>&, BuildTask&,
                                              const std::function<void(std::span<const HashedValue>)>&);

}  // namespace crivo

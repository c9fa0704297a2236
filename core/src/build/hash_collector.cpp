#include "build/hash_collector.h"

#include <algorithm>
#include <utility>

#include "build/sort.h"

namespace crivo {

template <class Record>
RecordCollector<Record>::RecordCollector(std::uint64_t expected, BuildTask& task)
    : task_(task), hashes_(task.memory()), runs_(task.temp_folder(), task.budget().block_hashes()) {
  // Under a limit, reserves memory for slightly more hashes than expected, because all hashes go to a file if they
  // exceed this memory.
  if (task.is_limited()) expected = std::min(expected + expected / 64, task.memory_left() / sizeof(Record));
  hashes_.reserve(static_cast<std::size_t>(expected));
}

template <class Record>
Result<void> RecordCollector<Record>::add(std::span<const Record> hashes) {
  // Under a limit the vector must not grow, because that needs the old and the new array at the same time.
  if (task_.is_limited() && !hashes_.empty() && hashes_.size() + hashes.size() > hashes_.capacity()) {
    if (auto written = write_run(); !written) return written;
  }
  hashes_.insert(hashes_.end(), hashes.begin(), hashes.end());
  return {};
}

template <class Record>
Result<void> RecordCollector<Record>::write_run() {
  if (auto sorted = sort(); !sorted) return sorted;
  if (auto written = runs_.append(hashes_); !written) return written;
  hashes_.clear();
  return {};
}

template <class Record>
Result<void> RecordCollector<Record>::sort() {
  const Result<std::size_t> distinct = sort_distinct(std::span(hashes_), task_, 0);
  if (!distinct.has_value()) return distinct.error();
  hashes_.resize(*distinct);
  return {};
}

template <class Record>
Result<void> RecordCollector<Record>::spill() {
  if (!hashes_.empty()) {
    if (auto written = write_run(); !written) return written;
  }
  std::pmr::vector<Record>(task_.memory()).swap(hashes_);  // frees the memory, which reading the file needs
  return {};
}

template <class Record>
Result<std::unique_ptr<RecordSource<Record>>> RecordCollector<Record>::sorted() && {
  if (runs_.size() == 0) {
    if (auto sorted = sort(); !sorted) return sorted.error();
    return std::unique_ptr<RecordSource<Record>>(source_of_sorted(std::move(hashes_)));
  }
  if (auto spilled = spill(); !spilled) return spilled.error();
  const std::uint64_t size = runs_.size();
  return std::unique_ptr<RecordSource<Record>>(std::make_unique<RunSource<Record>>(std::move(runs_), size, task_));
}

template <class Record>
Result<std::unique_ptr<RecordSource<Record>>> RecordCollector<Record>::sorted_distinct() && {
  if (runs_.size() == 0) return std::move(*this).sorted();
  if (auto spilled = spill(); !spilled) return spilled.error();
  const Result<std::uint64_t> distinct = count_distinct(runs_, task_);
  if (!distinct.has_value()) return distinct.error();
  return std::unique_ptr<RecordSource<Record>>(std::make_unique<RunSource<Record>>(std::move(runs_), *distinct, task_));
}

template class RecordCollector<std::uint64_t>;
template class RecordCollector<HashedValue>;

}  // namespace crivo

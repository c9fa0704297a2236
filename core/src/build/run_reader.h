// Reads sorted runs of hashes back into memory, range by range, in either direction. The hashes of a range are sorted
// and distinct. The size of the buffer limits a range: the buffer must hold all blocks that may contain hashes of the
// range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "build/build_task.h"
#include "build/hash_source.h"
#include "crivo/host/hash_runs.h"
#include "crivo/result.h"

namespace crivo {

/// Reads the distinct hashes of runs, in ranges as large as the buffer allows. The runs and the task must outlive the
/// reader. Errors: kSystem, kCancelled; kBadArgument if a key has two values, or if a range does not fit in the buffer.
template <class Record>
class RunReader {
 public:
  /// Allocates a buffer for `capacity` hashes from the task's memory.
  RunReader(const RecordRuns<Record>& runs, std::size_t capacity, BuildTask& task);
  RunReader(const RunReader&) = delete;
  RunReader& operator=(const RunReader&) = delete;
  ~RunReader();

  /// All distinct hashes in [first, last], ascending, after `last` is lowered as far as the buffer requires. Valid
  /// until the next call.
  [[nodiscard]] Result<std::span<const Record>> up_from(std::uint64_t first, std::uint64_t& last);
  /// All distinct hashes in [first, last], ascending, after `first` is lowered as far as the buffer allows. The hashes
  /// from the initial `first` to `last` must fit.
  [[nodiscard]] Result<std::span<const Record>> down_to(std::uint64_t& first, std::uint64_t last);

 private:
  [[nodiscard]] bool fits(std::uint64_t first, std::uint64_t last) const noexcept {
    return runs_.buffer_hashes_for(first, last) <= buffer_.size();
  }
  [[nodiscard]] Result<std::span<const Record>> load(std::uint64_t first, std::uint64_t last);

  const RecordRuns<Record>& runs_;
  BuildTask& task_;
  std::span<Record> buffer_;
};

/// Calls `use` with the distinct hashes of the runs, in ascending order, range by range. `capacity`: as for RunReader.
template <class Record>
[[nodiscard]] Result<void> for_each_distinct(const RecordRuns<Record>& runs, std::size_t capacity, BuildTask& task,
                                             const std::function<Result<void>(std::span<const Record>)>& use);

/// Counts the distinct hashes of runs, and passes them to `visit`, if any, range by range. Uses all memory that the
/// task has left, and advances the task's progress to kSortShare.
template <class Record>
[[nodiscard]] Result<std::uint64_t> count_distinct(const RecordRuns<Record>& runs, BuildTask& task,
                                                   const std::function<void(std::span<const Record>)>& visit = {});

/// The distinct hashes of runs. `size` is their number. Uses half of the memory that the task has left.
template <class Record>
class RunSource final : public StoredSource<Record> {
 public:
  RunSource(RecordRuns<Record> runs, std::uint64_t size, BuildTask& task)
      : runs_(std::move(runs)),
        reader_(runs_, task.memory_left() / (2 * sizeof(Record)), task),
        size_(size),
        task_(task) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }
  [[nodiscard]] Result<std::span<const Record>> take_from(std::uint64_t first) override;
  [[nodiscard]] Result<std::span<const Record>> take_highest() override;
  void rewind() noexcept override { left_ = {}; }

 private:
  struct Left {
    std::span<const Record> loaded;  // in memory, not yet returned
    bool is_loaded = false;
    std::uint64_t loaded_from = 0;  // if is_loaded: `loaded` has all remaining hashes from here on
    std::uint64_t to = UINT64_MAX;  // no hash above this remains
    bool empty = false;             // all hashes were returned
  };

  RecordRuns<Record> runs_;
  RunReader<Record> reader_;
  std::uint64_t size_;
  BuildTask& task_;
  Left left_;
};

}  // namespace crivo

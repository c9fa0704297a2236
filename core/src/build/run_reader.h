// Sorted runs of hashes on their way back into memory: range by range, each sorted and without repetitions.
//
// Ranges are chosen so that the blocks that may have hashes in them fit into a buffer, and can be read in either
// direction.
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

/// Reads the distinct hashes of runs by ranges, as large as a buffer allows. The runs and the task must outlive it.
template <class Record>
class RunReader {
 public:
  /// Takes memory for `room` hashes from the task, and gives it back at the end.
  RunReader(const RecordRuns<Record>& runs, std::size_t room, BuildTask& task);
  RunReader(const RunReader&) = delete;
  RunReader& operator=(const RunReader&) = delete;
  ~RunReader();

  /// All distinct hashes from `first` up to `last`, ascending, with `last` set to the highest that the buffer allows.
  /// They are valid until the next call.
  [[nodiscard]] Result<std::span<const Record>> up_from(std::uint64_t first, std::uint64_t& last);
  /// All from `first` up to `last`, with `first` lowered as far as the buffer allows. Errors: also kBadArgument, if
  /// the hashes from `first` as it was are too many.
  [[nodiscard]] Result<std::span<const Record>> down_to(std::uint64_t& first, std::uint64_t last);

 private:
  [[nodiscard]] bool fits(std::uint64_t first, std::uint64_t last) const noexcept {
    return runs_.room_for(first, last) <= room_.size();
  }
  [[nodiscard]] Result<std::span<const Record>> load(std::uint64_t first, std::uint64_t last);

  const RecordRuns<Record>& runs_;
  BuildTask& task_;
  std::span<Record> room_;
};

/// Calls `use` with the distinct hashes of the runs, ascending, part by part. `room`: as RunReader's.
template <class Record>
[[nodiscard]] Result<void> for_each_distinct(const RecordRuns<Record>& runs, std::size_t room, BuildTask& task,
                                             const std::function<Result<void>(std::span<const Record>)>& use);

/// The number of distinct hashes in runs, which `see` gets part by part. Takes the memory that the task has left, and
/// brings its progress to kSortShare.
template <class Record>
[[nodiscard]] Result<std::uint64_t> count_distinct(const RecordRuns<Record>& runs, BuildTask& task,
                                                   const std::function<void(std::span<const Record>)>& see = {});

/// The distinct hashes of runs, of which there are `size`. It takes half of the memory that the task has left.
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
    std::span<const Record> loaded;  // in memory and not handed out yet
    bool is_loaded = false;
    std::uint64_t loaded_from = 0;  // with is_loaded: `loaded` has all from here on that were not handed out
    std::uint64_t to = UINT64_MAX;  // none above this is left
    bool empty = false;             // all were handed out
  };

  RecordRuns<Record> runs_;
  RunReader<Record> reader_;
  std::uint64_t size_;
  BuildTask& task_;
  Left left_;
};

}  // namespace crivo

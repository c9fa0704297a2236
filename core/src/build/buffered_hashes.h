// The hashes that a FilterBuilder buffers until finish(): in an array, and beyond the memory limit in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "build/build_task.h"
#include "build/memory_budget.h"
#include "crivo/build_options.h"
#include "crivo/host/hash_runs.h"
#include "crivo/result.h"

namespace crivo {

/// Either stores every hash, in order, or drops repeated hashes as they accumulate. Throws std::bad_alloc.
template <class Record>
class BufferedRecords {
 public:
  BufferedRecords(bool every_addition, const BuildOptions& options, const MemoryBudget& budget)
      : every_addition_(every_addition),
        budget_(budget),
        threads_(options.threads),
        runs_(options.temp_folder, budget.block_hashes()) {}

  /// Increments `added` by the number of stored hashes, also on failure. Errors: kSystem; kBadArgument if the memory
  /// limit is too low for the hashes, even with files, or if a key has two values.
  [[nodiscard]] Result<void> add(std::span<const Record> hashes, std::uint64_t& added);
  [[nodiscard]] Result<void> add(Record hash) {
    if (count_ == capacity_) {
      if (auto made = grow_or_spill(); !made) return made;
    }
    hashes_[count_++] = hash;
    return {};
  }

  [[nodiscard]] std::uint64_t size() const noexcept { return count_ + runs_.size(); }
  [[nodiscard]] bool every_addition() const noexcept { return every_addition_; }
  /// Whether some hashes are in a file.
  [[nodiscard]] bool spilled() const noexcept { return runs_.size() != 0; }
  /// The hashes in memory.
  [[nodiscard]] std::span<Record> in_memory() const noexcept { return {hashes_.get(), count_}; }
  /// Sorts the hashes in memory and drops repeated ones, unless every addition is stored. Errors: as sort_distinct.
  [[nodiscard]] Result<void> drop_repeated(BuildTask& task);
  /// Writes the hashes in memory to the file, and frees their array. Errors: as add.
  [[nodiscard]] Result<void> spill();
  /// The file after spill(): runs of distinct hashes, or all hashes in order if every addition is stored.
  [[nodiscard]] RecordRuns<Record>& runs() noexcept { return runs_; }

 private:
  [[nodiscard]] Result<void> grow_or_spill();
  /// Calls drop_repeated() with a task of its own, which reports no progress.
  [[nodiscard]] Result<void> sweep();
  [[nodiscard]] Result<void> write_run();

  bool every_addition_;
  MemoryBudget budget_;
  unsigned threads_;
  // Not a vector, because a growing vector needs the old and the new array at the same time.
  struct Free {
    void operator()(Record* hashes) const noexcept { std::free(hashes); }
  };
  std::unique_ptr<Record[], Free> hashes_;
  std::size_t count_ = 0;
  std::size_t capacity_ = 0;
  RecordRuns<Record> runs_;
};

using BufferedHashes = BufferedRecords<std::uint64_t>;

}  // namespace crivo

// Collects hashes that one step of a build makes in any order, for a step that needs them in order.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "build/build_task.h"
#include "build/hash_source.h"
#include "build/run_reader.h"
#include "crivo/result.h"

namespace crivo {

/// Collects hashes in the task's memory; those beyond the task's limit go to a temporary file.
template <class Record>
class RecordCollector {
 public:
  /// Reserves memory for this many hashes, within the task's limit.
  RecordCollector(std::uint64_t expected, BuildTask& task);

  /// Errors: kSystem.
  [[nodiscard]] Result<void> add(std::span<const Record> hashes);
  [[nodiscard]] bool empty() const noexcept { return hashes_.empty() && runs_.size() == 0; }
  /// All hashes, which must be distinct, in order. Errors: kSystem, kCancelled.
  [[nodiscard]] Result<std::unique_ptr<RecordSource<Record>>> sorted() &&;
  /// The distinct hashes, in order. If there is a file, an extra pass over it counts them first. Errors: as sorted.
  [[nodiscard]] Result<std::unique_ptr<RecordSource<Record>>> sorted_distinct() &&;

 private:
  [[nodiscard]] Result<void> sort();
  [[nodiscard]] Result<void> write_run();
  /// Writes the hashes in memory to the file, and frees that memory.
  [[nodiscard]] Result<void> spill();

  BuildTask& task_;
  std::pmr::vector<Record> hashes_;
  RecordRuns<Record> runs_;
};

using HashCollector = RecordCollector<std::uint64_t>;

}  // namespace crivo

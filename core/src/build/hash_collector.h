// Hashes that a step of a build makes in any order, and that the next step needs in order.
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

/// Collects hashes. They lie in the task's memory, and those that do not fit under the task's limit in a temporary
/// file.
template <class Record>
class RecordCollector {
 public:
  /// Makes room for this many hashes, as far as the task's limit allows.
  RecordCollector(std::uint64_t expected, BuildTask& task);

  /// Errors: kSystem.
  [[nodiscard]] Result<void> add(std::span<const Record> hashes);
  [[nodiscard]] bool empty() const noexcept { return hashes_.empty() && runs_.size() == 0; }
  /// All of them, which must be distinct, in order. Errors: kSystem, kCancelled.
  [[nodiscard]] Result<std::unique_ptr<RecordSource<Record>>> sorted() &&;
  /// The distinct ones in order. Counts them first, which takes a pass over the file, if there is one. Errors: as
  /// sorted.
  [[nodiscard]] Result<std::unique_ptr<RecordSource<Record>>> sorted_distinct() &&;

 private:
  [[nodiscard]] Result<void> sort();
  [[nodiscard]] Result<void> write_run();
  /// Writes what is in memory to the file, and frees that memory.
  [[nodiscard]] Result<void> spill();

  BuildTask& task_;
  std::pmr::vector<Record> hashes_;
  RecordRuns<Record> runs_;
};

using HashCollector = RecordCollector<std::uint64_t>;

}  // namespace crivo

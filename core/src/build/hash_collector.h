// Collects hashes that one step of a build produces in any order, for another step that needs them in order.
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

/// Collects hashes in the task's memory. Under a memory limit, all hashes go to a file if they exceed the memory that
/// the constructor reserves. Errors of all functions: kSystem, kCancelled; kBadArgument if a key has two values.
template <class Record>
class RecordCollector {
 public:
  /// Reserves memory for `expected` hashes, within the task's limit.
  RecordCollector(std::uint64_t expected, BuildTask& task);

  [[nodiscard]] Result<void> add(std::span<const Record> hashes);
  [[nodiscard]] bool empty() const noexcept { return hashes_.empty() && runs_.size() == 0; }
  /// All hashes, in ascending order. The hashes must be distinct.
  [[nodiscard]] Result<std::unique_ptr<RecordSource<Record>>> sorted() &&;
  /// The distinct hashes, in ascending order. If there is a file, an extra pass over the file counts them first.
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

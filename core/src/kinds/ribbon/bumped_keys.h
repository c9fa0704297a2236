// The keys that a level of a ribbon bumps, which the next level is built from.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "base/build_task.h"
#include "crivo/result.h"
#include "hash/hash_runs.h"
#include "hash/hash_source.h"

namespace crivo {

/// Collects hashes at the next level: distinct ones, in any order. They lie in the task's memory, and those that do not
/// fit under the task's limit in a temporary file.
class BumpedKeys {
 public:
  /// Makes room for this many hashes, as far as the task's limit allows.
  BumpedKeys(std::uint64_t expected, BuildTask& task);

  /// Errors: kSystem.
  [[nodiscard]] Result<void> add(std::span<const std::uint64_t> hashes);
  [[nodiscard]] bool empty() const noexcept { return hashes_.empty() && !runs_; }
  /// All of them, in order. Errors: kSystem, kCancelled.
  [[nodiscard]] Result<std::unique_ptr<HashSource>> sorted() &&;

 private:
  [[nodiscard]] Result<void> write_run();

  BuildTask& task_;
  std::pmr::vector<std::uint64_t> hashes_;
  std::optional<HashRuns> runs_;
};

}  // namespace crivo

// Builds one level of a ribbon payload from its keys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "build/build_task.h"
#include "build/hash_collector.h"
#include "build/hash_source.h"
#include "kinds/ribbon/layout.h"

namespace crivo {

/// A key's hash at the next level.
[[nodiscard]] inline std::uint64_t at_next_level(std::uint64_t hash) noexcept { return hash * kRibbonNextLevel; }
[[nodiscard]] inline HashedValue at_next_level(const HashedValue& key) noexcept {
  return {key.hash * kRibbonNextLevel, key.value};
}

/// The keys of one level: their hashes at this level, and the factor that gives fingerprints from these hashes.
template <class Record>
struct RibbonKeys {
  RecordSource<Record>& hashes;
  std::uint64_t fingerprint_factor;
  unsigned value_bits;  // 0 for a filter
};

/// Counts the processed keys, and reports the progress to the task.
class RibbonProgress {
 public:
  RibbonProgress(BuildTask& task, std::uint64_t keys) noexcept : task_(task), keys_(static_cast<double>(keys)) {}
  [[nodiscard]] BuildTask& task() const noexcept { return task_; }
  /// Errors: kCancelled.
  Result<void> add(std::uint64_t keys) {
    constexpr double kTimes = 1.07;  // levels per key, on average
    done_ += static_cast<double>(keys);
    return task_.advance(kSortShare + (1 - kSortShare) * done_ / (kTimes * keys_));
  }

 private:
  BuildTask& task_;
  double keys_;
  double done_ = 0;
};

/// Writes a level to its zeroed words at `at`. Adds bumped keys to `bumped`, with their hashes at the next level. The
/// base level bumps keys only if it has no solution. Errors: kCancelled; those of the source and of `bumped`.
template <class Record>
Result<void> build_ribbon_level(const RibbonLevelShape& level, unsigned columns, const RibbonKeys<Record>& keys,
                                std::byte* at, RecordCollector<Record>& bumped, RibbonProgress& progress);

}  // namespace crivo

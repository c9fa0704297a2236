// Building one level of a ribbon payload from its keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/build_task.h"
#include "layout/ribbon_layout.h"

namespace crivo {

/// Keys of one level: their hashes at that level in ascending order, and what their fingerprints are made with.
struct RibbonKeys {
  std::span<const std::uint64_t> hashes;
  std::uint64_t fingerprint_factor;
};

/// Counts the keys that went through a level, and reports them.
class RibbonProgress {
 public:
  RibbonProgress(BuildTask& task, std::uint64_t keys) noexcept : task_(task), keys_(static_cast<double>(keys)) {}
  [[nodiscard]] BuildTask& task() const noexcept { return task_; }
  /// Errors: kCancelled.
  Result<void> add(std::uint64_t keys) {
    constexpr double kTimes = 1.07;  // that a key goes through a level, on average
    done_ += static_cast<double>(keys);
    return task_.advance(kSortShare + (1 - kSortShare) * done_ / (kTimes * keys_));
  }

 private:
  BuildTask& task_;
  double keys_;
  double done_ = 0;
};

/// Writes a level into its words at `at`, which are all 0. What it bumps is appended to `bumped`, with the hashes of
/// the next level; the base bumps only what has no solution. Errors: kCancelled.
Result<void> build_ribbon_level(const RibbonLevelShape& level, unsigned columns, const RibbonKeys& keys, std::byte* at,
                                std::pmr::vector<std::uint64_t>& bumped, RibbonProgress& progress);

}  // namespace crivo

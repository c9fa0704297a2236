// The list of Crivo's policies, and their parsed options.
#pragma once

#include <rocksdb/version.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "crivo/filter.h"
#include "options/key_transform.h"

namespace crivo::plugin {

/// A policy's name, as in option strings, OPTIONS files and SST files, and its properties.
struct PolicyInfo {
  std::string_view name;  // NUL-terminated
  unsigned id;            // a bit, so that an option can list its policies
  /// The kind of the policy's filters; no value if the policy chooses the kind by level.
  std::optional<Kind> kind;
};

inline constexpr unsigned kBloom = 1;
inline constexpr unsigned kRibbon = 2;
inline constexpr unsigned kAuto = 4;
/// All of Crivo's policies. The first one stands in for an unknown policy.
inline constexpr std::array kPolicies = {PolicyInfo{"crivo.Bloom", kBloom, Kind::kBlocked},
                                         PolicyInfo{"crivo.Ribbon", kRibbon, Kind::kRibbon},
                                         PolicyInfo{"crivo.Auto", kAuto, std::nullopt}};

/// The filters of a level.
struct LevelSpec {
  Kind kind = Kind::kBlocked;
  double bits_per_key = 0;  // of a blocked filter; 0: no filter
  double fp_rate = 1;       // the rate of that blocked filter; a ribbon is sized for this rate

  [[nodiscard]] bool is_filter() const noexcept { return bits_per_key > 0; }
};

/// A limit of the settings in bytes; SIZE_MAX for 0, which means no limit.
[[nodiscard]] constexpr std::size_t limit_of(std::uint64_t bytes) noexcept { return bytes == 0 ? SIZE_MAX : bytes; }

/// Which of the mutually exclusive options determines the size.
enum class SizedBy { kBitsPerKey, kFpRate, kBudget };

inline constexpr int kMinLevels = 2;
inline constexpr int kMaxLevels = 64;
inline constexpr double kHighestLevelRatio = 1000;

/// Level 0 counts as an additional level of four runs: by default, RocksDB compacts level 0 when it has four files.
inline constexpr double kRunsOfLevel0 = 4;

/// A column family's tree, from its options.
struct TreeOptions {
  /// Whether the last level with data always has the highest number (level_compaction_dynamic_level_bytes).
  bool dynamic_levels = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 804;  // RocksDB's default
  int levels = 4;                                                    // with data, below level 0
  double level_ratio = 10;                                           // keys of a level / keys of the level above

  friend bool operator==(const TreeOptions&, const TreeOptions&) = default;
};

/// Whether any policy of this process has ever had max_total_bytes. If none has, no files need to be listed.
inline std::atomic<bool> is_total_limited = false;

inline constexpr const char* kNeedsListener =
    "listeners must contain crivo.FilterCounters if max_total_bytes is set, got none";

/// Validated options. Options that a policy lacks have their defaults.
struct Settings {
  SizedBy sized_by = SizedBy::kBitsPerKey;
  double size = 10;  // bits per key or a rate, as sized_by says
  std::optional<double> bottommost_fp_rate;
  int bloom_before_level = 0;
  int ribbon_levels = 2;
  std::optional<int> levels;           // overrides tree.levels
  std::optional<double> level_ratio;   // overrides tree.level_ratio
  TreeOptions tree;                    // not an option: derived from the column family
  std::optional<bool> has_listener;    // not an option: of any database opened with this policy, if there was one
  std::uint64_t max_filter_bytes = 0;  // of a file; 0: no limit
  std::uint64_t max_total_bytes = 0;   // of a database; 0: no limit
  std::uint64_t max_build_bytes = 0;   // of all builders of the process; 0: no limit
  bool count_questions = false;
  const NamedKeyTransform* key_transform = nullptr;  // null: unchanged keys

  /// The filters by distance from the last level; a flush has the distance tree_levels(). Never null or empty after
  /// SettingsParser::finish(). Policies with a fixed kind use only distance 0.
  std::shared_ptr<const std::vector<LevelSpec>> by_distance;

  [[nodiscard]] int tree_levels() const noexcept { return levels.value_or(tree.levels); }
  [[nodiscard]] double tree_ratio() const noexcept { return level_ratio.value_or(tree.level_ratio); }
  /// The filters of a file at this distance from the last level.
  [[nodiscard]] const LevelSpec& at(int distance) const noexcept {
    return (*by_distance)[std::min(static_cast<std::size_t>(std::max(distance, 0)), by_distance->size() - 1)];
  }
};

}  // namespace crivo::plugin

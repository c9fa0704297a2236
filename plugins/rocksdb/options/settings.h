// The list of our policies, and what their options say once they are read.
#pragma once

#include <rocksdb/version.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "crivo/filter.h"
#include "options/key_transform.h"

namespace crivo::plugin {

/// A policy as RocksDB knows it, by a name that stands in option strings, OPTIONS files and SST files.
struct PolicyInfo {
  std::string_view name;  // followed by a NUL
  unsigned id;            // a bit of its own, as options list the policies that have them
  /// The kind of the filters that it writes; none if the policy chooses between kinds by itself.
  std::optional<Kind> kind;
};

inline constexpr unsigned kBloom = 1;
inline constexpr unsigned kRibbon = 2;
inline constexpr unsigned kAuto = 4;
/// All policies of ours. The first one stands in for a policy that we do not have.
inline constexpr std::array kPolicies = {PolicyInfo{"crivo.Bloom", kBloom, Kind::kBlocked},
                                         PolicyInfo{"crivo.Ribbon", kRibbon, Kind::kRibbon},
                                         PolicyInfo{"crivo.Auto", kAuto, std::nullopt}};

/// What the filters of a level are to be.
struct LevelSpec {
  Kind kind = Kind::kBlocked;
  double bits_per_key = 0;  // of a blocked filter; 0 if there is to be no filter
  double fp_rate = 1;       // of a ribbon: the rate of that blocked filter

  [[nodiscard]] bool is_filter() const noexcept { return bits_per_key > 0; }
};

/// Which of the options that exclude each other says how large the filters are.
enum class SizedBy { kBitsPerKey, kFpRate, kBudget };

inline constexpr int kFewestLevels = 2;
inline constexpr int kMostLevels = 64;
inline constexpr double kHighestLevelRatio = 1000;

/// Level 0 is counted as one more level above the others, of four runs: RocksDB compacts it when it has four files.
inline constexpr double kRunsOfLevel0 = 4;

/// What a column family's options say of its tree.
struct TreeOptions {
  /// Whether the last level with data is always the one of the highest number (level_compaction_dynamic_level_bytes).
  bool dynamic_levels = ROCKSDB_MAJOR * 100 + ROCKSDB_MINOR >= 804;  // RocksDB's default
  int levels = 4;                                                    // with data below level 0
  double level_ratio = 10;  // how many times more keys a level has than the one above it

  friend bool operator==(const TreeOptions&, const TreeOptions&) = default;
};

/// Whether a policy of this process was ever given max_total_bytes. Until then nobody need know all files of a
/// database.
inline std::atomic<bool> is_total_limited = false;

/// Options that were checked. A policy that lacks one has its default.
struct Settings {
  SizedBy sized_by = SizedBy::kBitsPerKey;
  double size = 10;  // in the unit of sized_by
  std::optional<double> bottommost_fp_rate;
  int bloom_before_level = 0;
  int ribbon_levels = 2;
  std::optional<int> levels;           // instead of the tree's
  std::optional<double> level_ratio;   // instead of the tree's
  TreeOptions tree;                    // no option: what RocksDB has shown of the column family
  std::uint64_t max_filter_bytes = 0;  // for the filters of a file; 0 for no limit
  std::uint64_t max_total_bytes = 0;   // for the filters of a database; 0 for no limit
  std::uint64_t max_build_bytes = 0;   // for all builders of the process; 0 for no limit
  bool count_questions = false;
  const NamedKeyTransform* key_transform = nullptr;  // null if filters are built from the keys as they are

  /// What follows from the options, by a level's distance from the last level; a flush counts as distance
  /// tree_levels(). Never null and never empty. Level and distance count only where the policy chooses by level.
  std::shared_ptr<const std::vector<LevelSpec>> by_distance;

  [[nodiscard]] int tree_levels() const noexcept { return levels.value_or(tree.levels); }
  [[nodiscard]] double tree_ratio() const noexcept { return level_ratio.value_or(tree.level_ratio); }
  /// The spec of a file at this distance from the last level.
  [[nodiscard]] const LevelSpec& at(int distance) const noexcept {
    return (*by_distance)[std::min(static_cast<std::size_t>(std::max(distance, 0)), by_distance->size() - 1)];
  }
};

}  // namespace crivo::plugin

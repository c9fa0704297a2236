// The filters of each level of the tree, derived from a policy's options.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>

#include <vector>

#include "crivo/host/level_budget.h"
#include "crivo/result.h"
#include "options/settings.h"

namespace crivo::plugin {

/// The specs by distance from the last level; the distance tree_levels() is for flushes and level 0. Errors:
/// kBadArgument.
[[nodiscard]] Result<std::vector<LevelSpec>> level_specs(const PolicyInfo& policy, const Settings& settings);

/// Whether a file of this context is written by a flush or a recovery.
[[nodiscard]] bool is_flushed(const rocksdb::FilterBuildingContext& context) noexcept;

/// The distance between `level` and `last`, the last level with keys; tree_levels() for level 0, and 1 for compaction
/// styles without levels.
[[nodiscard]] int distance_in_tree(const Settings& settings, const rocksdb::FilterBuildingContext& context, int level,
                                   int last) noexcept;

/// The bits per key of a large filter; a ribbon has fewer than spec.bits_per_key.
[[nodiscard]] double real_bits_per_key(const LevelSpec& spec);

/// The specs with the fewest false positives for a tree's levels, within `bits` bits in all. Errors: kBadArgument.
[[nodiscard]] Result<std::vector<LevelSpec>> divided_specs(const std::vector<TreeLevel>& tree, double bits);

/// The tree of a column family, derived from its options. The options do not state how many levels have data:
/// num_levels - 1, clamped to [2, 4], is assumed.
[[nodiscard]] TreeOptions tree_of(const rocksdb::ColumnFamilyOptions& family) noexcept;

/// The filters of a new file. A bottommost file counts as part of the last level. With dynamic levels or universal
/// compaction, this level has the highest number; otherwise it has the number settings.tree_levels().
[[nodiscard]] LevelSpec spec_of_file(const PolicyInfo& policy, const Settings& settings,
                                     const rocksdb::FilterBuildingContext& context) noexcept;

}  // namespace crivo::plugin

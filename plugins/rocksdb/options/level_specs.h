// The filters of each level of the tree, derived from a policy's options.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>

#include <vector>

#include "crivo/host/level_budget.h"
#include "crivo/result.h"
#include "options/settings.h"

namespace crivo::plugin {

/// The specs by distance from the last level, 0 to settings.tree_levels(); the last one is for flushes. Errors:
/// kBadArgument.
[[nodiscard]] Result<std::vector<LevelSpec>> level_specs(const PolicyInfo& policy, const Settings& settings);

/// Whether files of this context will soon be compacted again.
[[nodiscard]] bool is_flushed(const rocksdb::FilterBuildingContext& context) noexcept;

/// The distance of a level from `last`, the number of the last level with keys.
[[nodiscard]] int distance_in_tree(const Settings& settings, const rocksdb::FilterBuildingContext& context, int level,
                                   int last) noexcept;

/// The bits per key of a large filter; a ribbon has fewer than spec.bits_per_key.
[[nodiscard]] double real_bits_per_key(const LevelSpec& spec);

/// The best specs for the levels of a tree within this many bits in all. Errors: kBadArgument.
[[nodiscard]] Result<std::vector<LevelSpec>> divided_specs(const std::vector<TreeLevel>& tree, double bits);

/// The tree of a column family, derived from its options. The options state the ratio between levels, but only the
/// maximum number of levels. So the number is assumed to be four, as is usual, or the maximum if that is less.
[[nodiscard]] TreeOptions tree_of(const rocksdb::ColumnFamilyOptions& family) noexcept;

/// The filters of a new file. Without dynamic levels the last level is number settings.tree_levels(). With them, and
/// with universal compaction, it is the highest number.
[[nodiscard]] LevelSpec spec_of_file(const PolicyInfo& policy, const Settings& settings,
                                     const rocksdb::FilterBuildingContext& context) noexcept;

}  // namespace crivo::plugin

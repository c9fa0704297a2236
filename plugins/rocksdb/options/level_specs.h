// The filters of each level of the tree, as they follow from a policy's options.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>

#include <vector>

#include "crivo/result.h"
#include "options/known_tree.h"
#include "options/settings.h"

namespace crivo::plugin {

/// The specs by a level's distance from the last level, 0 to settings.tree_levels(); the last one holds for what is
/// flushed. Errors: kBadArgument.
[[nodiscard]] Result<std::vector<LevelSpec>> level_specs(const PolicyInfo& policy, const Settings& settings);

/// Files of this context are soon compacted again.
[[nodiscard]] bool is_flushed(const rocksdb::FilterBuildingContext& context) noexcept;

/// The settings where max_total_bytes is the limit of a database that has this tree: as they are if all levels stay
/// within it, or else with the best filters of so many bytes. Errors: kBadArgument.
[[nodiscard]] Result<Settings> settings_within(const PolicyInfo& policy, Settings settings, const KnownTree& known,
                                               const rocksdb::FilterBuildingContext& context);

/// What a column family's options say of its tree. They give the ratio between its levels, but only the most levels
/// that it can have: a tree is taken to have four, as most do, unless that is less.
[[nodiscard]] TreeOptions tree_of(const rocksdb::ColumnFamilyOptions& family) noexcept;

/// What the filters of a file are to be. Without dynamic levels the last level is the one of number
/// settings.tree_levels(); with them, and with universal compaction, it is the one with the highest number.
[[nodiscard]] LevelSpec spec_of_file(const PolicyInfo& policy, const Settings& settings,
                                     const rocksdb::FilterBuildingContext& context) noexcept;

}  // namespace crivo::plugin

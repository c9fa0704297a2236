// The filters of each level of the tree, as they follow from a policy's options.
#pragma once

#include <rocksdb/filter_policy.h>

#include <vector>

#include "crivo/result.h"
#include "options/settings.h"

namespace crivo::plugin {

/// The specs by a level's distance from the last level, 0 to settings.levels; the last one holds for what is flushed.
/// Errors: kBadArgument.
[[nodiscard]] Result<std::vector<LevelSpec>> level_specs(const PolicyInfo& policy, const Settings& settings);

/// What the filters of a file are to be. dynamic_levels: whether the last level with data is always the one with the
/// highest number (level_compaction_dynamic_level_bytes), and not the one of number settings.levels. With universal
/// compaction it always is.
[[nodiscard]] LevelSpec spec_of_file(const PolicyInfo& policy, const Settings& settings,
                                     const rocksdb::FilterBuildingContext& context, bool dynamic_levels) noexcept;

}  // namespace crivo::plugin

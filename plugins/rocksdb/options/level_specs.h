// The filters of each level of the tree, as they follow from a policy's options.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>

#include <cstdint>
#include <string>
#include <vector>

#include "crivo/host/level_budget.h"
#include "crivo/result.h"
#include "options/settings.h"

namespace crivo::plugin {

/// The specs by a level's distance from the last level, 0 to settings.tree_levels(); the last one holds for what is
/// flushed. Errors: kBadArgument.
[[nodiscard]] Result<std::vector<LevelSpec>> level_specs(const PolicyInfo& policy, const Settings& settings);

/// Files of this context are soon compacted again.
[[nodiscard]] bool is_flushed(const rocksdb::FilterBuildingContext& context) noexcept;

/// The distance of a level in a tree whose last level with keys is known.
[[nodiscard]] int distance_in_tree(const Settings& settings, const rocksdb::FilterBuildingContext& context, int level,
                                   int last) noexcept;

/// The bits per key that a large filter takes; a ribbon has fewer than spec.bits_per_key.
[[nodiscard]] double real_bits_per_key(const LevelSpec& spec);

/// What the options ask of a file's filters, as it stands in the file's properties: "blocked:10",
/// "ribbon:fp_rate:0.009525:max_filter_bytes:1000". Files with the same stamp need no new filters.
[[nodiscard]] std::string filter_stamp(const LevelSpec& spec, std::uint64_t max_filter_bytes);

/// The best specs for the levels of a tree that take so many bits together. Errors: kBadArgument.
[[nodiscard]] Result<std::vector<LevelSpec>> divided_specs(const std::vector<TreeLevel>& tree, double bits);

/// What a column family's options say of its tree. They give the ratio between its levels, but only the most levels
/// that it can have: a tree is taken to have four, as most do, unless that is less.
[[nodiscard]] TreeOptions tree_of(const rocksdb::ColumnFamilyOptions& family) noexcept;

/// What the filters of a file are to be. Without dynamic levels the last level is the one of number
/// settings.tree_levels(); with them, and with universal compaction, it is the one with the highest number.
[[nodiscard]] LevelSpec spec_of_file(const PolicyInfo& policy, const Settings& settings,
                                     const rocksdb::FilterBuildingContext& context) noexcept;

}  // namespace crivo::plugin

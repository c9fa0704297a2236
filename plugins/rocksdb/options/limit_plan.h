// What a new file may take of max_total_bytes. report/filter_tree.h has the whole story.
#pragma once

#include <rocksdb/filter_policy.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "crivo/result.h"
#include "options/settings.h"

namespace crivo::plugin {

/// The tree of a column family, and the filters of its database, as they were listed last. Keys are those that filters
/// get: prefixes count, too.
struct KnownTree {
  struct Level {
    double keys = 0;         // of the files that stay
    double moving_keys = 0;  // of the files that compactions read now
    double files = 0;
  };
  std::vector<Level> levels;     // of the column family
  double limited_keys = 0;       // of all column families that share the limit
  double limited_blocks = 0;     // the filter blocks of these
  double other_moving_keys = 0;  // of these, except for this one
  double unlimited_bytes = 0;    // of the filters of the others
  double staying_bytes = 0;      // of the filters of all files that stay
  double moving_bytes = 0;       // of the filters that compactions read now
};

/// The filters of a new file.
struct FilePlan {
  LevelSpec spec;
  std::size_t max_bytes = SIZE_MAX;  // of all its filters
};

/// How the tree is used: while files are written as they come, filters of an earlier plan may leave less than the plan
/// gives. RefilterRocksDB makes all files follow the plan, so there each file gets all of it.
enum class PlanUse { kWithinWhatIsLeft, kAll };

/// The filters of a file of this context, whose column family has this tree and a limit. Errors: kBadArgument.
[[nodiscard]] Result<FilePlan> plan_file(const Settings& settings, const KnownTree& known,
                                         const rocksdb::FilterBuildingContext& context, PlanUse use);

/// The most bytes for the filters of a file where nothing is known of its database, because it is being recovered, or
/// no listener has met it.
[[nodiscard]] std::size_t most_of_unknown(const Settings& settings) noexcept;

}  // namespace crivo::plugin

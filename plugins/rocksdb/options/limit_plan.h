// A new file's share of max_total_bytes. report/filter_tree.h explains the plan.
#pragma once

#include <rocksdb/filter_policy.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "crivo/result.h"
#include "options/settings.h"

namespace crivo::plugin {

/// The tree of a column family, and the filters of its database, as of the last listing. Keys include prefixes.
struct ListedTree {
  struct Level {
    double keys = 0;         // of files that no compaction reads now
    double moving_keys = 0;  // of files that running compactions read
    double files = 0;
  };
  std::vector<Level> levels;     // of the column family
  double limited_keys = 0;       // of all column families with the limit
  double limited_blocks = 0;     // filter blocks of these families
  double other_moving_keys = 0;  // of these families, except this one
  double unlimited_bytes = 0;    // of the filters of families without the limit
  double staying_bytes = 0;      // of the filters that no compaction reads now
  double moving_bytes = 0;       // of the filters that running compactions read
  double flushed_bytes = 0;      // of the filters that flushes have built, and that are in no listed file
};

/// The filters of a new file.
struct FilePlan {
  LevelSpec spec;
  bool is_reduced = false;           // whether the limit reduces the bits per key
  std::size_t max_bytes = SIZE_MAX;  // the most bytes of the file's filters, if there is no plan
  double moving_bytes = 0;           // for a flushed file: the planned bytes of the running compactions' filters
};

/// How much of its share a new file gets. kWithinRest, for flushes and compactions: less if larger filters of an
/// earlier plan leave too little of the limit. kAll, for RefilterRocksDB: the whole share, because all files will
/// follow the plan.
enum class PlanUse { kWithinRest, kAll };

/// The filters of a file of this context, in a column family with a limit and this tree. Errors: kBadArgument.
[[nodiscard]] Result<FilePlan> plan_file(const Settings& settings, const ListedTree& known,
                                         const rocksdb::FilterBuildingContext& context, PlanUse use);

/// The most bytes of a flushed file's filters: half of what other files leave of the limit. `moving_bytes`: as in
/// FilePlan.
[[nodiscard]] std::size_t max_flushed_bytes(const ListedTree& known, std::uint64_t max_total_bytes,
                                            double moving_bytes) noexcept;

/// The most filter bytes of a file without a plan: in a recovery, without the listener, at an unknown level, on errors.
[[nodiscard]] std::size_t max_bytes_without_plan(const Settings& settings) noexcept;

}  // namespace crivo::plugin

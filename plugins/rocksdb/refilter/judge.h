// Whether a file has the filter that its policy would write now.
//
// The collector stores in each file a stamp of the filters that the options specified (FileSizing). An undamaged filter
// of the right keys matches if this stamp equals that of the present options. The following filters are compared by
// kind and size instead: filters without a stamp, filters of RocksDB's policies, and filters under max_total_bytes,
// which depend on the other files. Sizes may differ by 10% (25% for RocksDB's filters with optimize_filters_for_memory)
// plus 64 bytes, or plus 160 bytes per partition.
#pragma once

#include <string>

#include "refilter/family_policy.h"
#include "sst/file_filters.h"

namespace crivo::refilter {

inline constexpr const char* kUnwantedFilter = "an unwanted filter";

/// What is wrong with the file's filter: "missing", "not of crivo.Auto", "blocked:5 instead of blocked:10", "5.1 bits
/// per key instead of 10.1". Empty if the filter matches.
[[nodiscard]] std::string judge(const FamilyPolicy& family, const TreeFile& file, const sst::FileFilters& filters);

/// An upper bound on the size, in bytes, of the filters that a rewrite would give the file: each entry counts as a new
/// key, and as a new prefix if filters also have prefixes. Partitions may need a few percent more.
[[nodiscard]] double planned_bytes(const FamilyPolicy& family, const TreeFile& file);

}  // namespace crivo::refilter

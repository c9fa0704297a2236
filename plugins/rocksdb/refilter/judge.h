// Which filter would a policy write for a file, and is it the one that the file has?
//
// Only the policy knows: it chooses by level, by cause and by number of keys. So it is asked for a builder, as RocksDB
// would ask at a compaction of this file, and the builder for the blocks that it would write (planned_blocks.h).
#pragma once

#include <string>

#include "refilter/judged_files.h"
#include "sst/file_filters.h"

namespace crivo::refilter {

inline constexpr const char* kToHaveNone = "a filter where there is to be none";

/// What is wrong with the file's filter, for people: "missing", "not of crivo.Auto", "11.2 bits a key and a rate of
/// 0.0052 instead of 7.1 and 0.034". Empty if a rewrite would change nothing that can be seen.
[[nodiscard]] std::string judge(const FamilyPolicy& family, const FileToJudge& file, const sst::FileFilters& filters);

}  // namespace crivo::refilter

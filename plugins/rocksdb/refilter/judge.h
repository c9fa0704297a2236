// Does a file have the filter that the policy would write for it now?
//
// The collector writes into each file what the options asked of its filters (filter_stamp). A file whose stamp is that
// of the present options is right. Files without a stamp, those of RocksDB's policies, and all files under
// max_total_bytes, where what a file gets depends on the others, are judged by what they have: the kind, and bits per
// key within 10%.
#pragma once

#include <string>

#include "refilter/judged_files.h"
#include "sst/file_filters.h"

namespace crivo::refilter {

inline constexpr const char* kToHaveNone = "a filter where there is to be none";

/// What is wrong with the file's filter, for people: "missing", "not of crivo.Auto", "blocked:5 instead of blocked:10",
/// "5.1 bits a key instead of 10.1". Empty if nothing is.
[[nodiscard]] std::string judge(const FamilyPolicy& family, const FileToJudge& file, const sst::FileFilters& filters);

/// The bytes of the filter that a rewrite would give the file, at most.
[[nodiscard]] double planned_bytes(const FamilyPolicy& family, const FileToJudge& file);

}  // namespace crivo::refilter

// Whether a file's filter blocks are those that a policy's builder would write.
//
// The file says how many keys its filters have together, but not how many each of them has. So each block gives an
// interval of numbers of keys for which the builder would write it. The blocks are right if each has such an interval,
// and if the number of all keys lies in the sum of the intervals. What a rewrite would give again is never called
// wrong.
#pragma once

#include <functional>

#include "refilter/planned_filter.h"
#include "sst/file_filters.h"

namespace crivo::refilter {

/// Whether a builder of RocksDB's own policies writes these blocks. is_rounded: with optimize_filters_for_memory a
/// filter gets as many bytes as malloc has for it.
[[nodiscard]] bool are_of_theirs(abi::FilterBitsBuilder& builder, bool is_rounded, const sst::FileFilters& filters);

/// Whether a builder of ours does. `make` gives a new one for the file: one that has built a filter leaves less room to
/// the next one.
[[nodiscard]] bool are_of_ours(const std::function<Builder()>& make, const sst::FileFilters& filters);

}  // namespace crivo::refilter

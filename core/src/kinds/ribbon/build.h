// Builds a ribbon payload from all its hashes: the levels, and in each the banding, the bumping and the
// back-substitution.
#pragma once

#include <cstdint>
#include <span>

#include "base/build_task.h"
#include "crivo/memory.h"
#include "crivo/types.h"
#include "layout/ribbon_layout.h"

namespace crivo {

/// The payload for these hashes: at least one, in any order; hashes may be repeated. The same set of hashes always
/// gives the same bytes. Hashes that are distinct and in ascending order are not copied. Errors: kBadArgument for a set
/// that has no solution at any size that is tried, which happens only to hashes that were chosen for that; kTooLarge if
/// the payload for these hashes is planned above max_bytes, before it is allocated; kCancelled. On entry `columns` are
/// those that were planned; on return they are those that this number of keys needs to keep the planned rate.
Result<AlignedBytes> build_ribbon(RibbonColumns& columns, std::span<const std::uint64_t> hashes,
                                  std::uint64_t max_bytes, BuildTask& task);

}  // namespace crivo

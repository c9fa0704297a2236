// From all its hashes to a ribbon payload: sizes, banding, bumping, back-substitution.
#pragma once

#include <cstdint>
#include <span>

#include "base/build_task.h"
#include "crivo/memory.h"
#include "crivo/types.h"
#include "layout/ribbon_layout.h"

namespace crivo {

/// The payload for these hashes, at least one, any order, repeated ones allowed; the same set gives the same bytes.
/// Needs no copy of distinct hashes in ascending order. Errors: kBadArgument for a set that has no solution at any size
/// we try, which takes hashes made for it; kTooLarge if the payload for these hashes is planned above max_bytes, before
/// it is allocated; kCancelled. `columns` are what was planned, and become what this number of keys needs to keep the
/// planned rate.
Result<AlignedBytes> build_ribbon(RibbonColumns& columns, std::span<const std::uint64_t> hashes,
                                  std::uint64_t max_bytes, BuildTask& task);

}  // namespace crivo

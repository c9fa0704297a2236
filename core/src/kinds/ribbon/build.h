// Builds a ribbon payload from all its hashes: the levels, and in each the banding, the bumping and the
// back-substitution.
#pragma once

#include <cstdint>
#include <memory>

#include "build/build_task.h"
#include "build/hash_source.h"
#include "crivo/memory.h"
#include "crivo/types.h"
#include "kinds/ribbon/layout.h"

namespace crivo {

/// The payload for these hashes, of which there must be at least one. The same set of hashes always gives the same
/// bytes. The hashes are freed when the first level has read them. Errors: kBadArgument for a set that has no solution
/// at any size that is tried, which happens only to hashes that were chosen for that; kTooLarge if the payload for
/// these hashes is planned above max_bytes, before it is allocated; kCancelled; those of the source. On entry `form` is
/// what was planned; on return it has the columns that this number of keys needs to keep the planned rate.
Result<AlignedBytes> build_ribbon(RibbonForm& form, std::unique_ptr<HashSource> hashes, std::uint64_t max_bytes,
                                  BuildTask& task);

}  // namespace crivo

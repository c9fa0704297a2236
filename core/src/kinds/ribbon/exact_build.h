// Builds an exact payload from all keys of its universe.
#pragma once

#include <cstdint>
#include <memory>

#include "build/build_task.h"
#include "build/hash_source.h"
#include "crivo/memory.h"
#include "crivo/result.h"
#include "kinds/ribbon/layout.h"

namespace crivo {

/// The payload for these keys: value 1 for a member, 0 for any other key. On entry, `form` has the columns for the
/// planned rate; on return, those of the ribbon. Errors: as build_ribbon (kinds/ribbon/build.h).
Result<AlignedBytes> build_exact(RibbonForm& form, std::unique_ptr<StoredSource<HashedValue>> keys,
                                 std::uint64_t max_bytes, BuildTask& task);

}  // namespace crivo

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

/// The payload for these keys: the value of a member is 1, and that of any other key 0. `form` has the columns that the
/// planned rate needs, and gets those of the ribbon. Errors: as build_ribbon (kinds/ribbon/build.h).
Result<AlignedBytes> build_exact(RibbonForm& form, std::unique_ptr<StoredSource<HashedValue>> keys,
                                 std::uint64_t max_bytes, BuildTask& task);

}  // namespace crivo

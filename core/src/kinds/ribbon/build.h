// Builds a ribbon payload from all its hashes.
#pragma once

#include <cstdint>
#include <memory>

#include "build/build_task.h"
#include "build/hash_source.h"
#include "crivo/memory.h"
#include "crivo/types.h"
#include "kinds/ribbon/layout.h"

namespace crivo {

/// `payload` with the payload for these hashes behind what it has. There must be at least one hash; they are freed when
/// the first level has read them. The same set of hashes always gives the same bytes. `form` is what was planned, and
/// gets the columns that this number of keys needs to keep the planned rate. Errors: kBadArgument for a set without a
/// solution at any size that is tried, as only hashes can be that were chosen for it; kTooLarge, before a payload above
/// max_bytes is allocated; kCancelled; those of the source.
Result<AlignedBytes> build_ribbon(RibbonForm& form, std::unique_ptr<HashSource> hashes, std::uint64_t max_bytes,
                                  AlignedBytes payload, BuildTask& task);

/// The same for a map, whose equations give values of so many bits and, above them, check bits. The form is kept.
Result<AlignedBytes> build_map(const RibbonForm& form, unsigned value_bits,
                               std::unique_ptr<RecordSource<HashedValue>> keys, std::uint64_t max_bytes,
                               AlignedBytes payload, BuildTask& task);

}  // namespace crivo

// Builds a ribbon payload from all its hashes.
#pragma once

#include <cstdint>
#include <memory>

#include "build/build_task.h"
#include "build/hash_source.h"
#include "crivo/memory.h"
#include "kinds/ribbon/layout.h"

namespace crivo {

/// Appends the ribbon of at least one hash to `payload`. Frees the hashes after the first level is built. The same
/// hashes give the same bytes. On entry, `form` is the planned form; on return, it has the columns that meet the
/// planned rate for this number of keys. Errors: kBadArgument if no tried size has a solution, which only maliciously
/// chosen hashes can cause; kTooLarge, before a payload above max_bytes is allocated; kCancelled; those of the source.
Result<AlignedBytes> build_ribbon(RibbonForm& form, std::unique_ptr<HashSource> hashes, std::uint64_t max_bytes,
                                  AlignedBytes payload, BuildTask& task);

/// The same for a map. The right side of an equation is a value of value_bits bits, with check bits above it. Does not
/// change the form.
Result<AlignedBytes> build_map(const RibbonForm& form, unsigned value_bits,
                               std::unique_ptr<RecordSource<HashedValue>> keys, std::uint64_t max_bytes,
                               AlignedBytes payload, BuildTask& task);

}  // namespace crivo

// Builds the payload of a range filter from all its numbers.
#pragma once

#include <cstdint>
#include <memory>

#include "build/build_task.h"
#include "build/hash_source.h"
#include "crivo/memory.h"
#include "crivo/types.h"

namespace crivo {

/// The payload for these numbers, of which there must be at least one; they are freed when the codes are made. The same
/// set of numbers always gives the same bytes. Errors: kTooLarge, before a payload above max_bytes is allocated;
/// kCancelled; those of the source.
Result<AlignedBytes> build_range(const Shape& shape, std::unique_ptr<HashSource> numbers, std::uint64_t max_bytes,
                                 BuildTask& task);

}  // namespace crivo

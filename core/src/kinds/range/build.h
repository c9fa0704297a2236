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
/// set of numbers always gives the same bytes. Errors: kTooLarge if the payload for so many numbers is above max_bytes,
/// before it is allocated; kCancelled; those of the source.
Result<AlignedBytes> build_range(const Shape& shape, std::unique_ptr<HashSource> numbers, std::uint64_t max_bytes,
                                 BuildTask& task);

}  // namespace crivo

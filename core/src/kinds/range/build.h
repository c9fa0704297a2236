// Builds the payload of a range filter from all its numbers.
#pragma once

#include <cstdint>
#include <memory>

#include "build/build_task.h"
#include "build/hash_source.h"
#include "crivo/memory.h"
#include "crivo/types.h"

namespace crivo {

/// The payload for at least one number. The numbers are freed after the codes are computed. Deterministic for a set of
/// numbers. Errors: kTooLarge, before a payload above max_bytes is allocated; kCancelled; those of the source.
Result<AlignedBytes> build_range(const Shape& shape, std::unique_ptr<HashSource> numbers, std::uint64_t max_bytes,
                                 BuildTask& task);

}  // namespace crivo

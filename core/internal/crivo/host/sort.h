// Sorting for those who build a filter from hashes of their own.
#pragma once

#include <cstdint>
#include <span>

namespace crivo {

/// Sorts the hashes in place and drops repeated ones. Returns the distinct hashes, in ascending order, which lie at the
/// front of the given span; AnyFilter::build needs no copy of hashes in this order. Takes at most 256 KiB of memory;
/// throws std::bad_alloc.
[[nodiscard]] std::span<std::uint64_t> sort_distinct(std::span<std::uint64_t> hashes);

}  // namespace crivo

// Sorting, for hosts that collect hashes themselves.
#pragma once

#include <cstdint>
#include <span>

namespace crivo {

/// Sorts the hashes in place and removes duplicates. Returns the distinct hashes in ascending order, at the front of
/// the span; AnyFilter::build does not copy hashes in this order. Allocates at most 256 KiB; throws std::bad_alloc.
[[nodiscard]] std::span<std::uint64_t> sort_distinct(std::span<std::uint64_t> hashes);

}  // namespace crivo

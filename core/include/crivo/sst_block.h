// A filter as a RocksDB filter block: the payload first, then a trailer of 32 bytes that ends in RocksDB's five
// metadata bytes. docs/format.md, "The SST framing".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

inline constexpr std::size_t kSstTrailerBytes = 32;

/// The reserved negative marker at byte [size - 5]: RocksDB's built-in reader answers "maybe" for it.
inline constexpr std::int8_t kSstMarker = -67;

/// True if the block ends in a trailer with our marker. Takes a block of any size, and says nothing about whether it is
/// valid.
[[nodiscard]] bool is_sst_block(std::span<const std::byte> block) noexcept;

/// Writes the trailer for a filter of this shape behind its payload. `block` is the payload followed by
/// kSstTrailerBytes to be filled.
void seal_sst_block(const Shape& shape, std::span<std::byte> block) noexcept;

/// Opens a sealed block in place, and never reads outside it. The FilterRef borrows from the block. As a block does not
/// say what its filter was sized for, the facts promise nothing: capacity 1, rate 1, no keys counted. Errors: kCorrupt.
/// A caller that gets an error must answer "maybe", never "no".
[[nodiscard]] Result<FilterRef> open_sst_block(std::span<const std::byte> block);

}  // namespace crivo

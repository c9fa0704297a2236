// Gap coding: docs/format.md, "Gap coding". The distances between set bits, split into bits that carry no pattern and
// small symbols that zstd's Huffman coder takes to within 2% of the entropy of the bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "crivo/memory.h"
#include "crivo/result.h"

namespace crivo {

/// The gap coding of `payload`, behind `room` bytes left for the caller's header. Nothing for a payload that has none
/// (docs/format.md): more than a quarter of its bits are set, or they form a pattern that takes under 2 bits for each.
[[nodiscard]] std::optional<std::vector<std::byte>> compress_gap(std::span<const std::byte> payload, std::size_t room);

/// The payload of `raw_bytes` bytes whose gap coding this is; that many bytes, already checked against the caller's
/// limit, are the only thing allocated by size. The time is that of writing them, and of 4 gaps for each stored byte.
/// Errors: kCorrupt.
[[nodiscard]] Result<AlignedBytes> decompress_gap(std::span<const std::byte> stored, std::uint64_t raw_bytes);

}  // namespace crivo

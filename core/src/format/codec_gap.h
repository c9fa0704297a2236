// Gap coding, a codec for sparse bit arrays (docs/format.md, "Gap coding"). It stores the distances between set bits.
// The low bits of a distance have no pattern, and are stored unchanged. The high bits are small numbers for zstd's
// Huffman coder. For random bits, the result is within 3% of the entropy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "crivo/memory.h"
#include "crivo/result.h"

namespace crivo {

/// The gap coding of `payload`, after `header_bytes` bytes for the caller's header. No value if the payload cannot be
/// gap coded (docs/format.md): more than a quarter of its bits are set, or they form a pattern that takes less than 2
/// bits per set bit.
[[nodiscard]] std::optional<std::vector<std::byte>> compress_gap(std::span<const std::byte> payload,
                                                                 std::size_t header_bytes);

/// Decodes a payload of `raw_bytes` bytes, which the caller has checked against its limit. No allocation depends on any
/// other size that the input states. The time is bounded by writing the payload and decoding 4 gaps per stored byte.
/// Errors: kCorrupt.
[[nodiscard]] Result<AlignedBytes> decompress_gap(std::span<const std::byte> stored, std::uint64_t raw_bytes);

}  // namespace crivo

// Gap coding, a codec for sparse bit arrays; docs/format.md, "Gap coding", specifies it. It stores the distances
// between set bits. Each distance is split into low bits, which have no pattern and are stored as they are, and a small
// symbol for zstd's Huffman coder. The result is within 2% of the entropy of the bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "crivo/memory.h"
#include "crivo/result.h"

namespace crivo {

/// The gap coding of `payload`, behind `room` bytes that are left for the caller's header. No value for a payload that
/// has no gap coding (docs/format.md), because more than a quarter of its bits are set, or because they form a pattern
/// that takes less than 2 bits per set bit.
[[nodiscard]] std::optional<std::vector<std::byte>> compress_gap(std::span<const std::byte> payload, std::size_t room);

/// The payload of `raw_bytes` bytes whose gap coding is `stored`. The caller has checked raw_bytes against its limit,
/// and nothing else is allocated by a size that the input states. Takes the time to write that payload and to read at
/// most 4 gaps per stored byte. Errors: kCorrupt.
[[nodiscard]] Result<AlignedBytes> decompress_gap(std::span<const std::byte> stored, std::uint64_t raw_bytes);

}  // namespace crivo

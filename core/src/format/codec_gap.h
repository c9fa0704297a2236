// Gap coding: docs/format.md, "Gap coding". The distances between set bits, split into bits that carry no pattern and
// small symbols that zstd's Huffman coder takes to within 2% of the entropy of the bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "crivo/memory.h"
#include "crivo/result.h"

namespace crivo {

/// The gap coding of `payload`, behind `room` bytes left for the caller's header.
[[nodiscard]] std::vector<std::byte> compress_gap(std::span<const std::byte> payload, std::size_t room);

/// The payload of `raw_bytes` bytes whose gap coding this is; that many bytes, already checked against the caller's
/// limit, are the only thing allocated by size. Errors: kCorrupt.
[[nodiscard]] Result<AlignedBytes> decompress_gap(std::span<const std::byte> stored, std::uint64_t raw_bytes);

}  // namespace crivo

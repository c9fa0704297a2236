// Zstandard frames written by hand from RFC 8878, 3.1.1: the ones that no compressor would write.
#pragma once

#include <optional>

#include "blob_surgery.h"

namespace crivo::testing {

struct ZstdFrame {
  std::optional<std::uint64_t> content_size;      // absent: the frame does not state one
  std::optional<std::uint8_t> window_descriptor;  // absent: a single segment (which needs a content size)
  std::optional<std::uint32_t> dictionary_id;
  Bytes blocks;  // made by the functions below
};

[[nodiscard]] Bytes encode(const ZstdFrame& frame);

/// A block that stores these bytes, at most 128 KiB, as they are.
[[nodiscard]] Bytes raw_block(std::span<const std::byte> content, bool is_last);
/// A block of one byte, `count` times, at most 128 KiB: four bytes stored.
[[nodiscard]] Bytes rle_block(std::byte value, std::uint32_t count, bool is_last);
/// A skippable frame with some bytes in it.
[[nodiscard]] Bytes skippable_frame();

[[nodiscard]] Bytes operator+(Bytes first, const Bytes& second);

}  // namespace crivo::testing

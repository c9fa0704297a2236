// Writes Zstandard frames by hand from RFC 8878, 3.1.1, which no compressor would write.
#pragma once

#include <optional>

#include "blob_surgery.h"

namespace crivo::testing {

struct ZstdFrame {
  std::optional<std::uint64_t> content_size;      // absent: the frame states no size
  std::optional<std::uint8_t> window_descriptor;  // absent: a single segment, which needs a content size
  std::optional<std::uint32_t> dictionary_id;
  Bytes blocks;  // made by the functions below
};

[[nodiscard]] Bytes encode(const ZstdFrame& frame);

/// A block that stores these bytes, at most 128 KiB, uncompressed.
[[nodiscard]] Bytes raw_block(std::span<const std::byte> content, bool is_last);
/// A block that repeats one byte `count` times, at most 128 KiB, in four stored bytes.
[[nodiscard]] Bytes rle_block(std::byte value, std::uint32_t count, bool is_last);
/// A skippable frame with a few bytes.
[[nodiscard]] Bytes skippable_frame();

[[nodiscard]] Bytes operator+(Bytes first, const Bytes& second);

}  // namespace crivo::testing

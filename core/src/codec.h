// Payload compression. codec.cpp is the only file that knows zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "crivo/memory.h"
#include "crivo/result.h"

namespace crivo {

/// One zstd frame of `payload`, behind `room` bytes left for the caller's header. level: 1 to 22.
[[nodiscard]] std::vector<std::byte> compress_zstd(std::span<const std::byte> payload, int level, std::size_t room);

/// The payload of a frame that is exactly what docs/format.md, "Codecs", allows; `raw_bytes` is what it must decode to,
/// already checked against the caller's limit, and the only thing allocated by size. Errors: kCorrupt.
[[nodiscard]] Result<AlignedBytes> decompress_zstd(std::span<const std::byte> frame, std::uint64_t raw_bytes);

}  // namespace crivo

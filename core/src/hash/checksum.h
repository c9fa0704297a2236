// The checksum of docs/format.md, "Header": a sum over chunks, so that a change inside one chunk costs one chunk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace crivo {

inline constexpr std::size_t kChecksumChunkBytes = 4096;

/// Covers the header's bytes (without the checksum itself) and the stored payload.
[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> header, std::span<const std::byte> payload) noexcept;

}  // namespace crivo

// The checksum of docs/format.md, "Header". It is the sum of the hashes of 4 KiB chunks, so that after a change inside
// one chunk only that chunk has to be hashed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace crivo {

inline constexpr std::size_t kChecksumChunkBytes = 4096;

/// The checksum of the header's bytes, without the field that holds the checksum, and of the stored payload.
[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> header, std::span<const std::byte> payload) noexcept;

}  // namespace crivo

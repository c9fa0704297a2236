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
/// What the header adds to the checksum.
[[nodiscard]] std::uint64_t header_checksum(std::span<const std::byte> header) noexcept;
/// What a chunk of the payload adds to the checksum; the first chunk has the number 0.
[[nodiscard]] std::uint64_t chunk_checksum(std::uint64_t number, std::span<const std::byte> chunk) noexcept;

}  // namespace crivo

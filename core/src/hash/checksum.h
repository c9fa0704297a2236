// The checksum of docs/format.md, "Header". It is the sum of the hashes of 4 KiB segments, so that after a change
// inside one segment only that segment has to be hashed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace crivo {

inline constexpr std::size_t kChecksumSegmentBytes = 4096;

/// The checksum of the header's bytes, without the field that holds the checksum, and of the stored payload.
[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> header, std::span<const std::byte> payload) noexcept;
/// What the header adds to the checksum.
[[nodiscard]] std::uint64_t header_checksum(std::span<const std::byte> header) noexcept;
/// What a segment of the payload adds to the checksum; the first segment has the number 0.
[[nodiscard]] std::uint64_t segment_checksum(std::uint64_t number, std::span<const std::byte> segment) noexcept;

}  // namespace crivo

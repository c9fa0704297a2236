// The checksum of a blob (docs/format.md, "Checksum"): the sum of the hashes of the header and of the 4 KiB segments.
// After a change of a segment, only this segment must be hashed again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace crivo {

inline constexpr std::size_t kChecksumSegmentBytes = 4096;

/// The checksum of the header, without its checksum field, and of the stored payload.
[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> header, std::span<const std::byte> payload) noexcept;
/// The header's term of the sum.
[[nodiscard]] std::uint64_t header_checksum(std::span<const std::byte> header) noexcept;
/// The term of a segment of the stored payload. Segment numbers start at 0.
[[nodiscard]] std::uint64_t segment_checksum(std::uint64_t number, std::span<const std::byte> segment) noexcept;

}  // namespace crivo

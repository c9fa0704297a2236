// The codec raw+sums: a raw payload, followed by the checksum of each of its segments (docs/format.md, "Sums"). Each
// segment can be verified independently.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "crivo/result.h"
#include "hash/checksum.h"

namespace crivo {

/// The number of segments of a payload.
[[nodiscard]] constexpr std::uint64_t segments_of(std::uint64_t payload_bytes) noexcept {
  return (payload_bytes + kChecksumSegmentBytes - 1) / kChecksumSegmentBytes;
}
/// The number of bytes after a payload: a sum per segment, and one for the header.
[[nodiscard]] constexpr std::uint64_t sums_bytes(std::uint64_t payload_bytes) noexcept {
  return 8 * (segments_of(payload_bytes) + 1);
}

/// A stored payload of this codec. Its length must have been validated.
class PayloadWithSums {
 public:
  PayloadWithSums(const std::byte* payload, std::uint64_t payload_bytes) noexcept
      : payload_(payload), payload_bytes_(payload_bytes) {}

  [[nodiscard]] std::uint64_t segments() const noexcept { return segments_of(payload_bytes_); }
  /// Verifies a segment. Errors: kCorrupt, naming the segment.
  [[nodiscard]] Result<void> check_segment(std::uint64_t number) const;
  /// Verifies the header, of kBlobHeaderBytes. Errors: kCorrupt.
  [[nodiscard]] Result<void> check_header(std::span<const std::byte> header) const;
  /// Verifies the blob's checksum, which is in the header. All segments must have been verified. Errors: kCorrupt.
  [[nodiscard]] Result<void> check_total(std::span<const std::byte> header) const;

 private:
  [[nodiscard]] std::uint64_t sum(std::uint64_t number) const noexcept;

  const std::byte* payload_;
  std::uint64_t payload_bytes_;
};

/// Validates the length of a stored payload against the header's raw payload bytes. Errors: kCorrupt.
[[nodiscard]] Result<void> check_sums_length(std::uint64_t stored_bytes, std::uint64_t payload_bytes);

/// Verifies the header and the whole stored payload. Errors: kCorrupt.
[[nodiscard]] Result<void> check_sums(std::span<const std::byte> header, std::span<const std::byte> stored,
                                      std::uint64_t payload_bytes);

}  // namespace crivo

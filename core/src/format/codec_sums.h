// The codec raw+sums: a raw payload with the checksum of each of its segments behind it; docs/format.md, "Sums",
// specifies it. Any segment of it can be verified without the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "crivo/result.h"
#include "crivo/types.h"
#include "hash/checksum.h"

namespace crivo {

/// The number of segments of a payload.
[[nodiscard]] constexpr std::uint64_t segments_of(std::uint64_t payload_bytes) noexcept {
  return (payload_bytes + kChecksumSegmentBytes - 1) / kChecksumSegmentBytes;
}
/// The bytes behind a payload: a sum for each segment, and that of the header.
[[nodiscard]] constexpr std::uint64_t sums_bytes(std::uint64_t payload_bytes) noexcept {
  return 8 * (segments_of(payload_bytes) + 1);
}

/// A stored payload of this codec, whose length has been checked.
class PayloadWithSums {
 public:
  PayloadWithSums(const std::byte* payload, std::uint64_t payload_bytes) noexcept
      : payload_(payload), payload_bytes_(payload_bytes) {}

  [[nodiscard]] std::uint64_t segments() const noexcept { return segments_of(payload_bytes_); }
  /// Compares a segment with its sum. Errors: kCorrupt, naming the segment.
  [[nodiscard]] Result<void> check_segment(std::uint64_t number) const;
  /// Compares the header, which is kBlobHeaderBytes long, with its sum. Errors: kCorrupt.
  [[nodiscard]] Result<void> check_header(std::span<const std::byte> header) const;
  /// Compares the blob's checksum, which stands in the header, with all that it covers, once every segment was found to
  /// match its sum. Errors: kCorrupt.
  [[nodiscard]] Result<void> check_total(std::span<const std::byte> header) const;

 private:
  [[nodiscard]] std::uint64_t sum(std::uint64_t number) const noexcept;

  const std::byte* payload_;
  std::uint64_t payload_bytes_;
};

/// Checks that a stored payload has the length that follows from the header's raw payload bytes. Errors: kCorrupt.
[[nodiscard]] Result<void> check_sums_length(std::uint64_t stored_bytes, std::uint64_t payload_bytes);

/// Checks everything that the format demands of a stored payload and its header. Errors: kCorrupt.
[[nodiscard]] Result<void> check_sums(std::span<const std::byte> header, std::span<const std::byte> stored,
                                      std::uint64_t payload_bytes);

}  // namespace crivo

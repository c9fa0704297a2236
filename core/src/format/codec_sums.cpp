#include "format/codec_sums.h"

#include <algorithm>

#include "base/error_text.h"
#include "crivo/host/bytes.h"
#include "format/blob_header.h"

namespace crivo {

std::uint64_t PayloadWithSums::sum(std::uint64_t number) const noexcept {
  return load_le<std::uint64_t>(payload_ + payload_bytes_ + 8 * number);
}

Result<void> PayloadWithSums::check_segment(std::uint64_t number) const {
  const std::uint64_t begin = number * kChecksumSegmentBytes;
  const std::uint64_t bytes = std::min<std::uint64_t>(kChecksumSegmentBytes, payload_bytes_ - begin);
  const std::uint64_t stored = sum(number);
  if (segment_checksum(number, {payload_ + begin, static_cast<std::size_t>(bytes)}) == stored) return {};
  return corrupt("segment ", number, " (bytes ", begin, " to ", begin + bytes - 1,
                 " of the payload) must match its checksum, got ", stored, ": it was changed");
}

Result<void> PayloadWithSums::check_header(std::span<const std::byte> header) const {
  const std::uint64_t stored = sum(segments());
  if (header_checksum(header.first(kChecksumOffset)) == stored) return {};
  return corrupt("checksum of the header must match its bytes, got ", stored, ": it was changed");
}

// The checksum's terms for the payload's complete segments are the stored sums, which were verified. All later
// segments, with the rest of the payload and the sums, are hashed here.
Result<void> PayloadWithSums::check_total(std::span<const std::byte> header) const {
  const std::uint64_t whole = payload_bytes_ / kChecksumSegmentBytes;
  const std::uint64_t end = payload_bytes_ + sums_bytes(payload_bytes_);
  std::uint64_t total = header_checksum(header.first(kChecksumOffset));
  for (std::uint64_t number = 0; number < whole; ++number) total += sum(number);
  for (std::uint64_t number = whole; number * kChecksumSegmentBytes < end; ++number) {
    const std::uint64_t begin = number * kChecksumSegmentBytes;
    const std::uint64_t bytes = std::min<std::uint64_t>(kChecksumSegmentBytes, end - begin);
    total += segment_checksum(number, {payload_ + begin, static_cast<std::size_t>(bytes)});
  }
  const auto stored = load_le<std::uint64_t>(header.data() + kChecksumOffset);
  if (total == stored) return {};
  return corrupt("checksum must match the contents, got ", stored, ": it was changed");
}

Result<void> check_sums_length(std::uint64_t stored_bytes, std::uint64_t payload_bytes) {
  const std::uint64_t expected = payload_bytes + sums_bytes(payload_bytes);
  if (stored_bytes == expected) return {};
  return corrupt("stored payload with sums must have ", expected, " bytes, got ", stored_bytes,
                 stored_bytes < expected ? ": it is truncated" : "");
}

Result<void> check_sums(std::span<const std::byte> header, std::span<const std::byte> stored,
                        std::uint64_t payload_bytes) {
  if (auto valid = check_sums_length(stored.size(), payload_bytes); !valid) return valid;
  const PayloadWithSums sums(stored.data(), payload_bytes);
  if (auto valid = sums.check_header(header); !valid) return valid;
  for (std::uint64_t segment = 0; segment < sums.segments(); ++segment) {
    if (auto valid = sums.check_segment(segment); !valid) return valid;
  }
  return sums.check_total(header);
}

}  // namespace crivo

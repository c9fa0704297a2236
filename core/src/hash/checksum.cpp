#include "hash/checksum.h"

#include "hash/xxh3_inline.h"

namespace crivo {

std::uint64_t header_checksum(std::span<const std::byte> header) noexcept {
  return XXH3_64bits(header.data(), header.size());
}

std::uint64_t segment_checksum(std::uint64_t number, std::span<const std::byte> segment) noexcept {
  return XXH3_64bits_withSeed(segment.data(), segment.size(), number + 1);
}

std::uint64_t checksum(std::span<const std::byte> header, std::span<const std::byte> payload) noexcept {
  std::uint64_t sum = header_checksum(header);
  for (std::uint64_t number = 0; !payload.empty(); ++number) {
    const std::size_t size = payload.size() < kChecksumSegmentBytes ? payload.size() : kChecksumSegmentBytes;
    sum += segment_checksum(number, payload.first(size));
    payload = payload.subspan(size);
  }
  return sum;
}

}  // namespace crivo

#include "hash/checksum.h"

#include "hash/xxh3_inline.h"

namespace crivo {

std::uint64_t checksum(std::span<const std::byte> header, std::span<const std::byte> payload) noexcept {
  std::uint64_t sum = XXH3_64bits(header.data(), header.size());
  for (std::uint64_t chunk = 1; !payload.empty(); ++chunk) {
    const std::size_t size = payload.size() < kChecksumChunkBytes ? payload.size() : kChecksumChunkBytes;
    sum += XXH3_64bits_withSeed(payload.data(), size, chunk);
    payload = payload.subspan(size);
  }
  return sum;
}

}  // namespace crivo

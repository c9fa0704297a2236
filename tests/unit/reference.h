// A second implementation of the filters of docs/format.md, "Kinds": slow, obvious, and written only from that page. A
// vector<bool> has the bits of the whole payload, and is converted to bytes at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace crivo::reference {

using Bits = std::vector<bool>;

inline std::uint64_t mulhi(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
}

constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15;

/// The bit positions of a key in a classic filter of m bits.
inline std::vector<std::uint64_t> classic_positions(std::uint64_t h, unsigned k, std::uint64_t m) {
  std::vector<std::uint64_t> positions;
  for (unsigned i = 0; i < k; ++i, h *= 0xF1357AEA2E62A9C5) positions.push_back(mulhi(h, m));
  return positions;
}

/// The bit positions of a key in a blocked filter of B blocks, from the start of the payload.
inline std::vector<std::uint64_t> blocked_positions(std::uint64_t h, unsigned k, std::uint64_t blocks) {
  constexpr std::uint32_t kM[8] = {0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D,
                                   0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31};
  const std::uint64_t block = mulhi(h, blocks);
  const auto lower = static_cast<std::uint32_t>(h & 0xFFFFFFFF);
  const auto upper = static_cast<std::uint32_t>(h * kMultiplier >> 32);
  std::vector<std::uint64_t> positions;
  for (unsigned i = 0; i < k; ++i) {
    const std::uint32_t s = i < 8 ? lower : upper;
    positions.push_back(block * 512 + (static_cast<std::uint32_t>(s * kM[i % 8]) >> 23));
  }
  return positions;
}

/// Bit i is bit i mod 8, from the least significant, of byte i div 8.
inline std::vector<std::byte> to_bytes(const Bits& bits) {
  std::vector<std::byte> bytes((bits.size() + 7) / 8);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) bytes[i / 8] |= static_cast<std::byte>(1U << (i % 8));
  }
  return bytes;
}

}  // namespace crivo::reference

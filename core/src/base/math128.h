// The upper half of a 64 x 64 bit product: maps a hash evenly onto [0, n) for any 64-bit n.
#pragma once

#include <cstdint>

namespace crivo {

[[nodiscard]] inline std::uint64_t mulhi(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64);
}

/// Both halves of the product, XORed.
[[nodiscard]] inline std::uint64_t mul_fold(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Odd, the golden ratio times 2^64: what a hash is multiplied by to get a second one from it.
inline constexpr std::uint64_t kGolden64 = 0x9E3779B97F4A7C15;

}  // namespace crivo

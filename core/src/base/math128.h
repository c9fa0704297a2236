// 128-bit products of 64-bit numbers. mulhi(hash, n), the upper half, maps hashes evenly to [0, n) for any 64-bit n,
// without a division (Lemire 2019, "Fast random integer generation in an interval").
#pragma once

#include <cstdint>

namespace crivo {

[[nodiscard]] inline std::uint64_t mulhi(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(a) * b) >> 64);
}

/// The lowest hash with mulhi(hash, n) >= value. value must be below n.
[[nodiscard]] inline std::uint64_t least_with_mulhi(std::uint64_t value, std::uint64_t n) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(((static_cast<Wide>(value) << 64) + (n - 1)) / n);
}

/// The XOR of both halves of the product.
[[nodiscard]] inline std::uint64_t mul_fold(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// An odd number close to 2^64 divided by the golden ratio. Multiplying a hash by this odd number gives a second hash.
/// Distinct hashes stay distinct, because the number is odd.
inline constexpr std::uint64_t kGolden64 = 0x9E3779B97F4A7C15;

}  // namespace crivo

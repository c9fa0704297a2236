// SplitMix64 (Steele, Lea & Flood 2014): hashes without duplicates.
#pragma once

#include <cstdint>

namespace crivo::testing {

/// The finalizer of SplitMix64, a bijection of 64-bit numbers.
[[nodiscard]] constexpr std::uint64_t mix_bits(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}
/// Output i of SplitMix64: no two are equal.
[[nodiscard]] constexpr std::uint64_t distinct_hash(std::uint64_t i) noexcept {
  return mix_bits(i * 0x9E3779B97F4A7C15);
}

}  // namespace crivo::testing

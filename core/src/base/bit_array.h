// Whole-payload operations on arrays of bits. Sizes are multiples of 8 bytes; the word order does not matter to any of
// them.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"

namespace crivo {

[[nodiscard]] inline std::uint64_t count_bits(std::span<const std::byte> bytes) noexcept {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    count += static_cast<std::uint64_t>(std::popcount(load_le<std::uint64_t>(bytes.data() + i)));
  }
  return count;
}

inline void or_into(std::span<std::byte> into, const std::byte* other) noexcept {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] |= other[i];
}

inline void and_into(std::span<std::byte> into, const std::byte* other) noexcept {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] &= other[i];
}

}  // namespace crivo

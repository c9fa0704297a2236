// Whole-payload operations on arrays of bits.
#pragma once

#include <cstddef>
#include <span>

namespace crivo {

inline void or_into(std::span<std::byte> into, const std::byte* other) noexcept {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] |= other[i];
}

inline void and_into(std::span<std::byte> into, const std::byte* other) noexcept {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] &= other[i];
}

}  // namespace crivo

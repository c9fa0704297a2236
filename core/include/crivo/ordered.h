// Keys as ordered numbers: how integers and texts become the numbers that a range filter holds and is asked for.
//
// A range filter (Kind::kRange) knows a key by a number of 64 bits, and the order of the numbers is the order of the
// keys. An unsigned integer can be such a number itself, but then every key of the filter must be one: integers, signed
// ones and texts have numbers of their own, and a key of one sort is not found as one of another.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "crivo/cxx20.h"

namespace crivo {

/// A signed integer, in its order: value + 2^63. An unsigned one must become an std::int64_t first, or does not
/// compile.
template <std::signed_integral Integer>
[[nodiscard]] constexpr std::uint64_t ordered(Integer value) noexcept {
  return static_cast<std::uint64_t>(std::int64_t{value}) ^ std::uint64_t{1} << 63;
}

/// Bytes, in the order of std::memcmp: the first eight as a big-endian number, with zeros behind a shorter key. Keys
/// that agree in these eight bytes have one number. The keys that start with a prefix of up to eight bytes lie from
/// ordered(prefix) to last_ordered(prefix).
[[nodiscard]] inline std::uint64_t ordered(std::string_view key) noexcept {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) {
    number = number << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0U);
  }
  return number;
}

/// The highest number of the keys that start with this prefix.
[[nodiscard]] inline std::uint64_t last_ordered(std::string_view prefix) noexcept {
  const std::size_t bits = 8 * (prefix.size() < 8 ? prefix.size() : 8);
  return ordered(prefix) | (bits == 64 ? 0 : ~std::uint64_t{0} >> bits);
}

}  // namespace crivo

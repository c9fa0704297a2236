// Keys as ordered numbers, for range filters (Kind::kRange).
//
// A range filter identifies a key by a 64-bit number. The order of the numbers is the order of the keys. Unsigned
// integers are their own numbers: pass them to the functions that take a hash. ordered() converts signed integers and
// byte strings. Use one type per filter: a signed 5, an unsigned 5 and the text "5" have different numbers.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "crivo/cxx20.h"

namespace crivo {

/// A signed integer: value + 2^63. An unsigned integer does not compile: it is its own number.
template <std::signed_integral Integer>
[[nodiscard]] constexpr std::uint64_t ordered(Integer value) noexcept {
  return static_cast<std::uint64_t>(std::int64_t{value}) ^ std::uint64_t{1} << 63;
}

/// A byte string, in the order of std::memcmp: its first eight bytes as a big-endian number, padded with zeros. Keys
/// with the same first eight bytes have the same number. The keys that start with a prefix have numbers from
/// ordered(prefix) to last_ordered(prefix).
[[nodiscard]] inline std::uint64_t ordered(std::string_view key) noexcept {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) {
    number = number << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0U);
  }
  return number;
}

/// The highest number of a key that starts with this prefix.
[[nodiscard]] inline std::uint64_t last_ordered(std::string_view prefix) noexcept {
  const std::size_t bits = 8 * (prefix.size() < 8 ? prefix.size() : 8);
  return ordered(prefix) | (bits == 64 ? 0 : ~std::uint64_t{0} >> bits);
}

}  // namespace crivo

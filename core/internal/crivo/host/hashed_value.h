// The record of a build for each key: a 64-bit hash or, for a map, a hash with a value. Records are sorted by hash.
#pragma once

#include <compare>
#include <cstdint>

namespace crivo {

/// A pair of a map.
struct HashedValue {
  std::uint64_t hash;
  std::uint64_t value;
  friend auto operator<=>(const HashedValue&, const HashedValue&) = default;
};

[[nodiscard]] constexpr std::uint64_t hash_of(std::uint64_t hash) noexcept { return hash; }
[[nodiscard]] constexpr std::uint64_t hash_of(const HashedValue& key) noexcept { return key.hash; }

}  // namespace crivo

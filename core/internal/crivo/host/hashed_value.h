// The records of a build, one per key: a 64-bit hash or, for maps and exact filters, a hash with a value. Records are
// sorted by hash.
#pragma once

#include <compare>
#include <cstdint>

namespace crivo {

/// The hash of a key, with the key's value.
struct HashedValue {
  std::uint64_t hash;
  std::uint64_t value;
  friend auto operator<=>(const HashedValue&, const HashedValue&) = default;
};

[[nodiscard]] constexpr std::uint64_t hash_of(std::uint64_t hash) noexcept { return hash; }
[[nodiscard]] constexpr std::uint64_t hash_of(const HashedValue& key) noexcept { return key.hash; }

}  // namespace crivo

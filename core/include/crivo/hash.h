// The 64-bit hash of a key. Filters identify a key only by its hash.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "crivo/ordered.h"

namespace crivo {

/// The hash functions. Values are part of the format and are never reused.
enum class HashId : std::uint8_t {
  kXxh3_64 = 1,  // XXH3, 64 bits, with a 64-bit seed (xxHash specification 0.8)
  kOrdered = 2,  // the first eight bytes of the key as a number (crivo/ordered.h); ignores the seed
};

/// XXH3-64 of the key's bytes. A key may have any length and any bytes, NUL included. Hashes never change between
/// versions; tests check golden values.
[[nodiscard]] std::uint64_t hash_key(std::string_view key, std::uint64_t seed) noexcept;

/// The hash of a key under the given hash function, such as a filter's Shape::hash_id.
[[nodiscard]] inline std::uint64_t hash_key(HashId id, std::string_view key, std::uint64_t seed) noexcept {
  return id == HashId::kOrdered ? ordered(key) : hash_key(key, seed);
}

/// hash_key of each key. `hashes` must be at least as long as `keys`.
void hash_keys(HashId id, std::span<const std::string_view> keys, std::uint64_t seed,
               std::span<std::uint64_t> hashes) noexcept;
void hash_keys(std::span<const std::string_view> keys, std::uint64_t seed, std::span<std::uint64_t> hashes) noexcept;

}  // namespace crivo

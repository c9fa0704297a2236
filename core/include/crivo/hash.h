// Turns a key's bytes into the 64-bit hash by which every filter knows it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "crivo/ordered.h"

namespace crivo {

/// The hash functions a stored filter can name. Values are part of the format and are never reused.
enum class HashId : std::uint8_t {
  kXxh3_64 = 1,  // XXH3, 64 bits, with a 64-bit seed (xxHash specification 0.8)
  kOrdered = 2,  // the key as a number, in the order of the keys (crivo/ordered.h), whatever the seed
};

/// XXH3-64 of the key's bytes under the seed. A key may have any length and any bytes, NUL included. The hash of a key
/// never changes from version to version: golden values are tested.
[[nodiscard]] std::uint64_t hash_key(std::string_view key, std::uint64_t seed) noexcept;

/// The hash of a key under a hash function: what a filter whose Shape::hash_id is this one expects.
[[nodiscard]] inline std::uint64_t hash_key(HashId id, std::string_view key, std::uint64_t seed) noexcept {
  return id == HashId::kOrdered ? ordered(key) : hash_key(key, seed);
}

/// hash_key of each key; `hashes` must be at least as long as `keys`.
void hash_keys(HashId id, std::span<const std::string_view> keys, std::uint64_t seed,
               std::span<std::uint64_t> hashes) noexcept;
/// The same with XXH3-64.
void hash_keys(std::span<const std::string_view> keys, std::uint64_t seed, std::span<std::uint64_t> hashes) noexcept;

}  // namespace crivo

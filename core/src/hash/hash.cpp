#include "crivo/hash.h"

#include <cassert>

#include "hash/xxh3_inline.h"

namespace crivo {

std::uint64_t hash_key(std::string_view key, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(key.data(), key.size(), seed);
}

void hash_keys(std::span<const std::string_view> keys, std::uint64_t seed, std::span<std::uint64_t> hashes) noexcept {
  assert(hashes.size() >= keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    hashes[i] = keys[i].size() <= kShortKey ? hash_short_key(keys[i], seed) : hash_key(keys[i], seed);
  }
}

void hash_keys(HashId id, std::span<const std::string_view> keys, std::uint64_t seed,
               std::span<std::uint64_t> hashes) noexcept {
  if (id == HashId::kXxh3_64) return hash_keys(keys, seed, hashes);
  assert(hashes.size() >= keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) hashes[i] = hash_key(id, keys[i], seed);
}

}  // namespace crivo

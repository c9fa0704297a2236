#include "hash/hash_pair.h"

#include "hash/xxh3_inline.h"

namespace crivo {

HashPair hash_pair(std::string_view key, std::uint64_t seed) noexcept {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(key.data(), key.size(), seed);
  return {hash.low64, hash.high64};
}

}  // namespace crivo

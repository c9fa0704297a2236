// XXH3 inlined, where a call for each key would cost as much as the filter does: in questions by key. The only place
// that includes libxxhash's header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace crivo {

/// The longest key, in bytes, that XXH3 hashes in a few instructions.
inline constexpr std::size_t kShortKey = 16;

/// hash_key, inlined, of a short key.
[[nodiscard]] inline std::uint64_t hash_short_key(std::string_view key, std::uint64_t seed) noexcept {
  if (key.size() > kShortKey) __builtin_unreachable();
  return XXH3_64bits_withSeed(key.data(), key.size(), seed);
}

}  // namespace crivo

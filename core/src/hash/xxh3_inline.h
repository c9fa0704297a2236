// XXH3, inlined. Where a query names a key, a call of the hash function would cost as much as the filter itself does.
// This is the only place that includes libxxhash's header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace crivo {

/// The longest key, in bytes, that XXH3 hashes in a few instructions.
inline constexpr std::size_t kShortKey = 16;

/// hash_key, inlined, for a key of at most kShortKey bytes.
[[nodiscard]] inline std::uint64_t hash_short_key(std::string_view key, std::uint64_t seed) noexcept {
  if (key.size() > kShortKey) __builtin_unreachable();
  return XXH3_64bits_withSeed(key.data(), key.size(), seed);
}

}  // namespace crivo

// XXH3, inlined, because calling the hash function would cost as much as the filter query. This is the only file of the
// core that includes libxxhash's header. If Crivo is compiled into RocksDB, this file includes RocksDB's copy, which
// computes the same hashes but cannot be inlined (it rejects XXH_INLINE_ALL).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#ifdef CRIVO_IN_ROCKSDB
#include "util/xxhash.h"
#else
#define XXH_INLINE_ALL
#include <xxhash.h>
#endif

namespace crivo {

/// The longest key, in bytes, that XXH3 hashes in a few instructions.
inline constexpr std::size_t kShortKey = 16;

/// hash_key, inlined, for a key of at most kShortKey bytes.
[[nodiscard]] inline std::uint64_t hash_short_key(std::string_view key, std::uint64_t seed) noexcept {
  if (key.size() > kShortKey) __builtin_unreachable();
  return XXH3_64bits_withSeed(key.data(), key.size(), seed);
}

}  // namespace crivo

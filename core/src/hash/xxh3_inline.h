// XXH3, inlined. Where a query names a key, a call of the hash function would cost as much as the filter itself does.
// In core this is the only place that includes libxxhash's header, or RocksDB's copy of it where Crivo is compiled into
// RocksDB: that copy cannot be inlined (its header rejects XXH_INLINE_ALL), but it is there, and it computes the same
// hashes.
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

// Queries by key: each computes the key's hash, inlined for short keys, and calls a function that takes a hash.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "crivo/detail/view.h"
#include "crivo/hash.h"
#include "hash/xxh3_inline.h"

namespace crivo {

/// probe_key() for long keys. Not inlined: the hash call needs a stack frame, which short keys avoid.
template <auto kProbe, class... Out>
[[gnu::noinline]] bool probe_long_key(const View& view, std::string_view key, Out&... out) noexcept {
  return kProbe(view, hash_key(key, view.shape.seed), out...);
}
/// A Probe::contains_key, or a Probe::find_key that writes the value to `out`, made from the function for a hash.
template <auto kProbe, class... Out>
bool probe_key(const View& view, std::string_view key, Out&... out) noexcept {
  if (key.size() > kShortKey) return probe_long_key<kProbe>(view, key, out...);
  return kProbe(view, hash_short_key(key, view.shape.seed), out...);
}

/// The hash of an element of a batch, which is a hash or a key.
inline std::uint64_t hash_of(std::uint64_t hash, std::uint64_t) noexcept { return hash; }
inline std::uint64_t hash_of(std::string_view key, std::uint64_t seed) noexcept {
  return key.size() <= kShortKey ? hash_short_key(key, seed) : hash_key(key, seed);
}

/// A Probe::contains_keys, made from the function for a batch of hashes.
template <void (*kContainsBatch)(const View&, const std::uint64_t*, std::size_t, bool*) noexcept>
void contains_keys(const View& view, const std::string_view* keys, std::size_t count, bool* hits) noexcept {
  constexpr std::size_t kAtOnce = 256;  // several batches of a kernel, so that their reads overlap
  std::uint64_t hashes[kAtOnce];
  for (std::size_t from = 0; from < count; from += kAtOnce) {
    const std::size_t size = std::min(kAtOnce, count - from);
    for (std::size_t i = 0; i < size; ++i) hashes[i] = hash_of(keys[from + i], view.shape.seed);
    kContainsBatch(view, hashes, size, hits + from);
  }
}

/// A Probe, made from the two functions for hashes.
template <bool (*kContains)(const View&, std::uint64_t) noexcept,
          void (*kContainsBatch)(const View&, const std::uint64_t*, std::size_t, bool*) noexcept>
constexpr Probe kProbeOf = {kContains, &probe_key<kContains>, kContainsBatch, &contains_keys<kContainsBatch>};

/// The same for a kind whose keys have values.
template <bool (*kContains)(const View&, std::uint64_t) noexcept,
          void (*kContainsBatch)(const View&, const std::uint64_t*, std::size_t, bool*) noexcept,
          bool (*kFind)(const View&, std::uint64_t, std::uint64_t&) noexcept,
          void (*kFindBatch)(const View&, const std::uint64_t*, std::size_t, std::uint64_t*, bool*) noexcept>
constexpr Probe kFindProbeOf = {.contains = kContains,
                                .contains_key = &probe_key<kContains>,
                                .contains_batch = kContainsBatch,
                                .contains_keys = &contains_keys<kContainsBatch>,
                                .find = kFind,
                                .find_key = &probe_key<kFind, std::uint64_t>,
                                .find_batch = kFindBatch};

}  // namespace crivo

// Queries by key: each computes the key's hash, inlined, and then calls a function that takes a hash.
#pragma once

#include <cstdint>
#include <string_view>

#include "crivo/hash.h"
#include "crivo/types.h"
#include "hash/xxh3_inline.h"

namespace crivo {

/// The part of contains_key for long keys. Their hash takes a call, and a call that is not the function's last makes
/// the compiler set up a stack frame; here, and not inlined, it does so for long keys only.
template <bool (*kContains)(const View&, std::uint64_t) noexcept>
[[gnu::noinline]] bool contains_long_key(const View& view, std::string_view key) noexcept {
  return kContains(view, hash_key(key, view.shape.seed));
}
/// A Probe::contains_key, made from the function that answers for a hash.
template <bool (*kContains)(const View&, std::uint64_t) noexcept>
bool contains_key(const View& view, std::string_view key) noexcept {
  if (key.size() > kShortKey) return contains_long_key<kContains>(view, key);
  return kContains(view, hash_short_key(key, view.shape.seed));
}

}  // namespace crivo

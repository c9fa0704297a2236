// Asking by key: the key's hash, inlined, and then a function that is asked with a hash.
#pragma once

#include <cstdint>
#include <string_view>

#include "crivo/hash.h"
#include "crivo/types.h"
#include "hash/xxh3_inline.h"

namespace crivo {

/// Probe::contains_key of a function that is asked with a hash. A long key's hash is a call, and a call that is not the
/// last would cost the short keys a stack frame.
template <bool (*kContains)(const View&, std::uint64_t) noexcept>
[[gnu::noinline]] bool contains_long_key(const View& view, std::string_view key) noexcept {
  return kContains(view, hash_key(key, view.shape.seed));
}
template <bool (*kContains)(const View&, std::uint64_t) noexcept>
bool contains_key(const View& view, std::string_view key) noexcept {
  if (key.size() > kShortKey) return contains_long_key<kContains>(view, key);
  return kContains(view, hash_short_key(key, view.shape.seed));
}

}  // namespace crivo

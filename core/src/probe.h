// How one filter is asked: chosen once per filter, by its kind, its shape and the machine, not per key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "crivo/filter.h"
#include "hash_inline.h"

namespace crivo {

struct Probe {
  bool (*contains)(const View&, std::uint64_t hash) noexcept;
  /// The same with the key's hash, without a call in between.
  bool (*contains_key)(const View&, std::string_view key) noexcept;
  void (*contains_batch)(const View&, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept;
};

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

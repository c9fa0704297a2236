// From a key's bytes to the 64-bit hash that every filter is asked with.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "crivo/cxx20.h"

namespace crivo {

/// The hash functions a stored filter can name. Values are part of the format and are never reused.
enum class HashId : std::uint8_t {
  kXxh3_64 = 1,  // XXH3, 64 bits, with a 64-bit seed (xxHash specification 0.8)
};

/// XXH3-64 of the key's bytes under the seed. Any length, any bytes, NUL included. Stable for ever: golden values are
/// tested.
[[nodiscard]] std::uint64_t hash_key(std::string_view key, std::uint64_t seed) noexcept;

/// hash_key of each key; `hashes` must be at least as long as `keys`.
void hash_keys(std::span<const std::string_view> keys, std::uint64_t seed, std::span<std::uint64_t> hashes) noexcept;

/// Sorts hashes in place and drops repeated ones; returns what is left, at the front of the span. AnyFilter::build
/// takes a set in this order without a copy of it. Needs at most 512 KiB of memory; throws std::bad_alloc.
[[nodiscard]] std::span<std::uint64_t> sort_distinct(std::span<std::uint64_t> hashes);

}  // namespace crivo

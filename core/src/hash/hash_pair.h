// Two independent 64-bit hashes of one key.
#pragma once

#include <cstdint>
#include <string_view>

namespace crivo {

struct HashPair {
  std::uint64_t low;
  std::uint64_t high;
};

/// The halves of XXH3-128 of the key's bytes under the seed.
[[nodiscard]] HashPair hash_pair(std::string_view key, std::uint64_t seed) noexcept;

}  // namespace crivo

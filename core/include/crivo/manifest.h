// The manifest of a sharded filter: it names the file of each shard. docs/format.md, "Shards".
#pragma once

#include <cstdint>
#include <vector>

#include "crivo/types.h"

namespace crivo {

inline constexpr std::uint32_t kMaxShards = 65536;

/// The shard that has a key of this hash, of so many shards, which are a power of two.
[[nodiscard]] std::uint32_t shard_of(std::uint64_t key_hash, std::uint32_t shards) noexcept;

/// A shard's file, as a manifest names it.
struct Shard {
  std::uint64_t checksum = 0;  // of its header
  std::uint64_t bytes = 0;     // of the file
  Facts facts;
};

struct Manifest {
  std::uint64_t seed = 0;  // of all shards
  std::vector<Shard> shards;

  /// What the filter states as a whole: all keys, the capacity of all, and the largest rate.
  [[nodiscard]] Facts facts() const noexcept;
  /// The bytes of all shards' files.
  [[nodiscard]] std::uint64_t bytes() const noexcept;
};

}  // namespace crivo

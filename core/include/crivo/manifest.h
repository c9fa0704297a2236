// The manifest of a sharded filter: the small file that names the file of each shard. docs/format.md, "Shards".
//
// The manifest alone says which shard can have a key. So whoever has it, but not the shards, fetches one file for a
// question, and opens that file as any filter:
//
//   const auto manifest = Manifest::parse(fetch("big.crivo"));
//   const std::string name = manifest->file_name(manifest->shard_of(key));
//   const auto shard = parse_blob(fetch("big.crivo.shards/" + name));
//   const bool maybe = shard->ref().may_contain(key);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

inline constexpr std::uint32_t kMaxShards = 65536;

/// The shard that has a key of this hash. `shards` must be a power of two, at most kMaxShards.
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

  /// Errors: kCorrupt naming the field.
  [[nodiscard]] static Result<Manifest> parse(std::span<const std::byte> blob);
  /// Whether bytes, kBlobHeaderBytes or more, begin as those of a manifest do.
  [[nodiscard]] static bool is_manifest(std::span<const std::byte> blob) noexcept;

  /// The number of the one shard that can have the key.
  [[nodiscard]] std::uint32_t shard_of(std::string_view key) const noexcept;
  /// The name of a shard's file in the folder that has the manifest's name and ".shards".
  [[nodiscard]] std::string file_name(std::uint32_t number) const;

  /// What the filter states as a whole: all keys, the capacity of all, and the largest rate.
  [[nodiscard]] Facts facts() const noexcept;
  /// The bytes of all shards' files.
  [[nodiscard]] std::uint64_t bytes() const noexcept;
};

}  // namespace crivo

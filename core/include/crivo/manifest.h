// The manifest of a sharded filter: a small file that names the file of each shard (docs/format.md, "Shards").
//
// The manifest alone determines the shard of a key. A program without the shards can therefore fetch one file per
// query, and open it as an ordinary filter:
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

/// The number of the shard for a key with this hash. `shards` must be a power of two, at most kMaxShards.
[[nodiscard]] std::uint32_t shard_of(std::uint64_t key_hash, std::uint32_t shards) noexcept;

/// What the manifest says about a shard's file.
struct Shard {
  std::uint64_t checksum = 0;  // the checksum in the file's header
  std::uint64_t bytes = 0;     // the file's size
  Facts facts;
};

struct Manifest {
  std::uint64_t seed = 0;  // the seed of all shards
  std::vector<Shard> shards;

  /// Errors: kCorrupt naming the field.
  [[nodiscard]] static Result<Manifest> parse(std::span<const std::byte> blob);
  /// Whether a blob begins like a manifest. False for fewer than kBlobHeaderBytes bytes.
  [[nodiscard]] static bool is_manifest(std::span<const std::byte> blob) noexcept;

  /// The number of the only shard that can contain the key.
  [[nodiscard]] std::uint32_t shard_of(std::string_view key) const noexcept;
  /// The name of a shard's file in the folder "<manifest>.shards".
  [[nodiscard]] std::string file_name(std::uint32_t number) const;

  /// The facts of all shards: the sum of keys, the sum of capacities (at most kMaxCapacity), and the largest rate.
  [[nodiscard]] Facts facts() const noexcept;
  /// The total size of the shards' files.
  [[nodiscard]] std::uint64_t bytes() const noexcept;
};

}  // namespace crivo

// The bytes of a manifest, and what those who ask the shards have in common: docs/format.md, "Shards".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/kinds.h"
#include "crivo/manifest.h"
#include "crivo/result.h"

namespace crivo {

inline constexpr std::size_t kShardBytes = 40;  // of the manifest
/// What follows the manifest's name in that of the folder with the shards.
inline constexpr std::string_view kShardsFolder = ".shards";
/// What a sharded filter has in place of a kind.
inline constexpr KindInfo kKindOfSharded{
    .kind = Kind::kSharded, .name = "sharded", .option = {}, .alias = {}, .can = {}};

/// A power of two, at most kMaxShards.
[[nodiscard]] bool is_number_of_shards(std::uint64_t shards) noexcept;
[[nodiscard]] std::vector<std::byte> manifest_blob(const Manifest& manifest);
/// Whether bytes begin as those of a manifest do.
[[nodiscard]] bool is_manifest(std::span<const std::byte> blob) noexcept;
/// Errors: kCorrupt naming the field.
[[nodiscard]] Result<Manifest> parse_manifest(std::span<const std::byte> blob);
/// What a sharded filter has in place of a filter's shape.
[[nodiscard]] Shape shape_of_shards(const Manifest& manifest) noexcept;
/// The name of a shard's file in the folder of the shards.
[[nodiscard]] std::string name_of_shard(std::uint32_t number, std::uint64_t checksum);

/// A kind whose keys lie in shards has no order, no values and no time. Errors: kUnsupported.
[[nodiscard]] Result<void> check_kind_of_shards(const KindInfo& kind);
/// Whether an opened filter is the shard that its manifest names. Errors: kCorrupt; kUnsupported.
[[nodiscard]] Result<void> check_shard(const Manifest& manifest, std::uint32_t number, const Shape& shape,
                                       const KindInfo& kind, std::uint64_t bytes, std::uint64_t checksum);
/// The error of a shard as one of the filter, which names the shard: kTooLarge, or else kCorrupt.
[[nodiscard]] Error in_shard(const Error& error, const std::string& manifest_path, std::uint32_t number);

/// Hashes sorted by their shard, so that the questions of each can be asked together.
class HashesByShard {
 public:
  HashesByShard(std::span<const std::uint64_t> hashes, std::uint32_t shards);
  /// The place of a shard's first hash in their order; that of the shard behind the last is their number.
  [[nodiscard]] std::size_t begin(std::uint32_t shard) const noexcept { return begins_[shard]; }
  [[nodiscard]] std::span<const std::uint64_t> of(std::uint32_t shard) const noexcept {
    return std::span(sorted_).subspan(begins_[shard], begins_[shard + std::size_t{1}] - begins_[shard]);
  }
  /// For each hash of all shards, in their order, its place among those that were given.
  [[nodiscard]] std::span<const std::size_t> places() const noexcept { return places_; }

 private:
  std::vector<std::size_t> begins_;
  std::vector<std::uint64_t> sorted_;
  std::vector<std::size_t> places_;
};

}  // namespace crivo

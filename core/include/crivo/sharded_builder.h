// Builds a sharded filter (sharded_filter.h) from keys that arrive once, in any order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "crivo/blob.h"
#include "crivo/build_options.h"
#include "crivo/manifest.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// The keys wait in one temporary file, 8 bytes per key, until finish() builds shard after shard.
class ShardedBuilder {
 public:
  /// `spec` is that of all shards together. Each is sized for its share of spec.capacity plus four standard deviations,
  /// or for its own distinct keys if spec.capacity is 0. options.max_memory bounds the build of one shard and the
  /// hashes that wait to be written. Errors: as FilterBuilder::create; kBadArgument unless `shards` is a power of two,
  /// at most kMaxShards; kUnsupported for a kind whose keys have an order, values or a time.
  [[nodiscard]] static Result<ShardedBuilder> create(const FilterSpec& spec, std::uint32_t shards,
                                                     const BuildOptions& options = {});
  ShardedBuilder(ShardedBuilder&&) noexcept;
  ShardedBuilder& operator=(ShardedBuilder&&) noexcept;
  ~ShardedBuilder();

  /// Errors: kSystem, after which the builder may only be destroyed.
  Result<void> add(std::string_view key);
  Result<void> add_hashes(std::span<const std::uint64_t> key_hashes);
  /// Keys added so far, duplicates included.
  [[nodiscard]] std::uint64_t keys() const noexcept;

  /// Builds the shards and replaces the filter at this path in one step. The builder may only be destroyed afterwards.
  /// Errors: as FilterBuilder::finish and write_shard. The old filter is then as it was.
  Result<Manifest> finish(const std::string& path, BlobForm form = BlobForm::kFile);

 private:
  class State;
  explicit ShardedBuilder(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace crivo

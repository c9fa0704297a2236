// Builds a sharded filter (sharded_filter.h) from keys that arrive in any order.
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

/// Stores the hashes of all keys, 8 bytes each, in buffers and one temporary file. finish() builds the shards in turn.
class ShardedBuilder {
 public:
  /// `spec` describes all shards together. Each shard is sized for its share of spec.capacity plus four standard
  /// deviations. If spec.capacity is 0, FilterBuilder sizes each shard. options.max_memory limits the build of one
  /// shard. In addition, the buffers of all shards together may use min(max_memory / 4, 64 MiB), but at least 512 bytes
  /// per shard. Errors: as FilterBuilder::create; kBadArgument unless `shards` is a power of two, at most kMaxShards;
  /// kUnsupported for a kind with ordered keys, values or a clock.
  [[nodiscard]] static Result<ShardedBuilder> create(const FilterSpec& spec, std::uint32_t shards,
                                                     const BuildOptions& options = {});
  ShardedBuilder(ShardedBuilder&&) noexcept;
  ShardedBuilder& operator=(ShardedBuilder&&) noexcept;
  ~ShardedBuilder();

  /// Errors: kSystem, after which the builder may only be destroyed.
  Result<void> add(std::string_view key);
  Result<void> add_hashes(std::span<const std::uint64_t> key_hashes);
  /// Keys added so far, with duplicates.
  [[nodiscard]] std::uint64_t keys() const noexcept;

  /// Builds the shards and replaces the filter at this path atomically. The builder may only be destroyed afterwards.
  /// Errors, with the old filter unchanged: as FilterBuilder::finish, ShardsLock::acquire and write_shard.
  Result<Manifest> finish(const std::string& path, BlobForm form = BlobForm::kFile);

 private:
  class State;
  explicit ShardedBuilder(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

}  // namespace crivo

// A sharded filter: a manifest, which is a small file, and a file for each shard beside it.
//
// A filter that is larger than a machine's memory, or that many machines build, is cut by its keys: the hash of a key
// tells the one shard that has it. Each shard is a filter of its own, of any kind that answers for keys, in any form.
// It can be built, asked, verified and replaced without the others. MappedFilter::open opens a manifest as it opens a
// filter; so do all hosts that open files. docs/format.md, "Shards".
//
// The shards of FILE lie in the folder FILE.shards, each under a name that has its number and its checksum. So a
// manifest names exactly these files, and whoever replaces a shard writes a new file first. At every moment, and
// whatever is killed, the manifest is the old one or the new one, with all of its shards.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/blob.h"
#include "crivo/build_options.h"
#include "crivo/filter.h"
#include "crivo/manifest.h"
#include "crivo/result.h"

namespace crivo {

class OwnedFd;  // an open file; core/internal/crivo/host/owned_fd.h

/// Errors: kSystem, with the path and the system's reason; kCorrupt naming the field.
[[nodiscard]] Result<Manifest> read_manifest(const std::string& path);
/// The path of a shard's file.
[[nodiscard]] std::string shard_path(const std::string& manifest_path, std::uint32_t number, const Shard& shard);

/// What those who write shards must hold, or one of them: there is one at a time, and the others wait. When it goes, so
/// do the files in the folder that the manifest does not name, such as those of a build that failed or was killed.
class ShardsLock {
 public:
  /// Makes the folder of the shards. Errors: kSystem; kBadArgument for a path that leads to what is no file.
  [[nodiscard]] static Result<ShardsLock> take(const std::string& manifest_path);
  ShardsLock(ShardsLock&& other) noexcept;
  ShardsLock& operator=(ShardsLock&& other) = delete;
  ~ShardsLock();

  /// Sees to it that the names of the files are on the disk.
  void sync() const noexcept;

 private:
  ShardsLock(std::string path, std::unique_ptr<OwnedFd> folder) noexcept;
  std::string path_;
  std::unique_ptr<OwnedFd> folder_;
};

/// Writes the file of a shard, from where the filter lies. Somebody must hold the lock until the manifest is written.
/// The filter must have all keys of this shard that the filter is to have; those of other shards in it are never asked
/// for. Errors: kUnsupported for a kind whose keys have an order, values or a time; kSystem.
[[nodiscard]] Result<Shard> write_shard(const FilterRef& filter, const std::string& manifest_path, std::uint32_t number,
                                        BlobForm form = BlobForm::kFile);
/// Replaces the manifest in one step by one of these shards, whose files were written. Errors: kBadArgument unless the
/// number of shards is a power of two, 1 to 65536; kSystem.
Result<void> write_manifest(const std::string& path, const Manifest& manifest, const ShardsLock& lock);
/// Verifies a shard, and that it is the one that the manifest names, and copies it. Errors: as MappedFilter::open, with
/// the shard's number; kTooLarge.
[[nodiscard]] Result<AnyFilter> read_shard(const std::string& manifest_path, const Manifest& manifest,
                                           std::uint32_t number, const ReadLimits& limits = {});
/// Replaces a shard of a filter in so many `shards` in one step. A reader that has the old file open goes on with it.
/// Errors: as read_manifest and write_shard; kBadArgument for a number that is no shard's; kIncompatible for a filter
/// of another seed, and where the manifest has another number of shards, as one that was replaced meanwhile.
Result<void> replace_shard(const std::string& manifest_path, std::uint32_t number, std::uint32_t shards,
                           const FilterRef& filter, BlobForm form = BlobForm::kFile);

/// Builds a sharded filter from keys that arrive once, in any order. They wait in a temporary file for each shard, 8
/// bytes for each key; then the shards are built one after the other.
class ShardedBuilder {
 public:
  /// The most shards that are built at once, each with a temporary file.
  static constexpr std::uint32_t kMostAtOnce = 512;

  /// `spec` is that of all shards together: each is sized for its share of spec.capacity, and for what the shares
  /// scatter; or for its own distinct keys if that is 0. options.max_memory is that of the build of a shard, and of
  /// what waits to be written. Errors: as FilterBuilder::create; kBadArgument unless `shards` is a power of two, at
  /// most kMostAtOnce; kUnsupported for a kind whose keys have an order, values or a time.
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

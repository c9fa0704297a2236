// Writes the shards and the manifest of a sharded filter. sharded_builder.h builds all of them from keys.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "crivo/blob.h"
#include "crivo/filter.h"
#include "crivo/manifest.h"
#include "crivo/result.h"

namespace crivo {

class OwnedFd;  // an open file; core/internal/crivo/host/owned_fd.h

/// A writer of shards must hold it, or one process on behalf of many writers. Others wait for it. When it is released,
/// it removes the files in the folder that the manifest does not name, such as those of a build that failed.
class ShardsLock {
 public:
  /// Makes the folder of the shards. Errors: kSystem; kBadArgument for a path that names what is no file.
  [[nodiscard]] static Result<ShardsLock> take(const std::string& manifest_path);
  ShardsLock(ShardsLock&& other) noexcept;
  ShardsLock& operator=(ShardsLock&& other) = delete;
  ~ShardsLock();

  /// Flushes the names of the files to the disk.
  void sync() const noexcept;

 private:
  ShardsLock(std::string path, std::unique_ptr<OwnedFd> folder) noexcept;
  std::string path_;
  std::unique_ptr<OwnedFd> folder_;
};

/// Writes the file of a shard. A process must hold the lock until the manifest is written. The filter must have all
/// keys of this shard; it is never asked for keys of others. Errors: kUnsupported for a kind whose keys have an order,
/// values or a time; kSystem.
[[nodiscard]] Result<Shard> write_shard(const FilterRef& filter, const std::string& manifest_path, std::uint32_t number,
                                        BlobForm form = BlobForm::kFile);
/// Replaces the manifest in one step. The shards' files must have been written. Errors: kBadArgument unless the number
/// of shards is a power of two, 1 to kMaxShards; kSystem.
Result<void> write_manifest(const std::string& path, const Manifest& manifest, const ShardsLock& lock);
/// Replaces a shard of a filter of `shards` shards in one step. A reader that has the old file open goes on with it.
/// Errors: as read_manifest and write_shard; kBadArgument unless number < shards; kIncompatible for a filter of another
/// seed, and for a manifest of another number of shards, as one that was replaced meanwhile.
Result<void> replace_shard(const std::string& manifest_path, std::uint32_t number, std::uint32_t shards,
                           const FilterRef& filter, BlobForm form = BlobForm::kFile);

}  // namespace crivo

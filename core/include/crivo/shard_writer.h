// Writes the shards and the manifest of a sharded filter one by one. sharded_builder.h builds all shards from keys.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "crivo/blob.h"
#include "crivo/filter.h"
#include "crivo/manifest.h"
#include "crivo/result.h"

namespace crivo {

class OwnedFd;  // core/internal/crivo/host/owned_fd.h

/// The lock that a writer of shards must hold. Other writers wait for the lock. The destructor removes shard files that
/// the manifest does not name, such as the files of a failed build.
class ShardsLock {
 public:
  /// Creates the folder of the shards and waits for the lock. Errors: kSystem; kBadArgument if the path names a folder,
  /// a pipe or a device.
  [[nodiscard]] static Result<ShardsLock> acquire(const std::string& manifest_path);
  ShardsLock(ShardsLock&& other) noexcept;
  ShardsLock& operator=(ShardsLock&& other) = delete;
  ~ShardsLock();

  /// Flushes the folder's entries to disk.
  void sync() const noexcept;

 private:
  ShardsLock(std::string path, std::unique_ptr<OwnedFd> folder) noexcept;
  std::string path_;
  std::unique_ptr<OwnedFd> folder_;
};

/// Writes the file of a shard. The caller must hold the lock until the manifest is written. The filter must contain all
/// keys of this shard. Errors: kUnsupported for a kind with ordered keys, values or a clock; kSystem.
[[nodiscard]] Result<Shard> write_shard(const FilterRef& filter, const std::string& manifest_path, std::uint32_t number,
                                        BlobForm form = BlobForm::kFile);
/// Replaces the manifest atomically. All shard files must exist. Errors: kBadArgument unless the number of shards is a
/// power of two from 1 to kMaxShards; kSystem.
Result<void> write_manifest(const std::string& path, const Manifest& manifest, const ShardsLock& lock);
/// Replaces shard `number` atomically; `shards` is the expected number of shards. Readers that have the old file open
/// continue to use it. Errors: as read_manifest and write_shard; kBadArgument unless number < shards; kIncompatible if
/// the manifest has another seed or another number of shards.
Result<void> replace_shard(const std::string& manifest_path, std::uint32_t number, std::uint32_t shards,
                           const FilterRef& filter, BlobForm form = BlobForm::kFile);

}  // namespace crivo

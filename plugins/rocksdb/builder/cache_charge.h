// The memory of a build, charged to the block cache where BlockBasedTableOptions::cache_usage_options asks for it
// (CacheEntryRole::kFilterConstruction): while a builder holds memory, so much less is left for blocks.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/table.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "crivo/rocksdb.h"

namespace crivo::plugin {

/// The cache to which filter construction is to be charged; null for none.
[[nodiscard]] std::shared_ptr<rocksdb::Cache> charged_cache(const rocksdb::BlockBasedTableOptions& table);

/// Takes room in a cache by entries without values, as RocksDB's own builders do. One thread at a time.
class CacheCharge {
 public:
  /// Without a cache, nothing is charged.
  explicit CacheCharge(std::shared_ptr<rocksdb::Cache> cache) noexcept : cache_(std::move(cache)) {}
  ~CacheCharge() { (void)set(0); }
  CacheCharge(const CacheCharge&) = delete;
  CacheCharge& operator=(const CacheCharge&) = delete;

  /// Charges this many bytes from now on, rounded up to entries of 256 KiB. Returns false if the cache has a strict
  /// limit and no room; then the charge is what there was room for.
  bool set(std::size_t bytes) noexcept;

 private:
  std::shared_ptr<rocksdb::Cache> cache_;
  std::vector<void*> entries_;  // handles, whose type another header has since 8.0
};

}  // namespace crivo::plugin

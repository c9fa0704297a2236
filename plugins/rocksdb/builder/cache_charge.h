// Charges the memory of a build to the block cache if BlockBasedTableOptions::cache_usage_options enables it
// (CacheEntryRole::kFilterConstruction). While a builder holds memory, the cache holds fewer blocks.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/table.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "crivo/rocksdb.h"

namespace crivo::plugin {

/// The cache to charge for filter construction; null for none.
[[nodiscard]] std::shared_ptr<rocksdb::Cache> charged_cache(const rocksdb::BlockBasedTableOptions& table);

/// Reserves space in a cache by entries that have no values, as RocksDB's own builders do. One thread at a time.
class CacheCharge {
 public:
  /// Without a cache, nothing is charged.
  explicit CacheCharge(std::shared_ptr<rocksdb::Cache> cache) noexcept : cache_(std::move(cache)) {}
  ~CacheCharge() { (void)set(0); }
  CacheCharge(const CacheCharge&) = delete;
  CacheCharge& operator=(const CacheCharge&) = delete;

  /// Sets the charge to this many bytes, rounded up to entries of 256 KiB. Returns false if the cache has a strict
  /// limit and is full. In that case, as much as fits is charged.
  bool set(std::size_t bytes) noexcept;

 private:
  std::shared_ptr<rocksdb::Cache> cache_;
  std::vector<void*> entries_;  // handles, whose type is in another header since 8.0
};

}  // namespace crivo::plugin

// Charges the memory of a build to the block cache if cache_usage_options enables kFilterConstruction (before RocksDB
// 7.3: if reserve_table_builder_memory is set). While a builder holds memory, the cache holds fewer blocks.
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

/// Reserves space in a cache by inserting entries without values, as RocksDB's own builders do. Not thread-safe.
class CacheCharge {
 public:
  /// Without a cache, nothing is charged.
  explicit CacheCharge(std::shared_ptr<rocksdb::Cache> cache) noexcept : cache_(std::move(cache)) {}
  ~CacheCharge() { (void)set(0); }
  CacheCharge(const CacheCharge&) = delete;
  CacheCharge& operator=(const CacheCharge&) = delete;

  /// Sets the charge to this many bytes, rounded up to entries of 256 KiB. Returns false if the cache has a strict
  /// limit and is full, or if it throws. In that case, only a part may be charged.
  bool set(std::size_t bytes) noexcept;

 private:
  std::shared_ptr<rocksdb::Cache> cache_;
  std::vector<void*> entries_;  // handles; since RocksDB 8.0, their type is in another header
};

}  // namespace crivo::plugin

#include "builder/cache_charge.h"

#include <array>
#include <cstdint>

#include "abi.h"

#if CRIVO_ROCKSDB_VERSION >= 800
#include <rocksdb/advanced_cache.h>
#elif CRIVO_ROCKSDB_VERSION >= 703
namespace ROCKSDB_NAMESPACE {
// From an internal header, cache/cache_entry_roles.h. Null if librocksdb does not export it; the cache's statistics
// then count Crivo's entries as kMisc.
__attribute__((weak)) void RegisterCacheDeleterRole(Cache::DeleterFn deleter, CacheEntryRole role);
}  // namespace ROCKSDB_NAMESPACE
#endif

namespace crivo::plugin {
namespace {

constexpr std::size_t kEntryBytes = std::size_t{256} << 10;

using Handle = rocksdb::Cache::Handle;

#if CRIVO_ROCKSDB_VERSION < 800
/// RocksDB derives an entry's role from its deleter.
void no_value(const rocksdb::Slice&, void*) {}

void register_role() {
#if CRIVO_ROCKSDB_VERSION >= 703
  if (&rocksdb::RegisterCacheDeleterRole != nullptr) {
    rocksdb::RegisterCacheDeleterRole(no_value, rocksdb::CacheEntryRole::kFilterConstruction);
  }
#endif
}
#endif

/// Null if the cache is full.
Handle* new_entry(rocksdb::Cache& cache) {
  // As in RocksDB's own charges, a key has 16 bytes, because some caches require this. The first half is 0, unlike in
  // the keys of blocks.
  const std::array<std::uint64_t, 2> key{0, cache.NewId()};
  const rocksdb::Slice slice(reinterpret_cast<const char*>(key.data()), sizeof key);
  Handle* entry = nullptr;
#if CRIVO_ROCKSDB_VERSION >= 800
  static const rocksdb::Cache::CacheItemHelper helper(rocksdb::CacheEntryRole::kFilterConstruction);
  const rocksdb::Status made = cache.Insert(slice, nullptr, &helper, kEntryBytes, &entry);
#else
  [[maybe_unused]] static const bool registered = (register_role(), true);
  const rocksdb::Status made = cache.Insert(slice, nullptr, kEntryBytes, no_value, &entry);
#endif
  return made.ok() ? entry : nullptr;
}

}  // namespace

std::shared_ptr<rocksdb::Cache> charged_cache(const rocksdb::BlockBasedTableOptions& table) {
#if CRIVO_ROCKSDB_VERSION >= 703
  const auto& usage = table.cache_usage_options;
  const auto found = usage.options_overrides.find(rocksdb::CacheEntryRole::kFilterConstruction);
  const auto charged = found != usage.options_overrides.end() ? found->second.charged : usage.options.charged;
  return charged == rocksdb::CacheEntryRoleOptions::Decision::kEnabled ? table.block_cache : nullptr;
#else
  return table.reserve_table_builder_memory ? table.block_cache : nullptr;
#endif
}

bool CacheCharge::set(std::size_t bytes) noexcept try {
  if (cache_ == nullptr) return true;
  const std::size_t wanted = bytes / kEntryBytes + (bytes % kEntryBytes != 0);
  for (; entries_.size() > wanted; entries_.pop_back()) {
    cache_->Release(static_cast<Handle*>(entries_.back()), /*erase_if_last_ref=*/true);
  }
  entries_.reserve(wanted);
  while (entries_.size() < wanted) {
    Handle* const entry = new_entry(*cache_);
    if (entry == nullptr) return false;
    entries_.push_back(entry);
  }
  return true;
} catch (...) {  // the program's own Cache implementation may throw
  return false;
}

}  // namespace crivo::plugin

// Whether a column family may have keys with a prefix.
//
// The memtables come first: a key that is flushed meanwhile is then found there, or in a file afterwards. RocksDB gives
// the properties of the files that lie around a range, from its table cache.
#pragma once

#include <rocksdb/db.h>

#include <span>
#include <string_view>
#include <vector>

namespace crivo::plugin {

/// See PrefixMayExist in crivo/rocksdb_scan.h. Throws std::bad_alloc.
[[nodiscard]] std::vector<bool> prefixes_may_exist(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                                                   std::span<const std::string_view> prefixes);

}  // namespace crivo::plugin

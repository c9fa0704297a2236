// Whether a column family may have keys with a prefix.
//
// Uses one iterator per prefix: it reads the memtables, and reaches each file that may overlap the prefix's range, in
// one snapshot. Its table_filter queries the file's filter and skips the file, so no file is read.
// (GetPropertiesOfTablesInRange is slower.)
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

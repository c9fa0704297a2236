// Whether a column family may have keys with a prefix.
//
// One iterator asks all: it reads the memtables, and comes to each file that may have the range, all of one moment. Its
// table_filter asks the file and leaves it out, so none is read. (GetPropertiesOfTablesInRange is dearer than that.)
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

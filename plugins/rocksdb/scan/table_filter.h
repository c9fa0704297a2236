// ReadOptions::table_filter is a function up to RocksDB 11.8, and a pointer to one afterwards.
#pragma once

#include <rocksdb/table_properties.h>

#include <functional>
#include <memory>
#include <type_traits>

namespace crivo::plugin {

using TableFilter = std::function<bool(const rocksdb::TableProperties&)>;

/// Sets the field of ReadOptions. If the field is a function, it keeps `owner` alive; if it is a pointer, the caller
/// must.
template <typename Field>
void set_table_filter(Field& field, const TableFilter& filter, const std::shared_ptr<const void>& owner = nullptr) {
  if constexpr (std::is_pointer_v<Field>) {
    field = &filter;
  } else {
    field = [owner, &filter](const rocksdb::TableProperties& file) { return filter(file); };
  }
}

}  // namespace crivo::plugin

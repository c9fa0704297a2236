// Writes the kind of an SST file's filter into the file's properties.
#pragma once

#include <rocksdb/table_properties.h>

#include "crivo/rocksdb.h"

namespace crivo {

/// See NewRocksDBFilterCollector in crivo/rocksdb.h.
class CollectorFactory final : public rocksdb::TablePropertiesCollectorFactory {
 public:
  static constexpr const char* kName = "crivo.FilterKind";

  const char* Name() const override { return kName; }
  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(Context context) override;
};

}  // namespace crivo

// Describes an SST file's filters in the file's properties.
#pragma once

#include <rocksdb/table_properties.h>

#include <string>
#include <utility>

#include "crivo/rocksdb.h"

namespace crivo::plugin {

/// Properties that the plugin itself reads (report/filter_tree.cpp).
inline constexpr const char* kBlocksProperty = "crivo.filter.blocks";
inline constexpr const char* kBytesProperty = "crivo.filter.bytes";
inline constexpr const char* kKeysProperty = "crivo.filter.keys";
inline constexpr const char* kLimitProperty = "crivo.filter.max_total_bytes";
inline constexpr const char* kTransformProperty = "crivo.filter.key_transform";

/// See NewRocksDBFilterCollectorFactory in crivo/rocksdb.h.
class CollectorFactory final : public rocksdb::TablePropertiesCollectorFactory {
 public:
  static constexpr const char* kName = "crivo.FilterKind";

  /// name: kName, or an unknown one from an OPTIONS file, which FilterPolicy::ValidateOptions rejects.
  explicit CollectorFactory(std::string name = kName) : name_(std::move(name)) {
    RegisterOptions(kName, &name_, nullptr);
  }

  const char* Name() const override { return name_.c_str(); }
  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(Context context) override;

 private:
  std::string name_;
};

}  // namespace crivo::plugin

// Writes the scan filters of an SST file into its properties.
#pragma once

#include <rocksdb/table_properties.h>

#include <string>
#include <unordered_map>

#include "crivo/rocksdb_scan.h"

namespace crivo::plugin {

/// See NewScanFilterCollectorFactory in crivo/rocksdb_scan.h. With ignore_unknown_options, an option string can make a
/// factory with wrong options or an unknown attribute. The files of such a factory have no scan filters; a property
/// states the reason.
class ScanCollectorFactory final : public rocksdb::TablePropertiesCollectorFactory {
 public:
  static constexpr const char* kName = "crivo.ScanFilter";

  explicit ScanCollectorFactory(const ScanFilterOptions& options = {});

  const char* Name() const override { return kName; }
  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(Context context) override;
  rocksdb::Status ConfigureOptions(const rocksdb::ConfigOptions& config,
                                   const std::unordered_map<std::string, std::string>& options,
                                   std::unordered_map<std::string, std::string>* unused) override;
  rocksdb::Status ValidateOptions(const rocksdb::DBOptions& db,
                                  const rocksdb::ColumnFamilyOptions& column_family) const override;

 private:
  ScanFilterOptions options_;
};

/// OK, or InvalidArgument, "crivo.ScanFilter: <field> must ..., got ...".
[[nodiscard]] rocksdb::Status check_scan_options(const ScanFilterOptions& options);

/// The property that stores ScanFilterOptions::comparator. The user guarantees that this comparator meets the option's
/// requirements.
inline constexpr const char* kScanComparator = "crivo.scan_comparator";

}  // namespace crivo::plugin

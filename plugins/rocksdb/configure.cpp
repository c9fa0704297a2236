// ConfigureRocksDB: policy, collector and listener in one call.
#include <rocksdb/table.h>

#include <algorithm>
#include <memory>

#include "crivo/rocksdb.h"
#include "policy.h"
#include "report/collector.h"
#include "report/counter_log.h"

namespace crivo {

rocksdb::Status ConfigureRocksDB(rocksdb::ColumnFamilyOptions& options, const RocksDBFilterOptions& filter) {
  const rocksdb::TableFactory* const factory = options.table_factory.get();
  const auto* const table = factory != nullptr ? factory->GetOptions<rocksdb::BlockBasedTableOptions>() : nullptr;
  if (table == nullptr) {
    const std::string got = factory != nullptr ? factory->Name() : "nothing";
    return rocksdb::Status::InvalidArgument("crivo: table_factory must be BlockBasedTable, got " + got);
  }
  const auto policy = std::make_shared<FilterPolicy>(filter);
  if (auto valid = policy->ValidateOptions(rocksdb::DBOptions(), options); !valid.ok()) return valid;

  rocksdb::BlockBasedTableOptions with_filter =
      *table;  // for a new factory, as other column families may share the old one
  with_filter.filter_policy = policy;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(with_filter));
  auto& collectors = options.table_properties_collector_factories;
  const bool installed = std::ranges::any_of(
      collectors, [](const auto& each) { return each != nullptr && each->IsInstanceOf(CollectorFactory::kName); });
  if (!installed) collectors.push_back(NewRocksDBFilterCollector());
  return rocksdb::Status::OK();
}

rocksdb::Status ConfigureRocksDB(rocksdb::Options& options, const RocksDBFilterOptions& filter) {
  rocksdb::ColumnFamilyOptions& column_family = options;
  if (auto set = ConfigureRocksDB(column_family, filter); !set.ok()) return set;
  const bool installed = std::ranges::any_of(options.listeners, [](const auto& each) {
    return each != nullptr && each->IsInstanceOf(CounterListener::kName);
  });
  if (!installed) options.listeners.push_back(NewRocksDBFilterListener());
  return rocksdb::Status::OK();
}

}  // namespace crivo

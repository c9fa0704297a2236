#include "crivo/rocksdb.h"

#include <rocksdb/db.h>
#include <rocksdb/table.h>

#include <memory>
#include <utility>

#include "options/key_transform.h"
#include "policy/policy.h"
#include "report/counter_listener.h"
#include "report/counters.h"
#include "report/filter_collector.h"
#include "report/open_databases.h"

namespace crivo {
rocksdb::Status RegisterKeyTransform(std::string_view name, KeyTransform transform) {
  return plugin::add_key_transform(name, std::move(transform));
}

std::shared_ptr<const rocksdb::FilterPolicy> NewRocksDBFilterPolicy(const RocksDBFilterOptions& options) {
  return std::make_shared<plugin::FilterPolicy>(options);
}

std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> NewRocksDBFilterCollectorFactory() {
  return std::make_shared<plugin::CollectorFactory>();
}

std::shared_ptr<rocksdb::EventListener> NewRocksDBFilterListener() {
  return std::make_shared<plugin::CounterListener>();
}

rocksdb::Status ConfigureRocksDB(rocksdb::ColumnFamilyOptions& options, const RocksDBFilterOptions& filter) {
  const auto* const table = plugin::table_of(options);
  if (table == nullptr) {
    const std::string got = options.table_factory != nullptr ? options.table_factory->Name() : "nothing";
    return rocksdb::Status::InvalidArgument("crivo: table_factory must be BlockBasedTable, got " + got);
  }
  const auto policy = std::make_shared<plugin::FilterPolicy>(filter);
  if (auto valid = policy->check(options); !valid.ok()) return valid;

  rocksdb::BlockBasedTableOptions with_filter = *table;  // a copy, because other column families may share the factory
  with_filter.filter_policy = policy;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(with_filter));
  auto& collectors = options.table_properties_collector_factories;
  if (!plugin::has<plugin::CollectorFactory>(collectors)) collectors.push_back(NewRocksDBFilterCollectorFactory());
  return rocksdb::Status::OK();
}

rocksdb::Status ConfigureRocksDB(rocksdb::Options& options, const RocksDBFilterOptions& filter) {
  rocksdb::ColumnFamilyOptions& column_family = options;
  if (auto set = ConfigureRocksDB(column_family, filter); !set.ok()) return set;
  if (!plugin::has<plugin::CounterListener>(options.listeners)) options.listeners.push_back(NewRocksDBFilterListener());
  return rocksdb::Status::OK();
}

std::optional<RocksDBFilterCounters> GetRocksDBFilterCounters(const rocksdb::FilterPolicy* policy) {
  const auto counters = plugin::counters_of(policy);
  return counters != nullptr ? std::optional(counters->snapshot()) : std::nullopt;
}

std::optional<RocksDBFilterCounters> GetRocksDBFilterCounters(const rocksdb::ColumnFamilyOptions& options) {
  const auto counters = plugin::counters_of(options);
  return counters != nullptr ? std::optional(counters->snapshot()) : std::nullopt;
}

std::optional<RocksDBFilterTotal> GetRocksDBFilterTotal(rocksdb::DB& db) {
  const auto tree = plugin::filter_tree_of(db);
  if (tree == nullptr) return std::nullopt;
  tree->list(db, /*now=*/true);
  return tree->total();
}

rocksdb::Status LogRocksDBFilterCounters(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* column_family) {
  if (column_family == nullptr) column_family = db.DefaultColumnFamily();
  const rocksdb::Options options = db.GetOptions(column_family);
  const auto counters = plugin::counters_of(options);
  if (counters == nullptr) {
    return rocksdb::Status::InvalidArgument("crivo: filter_policy of column family " + column_family->GetName() +
                                            " must be one of Crivo's");
  }
  plugin::log_gets(options.statistics.get(), options.info_log.get());
  plugin::log_counters(*counters, column_family->GetName(), options.info_log.get());
  return rocksdb::Status::OK();
}

}  // namespace crivo

#include "preload/wish.h"

#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "abi.h"
#include "crivo/rocksdb.h"
#include "options/settings_parser.h"

namespace crivo::plugin {
namespace {

constexpr std::string_view kOurs = "crivo.";

std::string variable(const char* name) {
  const char* const value = ::secure_getenv(name);
  return value != nullptr ? value : "";
}

bool is_on(const char* name) {
  const std::string value = variable(name);
  return !value.empty() && value != "0";
}

/// Whether different bytes can be equal keys. RocksDB removes timestamps before a key reaches a filter.
bool has_equal_keys(const rocksdb::Comparator* comparator) {
  if (comparator == nullptr) return false;  // RocksDB's default
  constexpr std::string_view kTimestamped[] = {"leveldb.BytewiseComparator.u64ts",
                                               "rocksdb.ReverseBytewiseComparator.u64ts"};
  return comparator->CanKeysWithDifferentByteContentsBeEqual() &&
         std::ranges::find(kTimestamped, comparator->Name()) == std::end(kTimestamped);
}

using Policy = std::shared_ptr<const rocksdb::FilterPolicy>;

bool is_ours(const rocksdb::FilterPolicy& policy) { return std::string_view(policy.Name()).starts_with(kOurs); }

rocksdb::Status make_policy(const std::string& text, Policy& policy) {
  rocksdb::ConfigOptions config;
  config.ignore_unsupported_options = false;
  rocksdb::Status made = rocksdb::FilterPolicy::CreateFromString(config, text, &policy);
  if (!made.ok()) return made;
  if (policy == nullptr) return rocksdb::Status::InvalidArgument("not a filter policy");
  return is_ours(*policy) ? made : rocksdb::Status::InvalidArgument("not a policy of Crivo's");
}

bool writes_filters(const rocksdb::FilterPolicy& builtin, const rocksdb::BlockBasedTableOptions& table) {
  const rocksdb::FilterBuildingContext context(table);
  const std::unique_ptr<abi::FilterBitsBuilder> builder(
      reinterpret_cast<abi::FilterBitsBuilder*>(builtin.GetBuilderWithContext(context)));
  return builder != nullptr;
}

/// Why a family keeps its policy; empty if it gets another one.
std::string reason_to_keep(const Wish& wish, const rocksdb::FilterPolicy& set,
                           const rocksdb::BlockBasedTableOptions& table) {
  if (is_ours(set)) {
    return "filter_policy is " + set.GetId() +
           " already, by the program or its OPTIONS file; crivo sst refilter --policy gives it another one";
  }
  const bool is_builtin = set.IsInstanceOf(kBuiltinPolicy);
  if (is_builtin && !writes_filters(set, table)) {
    return "filter_policy is " + set.GetId() + " by the program's choice, which writes no filters";
  }
  if (is_builtin && wish.replace) return {};
  return "filter_policy is " + std::string(set.Name()) + " by the program's choice" +
         (is_builtin ? ", which CRIVO_ROCKSDB_REPLACE=1 replaces" : "");
}

/// Why a family without a policy, or with a replaceable one, must not have filters; empty if it may.
std::string reason_against(const Wish& wish, const rocksdb::ColumnFamilyOptions& options, bool has_filters) {
  if (!has_filters && options.prefix_extractor != nullptr && !wish.prefixes) {
    // Without filters, an iterator that seeks a key also finds keys of other prefixes after it.
    return "prefix_extractor must be unset, or CRIVO_ROCKSDB_PREFIXES must be 1, got " +
           std::string(options.prefix_extractor->Name()) + ": filters change which keys a seek returns";
  }
  // With key_transform `none`, the user states that there are no equal keys.
  if (has_equal_keys(options.comparator) && wish.policy.find("key_transform") == std::string::npos) {
    return "comparator must not treat different bytes as equal, or CRIVO_ROCKSDB must name a key_transform, got " +
           std::string(options.comparator->Name());
  }
  return {};
}

}  // namespace

const Wish& wish_of_environment() {
  static const auto* const wish = new Wish{variable("CRIVO_ROCKSDB"), is_on("CRIVO_ROCKSDB_REPLACE"),
                                           is_on("CRIVO_ROCKSDB_PREFIXES")};  // never destroyed
  return *wish;
}

std::string give_filters(const Wish& wish, rocksdb::ColumnFamilyOptions& options, bool& mistaken) {
  const rocksdb::TableFactory* const factory = options.table_factory.get();
  // A custom factory may wrap a block-based one.
  const bool is_block_based =
      factory != nullptr && std::string_view(factory->Name()) == rocksdb::TableFactory::kBlockBasedTableName();
  const auto* const table = is_block_based ? factory->GetOptions<rocksdb::BlockBasedTableOptions>() : nullptr;
  if (table == nullptr) {
    return "table_factory must be BlockBasedTable, got " + std::string(factory != nullptr ? factory->Name() : "none");
  }
  rocksdb::BlockBasedTableOptions with_filter = *table;  // other families may share the factory
  rocksdb::Status made = make_policy(wish.policy, with_filter.filter_policy);
  if (const rocksdb::FilterPolicy* const set = table->filter_policy.get(); set != nullptr) {
    if (made.ok() && set->GetId() == with_filter.filter_policy->GetId()) return {};
    if (std::string reason = reason_to_keep(wish, *set, *table); !reason.empty()) return reason;
  }
  if (std::string reason = reason_against(wish, options, table->filter_policy != nullptr); !reason.empty()) {
    return reason;
  }
  if (made.ok()) made = with_filter.filter_policy->ValidateOptions({}, options);
  if (!made.ok()) {
    mistaken = true;
    return "CRIVO_ROCKSDB must be a filter policy, got " + wish.policy + ": " + made.ToString();
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(with_filter));
  // RocksDB 7.8 cannot read an OPTIONS file with two collectors.
  auto& collectors = options.table_properties_collector_factories;
  if (collectors.empty()) collectors.push_back(NewRocksDBFilterCollectorFactory());
  return {};
}

}  // namespace crivo::plugin

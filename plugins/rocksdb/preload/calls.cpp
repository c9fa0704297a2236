// The plugin's functions for libcrivo_rocksdb_preload.so. They set Crivo's policy for the column families of a program
// that was not written for Crivo, or log why not.
#include "preload/calls.h"

#include <rocksdb/comparator.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "crivo/rocksdb.h"
#include "options/settings_parser.h"
#include "refilter/family_policy.h"

namespace crivo::plugin {
namespace {

using rocksdb::ColumnFamilyOptions;

/// The request in the environment. CRIVO_ROCKSDB: a filter policy, as in an option string; none if unset or empty.
/// CRIVO_ROCKSDB_REPLACE: also replace RocksDB's own policies that write filters. CRIVO_ROCKSDB_PREFIXES: include
/// families with a prefix extractor and no policy. In a set-user-ID or set-group-ID program, all three are ignored
/// (secure_getenv).
struct FilterRequest {
  std::string policy;
  bool replace = false;
  bool prefixes = false;
};
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

/// Why a family's policy is not replaced; empty if it is replaced.
std::string reason_to_keep(const FilterRequest& request, const rocksdb::FilterPolicy& set,
                           const ColumnFamilyOptions& options) {
  if (is_crivo_policy(set)) {
    return "filter_policy is already " + set.GetId() +
           ", set by the program or its OPTIONS file; crivo sst refilter --policy changes it";
  }
  const bool is_builtin = set.IsInstanceOf(kBuiltinPolicy);
  if (is_builtin && !refilter::why_no_filters(options).empty()) {
    return "filter_policy is " + set.GetId() + ", set by the program, and writes no filters";
  }
  if (is_builtin && request.replace) return {};
  return "filter_policy is " + std::string(set.Name()) + ", set by the program" +
         (is_builtin ? "; CRIVO_ROCKSDB_REPLACE=1 replaces it" : "");
}

/// Why a family without a policy, or with a replaceable one, must not get filters; empty if there is no reason.
std::string reason_against(const FilterRequest& request, const ColumnFamilyOptions& options, bool has_filters) {
  if (!has_filters && options.prefix_extractor != nullptr && !request.prefixes) {
    // Without filters, a seek also finds later keys with other prefixes.
    return "prefix_extractor must be unset, or CRIVO_ROCKSDB_PREFIXES must be 1, got " +
           std::string(options.prefix_extractor->Name()) + ": filters change which keys a seek returns";
  }
  // With key_transform `none`, the user states that equal keys have equal bytes.
  if (has_equal_keys(options.comparator) && request.policy.find("key_transform") == std::string::npos) {
    return "comparator must not treat different bytes as equal, or CRIVO_ROCKSDB must name a key_transform, got " +
           std::string(options.comparator->Name());
  }
  return {};
}

const FilterRequest& requested_filters() {
  static const auto* const request = new FilterRequest{variable("CRIVO_ROCKSDB"), is_on("CRIVO_ROCKSDB_REPLACE"),
                                                       is_on("CRIVO_ROCKSDB_PREFIXES")};  // never destroyed
  return *request;
}

/// Sets the requested policy in `options`, if the column family can have it. Returns why `options` does not have this
/// policy; empty if it does. If it returns a reason, `options` is unchanged. An invalid request sets `is_invalid`.
std::string add_filters(const FilterRequest& request, ColumnFamilyOptions& options, bool& is_invalid) {
  const rocksdb::TableFactory* const factory = options.table_factory.get();
  // A custom factory may wrap a block-based one.
  const bool is_block_based =
      factory != nullptr && std::string_view(factory->Name()) == rocksdb::TableFactory::kBlockBasedTableName();
  const auto* const table = is_block_based ? factory->GetOptions<rocksdb::BlockBasedTableOptions>() : nullptr;
  if (table == nullptr) {
    return "table_factory must be BlockBasedTable, got " + std::string(factory != nullptr ? factory->Name() : "none");
  }
  rocksdb::BlockBasedTableOptions with_filter = *table;  // other families may share the factory
  rocksdb::Status made = refilter::make_policy(request.policy, &with_filter.filter_policy);
  if (made.ok() && !is_crivo_policy(*with_filter.filter_policy)) {
    made = rocksdb::Status::InvalidArgument("not a policy of Crivo's");
  }
  if (const rocksdb::FilterPolicy* const set = table->filter_policy.get(); set != nullptr) {
    if (made.ok() && set->GetId() == with_filter.filter_policy->GetId()) return {};
    if (std::string reason = reason_to_keep(request, *set, options); !reason.empty()) return reason;
  }
  if (std::string reason = reason_against(request, options, table->filter_policy != nullptr); !reason.empty()) {
    return reason;
  }
  if (made.ok()) made = with_filter.filter_policy->ValidateOptions({}, options);
  if (!made.ok()) {
    is_invalid = true;
    return "CRIVO_ROCKSDB must be a filter policy, got " + request.policy + ": " + made.ToString();
  }
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(with_filter));
  // RocksDB 7.8 cannot read an OPTIONS file with two collectors.
  auto& collectors = options.table_properties_collector_factories;
  if (collectors.empty()) collectors.push_back(NewRocksDBFilterCollectorFactory());
  return {};
}

void* copy_with_filters(const void* options, void (*say)(const char*) noexcept) noexcept try {
  auto copy = std::make_unique<ColumnFamilyOptions>(*static_cast<const ColumnFamilyOptions*>(options));
  bool is_invalid = false;
  const std::string reason = add_filters(requested_filters(), *copy, is_invalid);
  if (is_invalid) say(reason.c_str());
  return reason.empty() ? copy.release() : nullptr;
} catch (...) {
  say("out of memory");
  return nullptr;
}

void free_copy(void* options) noexcept { delete static_cast<ColumnFamilyOptions*>(options); }

void log_reason(const void* options, void* log) noexcept try {
  ColumnFamilyOptions copy = *static_cast<const ColumnFamilyOptions*>(options);
  bool is_invalid = false;
  const std::string reason = add_filters(requested_filters(), copy, is_invalid);
  if (reason.empty()) return;
  rocksdb::Warn(static_cast<rocksdb::Logger*>(log), "crivo: this column family gets no filters from CRIVO_ROCKSDB: %s",
                reason.c_str());
} catch (...) {
  // No memory for the line, or the logger threw.
}

}  // namespace
}  // namespace crivo::plugin

// NOLINTBEGIN(readability-identifier-naming): a symbol of C
extern "C" {
extern const crivo::plugin::PreloadCalls crivo_rocksdb_preload_calls;
const crivo::plugin::PreloadCalls crivo_rocksdb_preload_calls{
    reinterpret_cast<const void*>(&rocksdb::GetRocksVersionAsString), crivo::plugin::copy_with_filters,
    crivo::plugin::free_copy, crivo::plugin::log_reason};
}
// NOLINTEND(readability-identifier-naming)

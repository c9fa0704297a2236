#include "policy/policy.h"

#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/options_type.h>
#include <rocksdb/version.h>

#include <algorithm>
#include <new>
#include <unordered_map>
#include <utility>

#include "abi.h"
#include "builder/builder.h"
#include "crivo/host/system.h"
#include "crivo/host/temporary_file.h"
#include "crivo/host/text.h"
#include "crivo/version.h"
#include "options/level_specs.h"
#include "policy/reader.h"
#include "report/counter_listener.h"
#include "report/filter_collector.h"
#include "report/filter_record.h"
#include "report/open_databases.h"
#include "scan/scan_collector.h"

namespace crivo::plugin {
namespace {

using rocksdb::ConfigOptions;
using rocksdb::OptionTypeInfo;
using rocksdb::Status;

Status refusal(const PolicyInfo& policy, const Error& error) {
  return Status::InvalidArgument(std::string(policy.name) + ": " + error.message);
}

// Sets one option of a policy; `address` points to the policy's SharedSettings. SetOptions on an open database also
// calls this function; `config` does not distinguish that case.
Status parse_option(const ConfigOptions&, const std::string& name, const std::string& value, void* address) {
  auto& settings = *static_cast<SharedSettings*>(address);
  const auto set = settings.change([&](SettingsParser& parser) { return parser.set_while_running(name, value); });
  return set ? Status::OK() : refusal(settings.policy(), set.error());
}

using OptionMap = std::unordered_map<std::string, OptionTypeInfo>;

const OptionMap* option_map(const PolicyInfo& policy) {
  // The options are mutable, so that DB::SetOptions can change them. They are neither serialized nor compared, because
  // the policy's id contains them (policy.h, GetId). The maps are never destroyed, because policies may outlive static
  // objects.
  static const auto* const maps = [] {
    const OptionTypeInfo option(0, rocksdb::OptionType::kUnknown, rocksdb::OptionVerificationType::kNormal,
                                rocksdb::OptionTypeFlags::kMutable | rocksdb::OptionTypeFlags::kDontSerialize |
                                    rocksdb::OptionTypeFlags::kCompareNever,
                                parse_option);
    auto* const made = new std::unordered_map<std::string_view, OptionMap>;
    for (const PolicyInfo& each : kPolicies) {
      for (const std::string_view name : option_names(each)) (*made)[each.name].emplace(name, option);
    }
    return made;
  }();
  return &maps->at(policy.name);
}

/// The pseudo-option that carries the policy's id in the text that SerializeOptions returns before a change. RocksDB
/// passes the text back to ConfigureOptions if the change fails.
constexpr const char* kIdBefore = "crivo_id_before";

/// The folder for hashes that max_build_bytes moves to a file: $TMPDIR, or else the first writable one of the
/// database's folder, /var/tmp and /tmp. Null if memory is short.
std::shared_ptr<const std::string> spill_folder(const rocksdb::Logger* log) noexcept try {
  return std::make_shared<const std::string>(default_temp_folder(folder_of(log)));
} catch (...) {
  return nullptr;
}

/// Whether these options trigger the bug that RocksDB's pull request 12872 fixed: RocksDB looks up a key after a
/// partition's last key in the next partition, which may lack the key's prefix. The bug also needs a prefix_extractor,
/// but that need not be checked: without one, these options give no filter.
bool has_partition_bug(const rocksdb::BlockBasedTableOptions& table) noexcept {
  return CRIVO_ROCKSDB_VERSION < 905 && table.partition_filters && !table.whole_key_filtering;
}

/// Rejects objects of the class Ours that an option string created under an unknown name. An object of this class
/// returns the requested name from GetOptions(Ours::kName); objects of other classes return null.
template <typename Ours, typename T>
Status check_names(const std::vector<std::shared_ptr<T>>& objects, const char* field) {
  for (const auto& each : objects) {
    const auto* const name = each != nullptr ? each->template GetOptions<std::string>(Ours::kName) : nullptr;
    if (name != nullptr && *name != Ours::kName) {
      return Status::InvalidArgument("crivo: " + std::string(field) + " must be " + Ours::kName + ", got " + *name);
    }
  }
  return Status::OK();
}

Status check_scan_factories(const rocksdb::ColumnFamilyOptions::TablePropertiesCollectorFactories& factories) {
  for (const auto& each : factories) {
    if (each == nullptr || !each->IsInstanceOf(ScanCollectorFactory::kName)) continue;
    if (Status right = each->ValidateOptions({}, {}); !right.ok()) return right;
  }
  return Status::OK();
}

}  // namespace

std::string library_mismatch() {
  const std::string built_for = std::to_string(ROCKSDB_MAJOR) + "." + std::to_string(ROCKSDB_MINOR);
  const std::string running = rocksdb::GetRocksVersionAsString(/*with_patch=*/false);
  if (running == built_for) return {};
  return "crivo: librocksdb must be version " + built_for + ", which this library was built for, got " + running;
}

FilterPolicy::FilterPolicy(const PolicyInfo* policy)
    : settings_(policy != nullptr ? *policy : kPolicies.front()),
      counters_(new_counters(settings_.policy().name)),
      error_(library_mismatch()),
      fits_library_(error_.empty()),
      builtin_(rocksdb::NewBloomFilterPolicy(10)) {
  RegisterOptions(Name(), &settings_, option_map(settings_.policy()));
  RegisterOptions(kCountersName, &counters_, nullptr);  // GetRocksDBFilterCounters finds the counters by this name
}

FilterPolicy::FilterPolicy(const RocksDBFilterOptions& options) : FilterPolicy(find_policy(options.kind)) {
  if (options.kind != settings_.policy().kind) {
    record_error(
        Error{ErrorCode::kBadArgument, "kind must be blocked or ribbon, got " + std::string(kind_name(*options.kind))});
  }
  const bool transforms = !options.key_transform.empty();
  const auto changed = settings_.change([&](SettingsParser& parser) {
    Result<void> set;
    const auto give = [&](std::string_view name, const auto& value) {
      if (set && value) set = parser.set(name, number_text(static_cast<double>(*value)));
    };
    give("bits_per_key", options.bits_per_key);
    give("fp_rate", options.fp_rate);
    give("budget_bits_per_key", options.budget_bits_per_key);
    give("bottommost_fp_rate", options.bottommost_fp_rate);
    give("bloom_before_level", options.bloom_before_level);
    give("ribbon_levels", options.ribbon_levels);
    give("levels", options.levels);
    give("level_ratio", options.level_ratio);
    give("max_filter_bytes", options.max_filter_bytes);
    give("max_total_bytes", options.max_total_bytes);
    give("max_build_bytes", options.max_build_bytes);
    give("count_questions", options.count_questions);
    if (set && transforms) set = parser.set(kKeyTransform, options.key_transform);
    return set;
  });
  record_error(changed, transforms);
}

FilterPolicy::FilterPolicy(std::string_view id) : FilterPolicy(find_policy(id.substr(0, id.find(':')))) {
  const std::size_t colon = id.find(':');
  const std::string_view name = id.substr(0, colon);
  const bool transforms = id.find(kKeyTransform) != std::string_view::npos;
  if (name != settings_.policy().name) {
    knows_keys_ = !transforms;
    if (error_.empty()) {
      error_ = std::string(id) + ": name must be crivo.Auto, crivo.Bloom or crivo.Ribbon, got " + std::string(name);
    }
  } else if (colon != std::string_view::npos) {
    record_error(settings_.change([&](SettingsParser& parser) { return parser.set_positional(id.substr(colon + 1)); }),
                 transforms);
  }
}

void FilterPolicy::record_error(const Result<void>& result, bool transforms) {
  if (result) return;
  if (error_.empty()) error_ = std::string(Name()) + ": " + result.error().message;
  if (transforms && settings_.load().key_transform == nullptr) knows_keys_ = false;
}

std::string FilterPolicy::GetId() const { return policy_id(settings_.policy(), settings_.load()); }

const char* FilterPolicy::CompatibilityName() const {
  if (!knows_keys_) return kTransformedFilters.data();  // no file has a filter of this name
  const NamedKeyTransform* const transform = settings_.load().key_transform;
  return transform != nullptr ? transform->compatibility_name.c_str() : builtin_->CompatibilityName();
}

// Before RocksDB changes options, it serializes them in detail (Configurable::ConfigureOptions). After a change, it
// serializes them without detail, for the OPTIONS file. If any option was wrong, RocksDB up to 9.7 passes the detailed
// text back to ConfigureOptions. From 9.8 on, RocksDB creates a new policy from the text instead, so only an error in
// this policy's own options reverts the policy's earlier changes.
std::string FilterPolicy::SerializeOptions(const ConfigOptions& config, const std::string& prefix) const {
  if (!config.IsDetailed()) settings_.end_call();
  const std::string id = config.IsDetailed() ? settings_.begin_call() : "";
  if (config.IsDetailed() && config.mutable_options_only) return std::string(kIdBefore) + "=" + id;
  return rocksdb::FilterPolicy::SerializeOptions(config, prefix);
}

// RocksDB discards the status of a policy from an option string, so the policy stores its first error. If SetOptions
// changes a policy in place (mutable options only, before RocksDB 9.8), the policy returns the error of a wrong option,
// and stays unchanged.
Status FilterPolicy::ConfigureOptions(const ConfigOptions& config,
                                      const std::unordered_map<std::string, std::string>& options,
                                      std::unordered_map<std::string, std::string>*) {
  const auto before = options.find(kIdBefore);
  if (before != options.end() && settings_.revert_call(before->second)) return Status::OK();
  const bool transforms =
      std::ranges::any_of(options, [&](const auto& option) { return GetOptionName(option.first) == kKeyTransform; });
  const auto changed = settings_.change([&](SettingsParser& parser) -> Result<void> {
    for (const auto& [long_name, value] : options) {
      const std::string name = GetOptionName(long_name);
      if (config.ignore_unknown_options && !has_option(settings_.policy(), name)) continue;
      // RocksDB sets mutable_options_only only for open databases (SetOptions).
      auto set = config.mutable_options_only ? parser.set_while_running(name, value) : parser.set(name, value);
      if (!set) return set;
    }
    return {};
  });
  if (!changed && config.mutable_options_only) return refusal(settings_.policy(), changed.error());
  record_error(changed, transforms);
  return Status::OK();
}

Status FilterPolicy::ValidateOptions(const rocksdb::DBOptions& db,
                                     const rocksdb::ColumnFamilyOptions& column_family) const {
  Status valid = check(column_family);
  if (valid.ok()) valid = check_names<CounterListener>(db.listeners, "listeners");
  if (!valid.ok()) return valid;
  const bool has_listener = has<CounterListener>(db.listeners);
  settings_.set_listener(has_listener);
  if (has_listener || settings_.load().max_total_bytes == 0) return valid;
  return Status::InvalidArgument(std::string(Name()) + ": " + kNeedsListener);
}

Status FilterPolicy::check(const rocksdb::ColumnFamilyOptions& column_family) const {
  if (!error_.empty()) return Status::InvalidArgument(error_);
  if (const auto known = check_isa(); !known) return Status::InvalidArgument(known.error().message);
  const auto& collectors = column_family.table_properties_collector_factories;
  Status valid = check_names<CollectorFactory>(collectors, "table_properties_collectors");
  if (valid.ok()) valid = check_scan_factories(collectors);
  if (!valid.ok()) return valid;
  const auto learned = settings_.set_tree(tree_of(column_family));
  return learned ? valid : refusal(settings_.policy(), learned.error());
}

rocksdb::FilterBitsBuilder* FilterPolicy::GetBuilderWithContext(const rocksdb::FilterBuildingContext& context) const {
  if (!fits_library_) return nullptr;  // the context may have another layout
  const Settings settings = settings_.load();
  const auto [plan, share] = this->plan(settings, context);
  if (!plan.spec.is_filter()) return nullptr;
  const auto folder = settings.max_build_bytes != 0 ? spill_folder(context.info_log) : nullptr;
  log_warnings(context, settings, folder.get());
  if (!knows_keys_) return nullptr;
  const FileSizing sizing = sizing_of(settings_.policy(), settings, plan.spec, plan.max_bytes);
  const bool verify = context.table_options.detect_filter_construct_corruption;
  const bool by_total = sizing.max_filter_bytes < limit_of(settings.max_filter_bytes);
  const BuildLimits limits{.max_filter_bytes = sizing.max_filter_bytes,
                           .limit_name = by_total ? kShareOfTotal : "max_filter_bytes",
                           .share = share,
                           .is_reduced = plan.is_reduced,
                           .max_build_bytes = limit_of(settings.max_build_bytes),
                           .log = context.info_log,
                           .level = context.level_at_creation,
                           .charged = charged_cache(context.table_options),
                           .folder = folder};
  auto record = publish_record(sizing.stamp, name_of(settings.key_transform), settings.max_total_bytes);
  return abi::as_rocksdb(new (std::nothrow) BlockBuilder(sizing.blocks, verify, std::move(record),
                                                         settings.key_transform, limits, counters_));
}

FilterPolicy::Plan FilterPolicy::plan(const Settings& settings,
                                      const rocksdb::FilterBuildingContext& context) const noexcept {
  Plan unlimited{{spec_of_file(settings_.policy(), settings, context)}};
  Plan unplanned{{unlimited.file.spec, /*is_reduced=*/true, max_bytes_without_plan(settings)}};
  try {
    // A database is not registered while it recovers, so a tree would be that of another one with the same logger.
    const bool recovers = context.reason == rocksdb::TableFileCreationReason::kRecovery;
    const auto tree = is_total_limited && !recovers ? filter_tree_of(context.info_log) : nullptr;
    if (tree != nullptr) tree->set_limit(context.column_family_name, settings.max_total_bytes);
    if (settings.max_total_bytes == 0) return unlimited;
    const bool knows_level = is_flushed(context) || context.level_at_creation >= 0;
    if (tree == nullptr || !knows_level) return unplanned;
    const auto plan = plan_file(settings, tree->of(context.column_family_name), context,
                                is_refiltering() ? PlanUse::kAll : PlanUse::kWithinRest);
    if (!plan) return unplanned;
    Plan known{*plan};
    if (is_flushed(context)) {
      known.share = std::make_shared<FlushShare>(tree, Flush{flush_job_of_thread(), context.column_family_name},
                                                 settings.max_total_bytes, plan->moving_bytes);
    }
    return known;
  } catch (...) {  // no memory for the plan
    return settings.max_total_bytes == 0 ? unlimited : unplanned;
  }
}

void FilterPolicy::log_warnings(const rocksdb::FilterBuildingContext& context, const Settings& settings,
                                const std::string* folder) const noexcept try {
  rocksdb::Logger* const log = context.info_log;
  if (log == nullptr) return;
  if (!error_.empty()) {
    const std::string instead = knows_keys_ ? "the filter is that of " + policy_id(settings_.policy(), settings)
                                            : "no filter is written, because it would lose keys without the transform";
    rocksdb::Warn(log, "%s; %s", error_.c_str(), instead.c_str());
  }
  if (folder != nullptr && system::is_memory_folder(*folder) && !warned_of_folder_.exchange(true)) {
    rocksdb::Warn(log, "%s: max_build_bytes saves no memory: hashes go to %s, which is in memory; set TMPDIR", Name(),
                  folder->c_str());
  }
  if (has_partition_bug(context.table_options) && !warned_of_partitions_.exchange(true)) {
    rocksdb::Warn(log,
                  "%s: SeekForPrev and Prev may miss keys: RocksDB before 9.5 has a bug with partition_filters, a "
                  "prefix_extractor and whole_key_filtering=false, under every policy; set whole_key_filtering=true",
                  Name());
  }
  log_damages(*counters_, log);
  counters_->record_family(log, context.column_family_name);
} catch (...) {
  // If memory is short or the logger throws, the log line is omitted, because the filter is more important.
}

rocksdb::FilterBitsReader* FilterPolicy::GetFilterBitsReader(const rocksdb::Slice& contents) const {
  if (!knows_keys_) return new_maybe_reader();
  const Settings settings = settings_.load();
  return new_block_reader(contents, *builtin_, settings.key_transform, counters_, settings.count_questions);
}

}  // namespace crivo::plugin

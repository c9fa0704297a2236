// The options of Crivo's policies: names, ranges, and their spelling in option strings.
//
// Each option is a row of the table in settings_parser.cpp. Option strings, OPTIONS files, SetOptions and the struct in
// crivo/rocksdb.h all use this table, so that ranges and messages are the same everywhere.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "crivo/result.h"
#include "options/settings.h"

namespace crivo::plugin {

inline constexpr std::string_view kKeyTransform = "key_transform";

/// The policy with this name or this kind of filters (no value: crivo.Auto); null if there is none.
[[nodiscard]] const PolicyInfo* find_policy(std::string_view name) noexcept;
[[nodiscard]] const PolicyInfo* find_policy(std::optional<Kind> kind) noexcept;

/// The settings of a policy without options.
[[nodiscard]] const Settings& default_settings(const PolicyInfo& policy);

/// Sets options one by one, and records which options were set. Errors: kBadArgument, "<field> must ..., got ...".
class SettingsParser {
 public:
  explicit SettingsParser(const PolicyInfo& policy, const Settings& start) : policy_(&policy), settings_(start) {}

  /// Sets one option, in the spelling of option strings.
  Result<void> set(std::string_view option, std::string_view value);
  /// The same for a policy of an open database. The key transform must not change, because readers of filters with the
  /// present transform stay in memory. A limit needs the listener, without which the database could not be reopened.
  Result<void> set_while_running(std::string_view option, std::string_view value);
  /// Sets the options from the text after a policy's name and a colon. An unnamed value is bits_per_key, if no size was
  /// set before. After a size, an unnamed value for crivo.Ribbon is bloom_before_level: "10:1", "fp_rate:0.01:1". All
  /// other values follow the names of their options: "10:levels:5", "10:key_transform:drop_suffix:8".
  Result<void> set_positional(std::string_view values);
  /// The settings, after all options are set. Errors: contradictory options.
  [[nodiscard]] Result<Settings> finish() const;
  /// Replaces the settings, but not the record of the options that were set.
  void continue_from(const Settings& settings) { settings_ = settings; }

 private:
  Result<void> set_key_transform(std::string_view name);
  [[nodiscard]] Error unknown_option(std::string_view option) const;
  [[nodiscard]] bool is_given(std::string_view option) const { return std::ranges::count(given_, option) != 0; }

  const PolicyInfo* policy_;
  Settings settings_;
  std::vector<std::string_view> given_;  // the options that were set
  std::string_view given_size_;          // the option that determines the size
};

[[nodiscard]] std::vector<std::string_view> option_names(const PolicyInfo& policy);
[[nodiscard]] bool has_option(const PolicyInfo& policy, std::string_view option) noexcept;

/// The id of a policy with these settings: "crivo.Bloom:10", "crivo.Ribbon:fp_rate:0.01:1",
/// "crivo.Auto:10:bottommost_fp_rate:0.1".
[[nodiscard]] std::string policy_id(const PolicyInfo& policy, const Settings& settings);

/// Settings that an open database may change while other threads make builders. load() returns the settings before or
/// after a change, never a mixture.
///
/// RocksDB may set the options of one SetOptions call one by one. begin_call() marks the start of such a call. Each
/// option of the call is then checked together with the earlier options of the call. An error restores the settings
/// that were in effect at begin_call(), and so drops changes that other threads have made since.
class SharedSettings {
 public:
  explicit SharedSettings(const PolicyInfo& policy) : policy_(policy), settings_(default_settings(policy)) {}

  [[nodiscard]] const PolicyInfo& policy() const noexcept { return policy_; }
  [[nodiscard]] Settings load() const {
    const std::lock_guard lock(mutex_);
    return settings_;
  }
  /// Calls `change` with a SettingsParser. The new settings become effective unless there is an error.
  template <typename Change>
  Result<void> change(const Change& change) {
    const std::lock_guard lock(mutex_);
    const auto call = calls_.find(std::this_thread::get_id());
    if (call == calls_.end()) {
      SettingsParser parser(policy_, settings_);
      return apply(parser, change);
    }
    auto& [start, parser, result] = call->second;
    parser.continue_from(settings_);
    if (result) result = apply(parser, change);
    if (!result) settings_ = start;
    return result;
  }

  /// Sets the column family's tree, which is not an option.
  Result<void> set_tree(const TreeOptions& tree) const {
    const std::lock_guard lock(mutex_);
    if (settings_.tree == tree) return {};
    Settings learned = settings_;
    learned.tree = tree;
    auto settings = SettingsParser(policy_, learned).finish();
    if (!settings) return settings.error();
    settings_ = *std::move(settings);
    return {};
  }

  /// Records whether a database that is opened with this policy has the listener.
  void set_listener(bool has_listener) const {
    const std::lock_guard lock(mutex_);
    settings_.has_listener = has_listener || settings_.has_listener.value_or(false);
  }

  /// Starts a call, which includes all changes of this thread until end_call(). Returns the policy's id.
  std::string begin_call() const {
    const std::lock_guard lock(mutex_);
    calls_.insert_or_assign(std::this_thread::get_id(), Call{settings_, SettingsParser(policy_, settings_), {}});
    return policy_id(policy_, settings_);
  }
  /// If this thread's call began with this id, ends the call and reverts its changes; otherwise returns false.
  bool revert_call(std::string_view id) {
    const std::lock_guard lock(mutex_);
    const auto call = calls_.find(std::this_thread::get_id());
    if (call == calls_.end() || policy_id(policy_, call->second.start) != id) return false;
    settings_ = call->second.start;
    calls_.erase(call);
    return true;
  }
  void end_call() const {
    const std::lock_guard lock(mutex_);
    calls_.erase(std::this_thread::get_id());
  }

 private:
  struct Call {
    Settings start;
    SettingsParser parser;
    Result<void> result;
  };

  template <typename Change>
  Result<void> apply(SettingsParser& parser, const Change& change) {
    if (Result<void> changed = change(parser); !changed) return changed;
    Result<Settings> settings = parser.finish();
    if (!settings) return settings.error();
    settings_ = *std::move(settings);
    if (settings_.max_total_bytes != 0) is_total_limited = true;
    return {};
  }

  const PolicyInfo& policy_;
  mutable std::mutex mutex_;
  mutable Settings settings_;  // mutable, because a const function of the policy sets the tree
  // Mutable, because a call begins when RocksDB serializes the options, in a const function of the policy.
  mutable std::map<std::thread::id, Call> calls_;
};

/// The column family's table options; null if its tables are not block-based.
[[nodiscard]] inline const rocksdb::BlockBasedTableOptions* table_of(const rocksdb::ColumnFamilyOptions& family) {
  const rocksdb::TableFactory* const factory = family.table_factory.get();
  return factory != nullptr ? factory->GetOptions<rocksdb::BlockBasedTableOptions>() : nullptr;
}

/// The column family's filter policy; null if it has none, or if its tables are not block-based.
[[nodiscard]] inline std::shared_ptr<const rocksdb::FilterPolicy> policy_of(
    const rocksdb::ColumnFamilyOptions& family) {
  const auto* const table = table_of(family);
  return table != nullptr ? table->filter_policy : nullptr;
}

/// Whether this is one of Crivo's policies.
[[nodiscard]] inline bool is_crivo_policy(const rocksdb::FilterPolicy& policy) {
  return std::string_view(policy.Name()).starts_with("crivo.");
}

/// The class name of RocksDB's own policies, for IsInstanceOf.
inline constexpr const char* kBuiltinPolicy = "rocksdb.internal.BuiltinFilter";

/// The settings of one of Crivo's policies; no value for other policies.
[[nodiscard]] inline std::optional<Settings> settings_of(const rocksdb::FilterPolicy& policy) {
  if (std::ranges::count(kPolicies, std::string_view(policy.Name()), &PolicyInfo::name) == 0) return std::nullopt;
  const auto* const settings = policy.GetOptions<SharedSettings>(policy.Name());
  return settings != nullptr ? std::optional(settings->load()) : std::nullopt;
}

}  // namespace crivo::plugin

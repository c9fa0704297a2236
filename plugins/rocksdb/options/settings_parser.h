// The options of our policies: their names and ranges, and how option strings spell them.
//
// Each option is one row of the table in settings_parser.cpp. Option strings, OPTIONS files, SetOptions and the struct
// in crivo/rocksdb.h all go through it, so that one range and one message hold everywhere.
#pragma once

#include <rocksdb/filter_policy.h>

#include <algorithm>
#include <cstdint>
#include <map>
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

/// The policy of this name; null if there is none.
[[nodiscard]] const PolicyInfo* find_policy(std::string_view name) noexcept;
[[nodiscard]] const PolicyInfo* find_policy(std::optional<Kind> kind) noexcept;

/// The settings that a policy has without any option.
[[nodiscard]] const Settings& default_settings(const PolicyInfo& policy);

/// Takes options one by one and remembers which were given. Errors: kBadArgument, "<field> must ..., got ...".
class SettingsParser {
 public:
  explicit SettingsParser(const PolicyInfo& policy, const Settings& start) : policy_(&policy), settings_(start) {}

  /// Sets one option, named and spelled as in an option string.
  Result<void> set(std::string_view option, std::string_view value);
  /// The same for a policy that a running database has. Errors: also another key transform, since readers of filters
  /// that were built with the one of now stay in memory.
  Result<void> set_while_running(std::string_view option, std::string_view value);
  /// Sets the options from what follows a policy's name and a colon. Values without a name come first: the bits per
  /// key, and for crivo.Ribbon bloom_before_level ("10:1"). An option's name and its value can follow, or stand in
  /// their place: "fp_rate:0.01:1", "10:levels:5", "10:key_transform:drop_suffix:8".
  Result<void> set_positional(std::string_view values);
  /// The settings, once all options are set. Errors: options that contradict each other.
  [[nodiscard]] Result<Settings> finish() const;
  /// Takes further options on these settings, and still knows which were given.
  void continue_from(const Settings& settings) { settings_ = settings; }

 private:
  Result<void> set_key_transform(std::string_view name);
  [[nodiscard]] Error unknown_option(std::string_view option) const;
  [[nodiscard]] bool is_given(std::string_view option) const { return std::ranges::count(given_, option) != 0; }

  const PolicyInfo* policy_;
  Settings settings_;
  std::vector<std::string_view> given_;  // the options that were given
  std::string_view given_size_;          // the one of them that says the size
};

/// The names of the options that a policy has.
[[nodiscard]] std::vector<std::string_view> option_names(const PolicyInfo& policy);
[[nodiscard]] bool has_option(const PolicyInfo& policy, std::string_view option) noexcept;

/// The value of an option as an option string spells it; empty for one that was not asked for and has no default.
[[nodiscard]] std::string option_text(const PolicyInfo& policy, const Settings& settings, std::string_view option);

/// The name that makes a policy with these settings: "crivo.Bloom:10", "crivo.Ribbon:fp_rate:0.01:1",
/// "crivo.Auto:10:bottommost_fp_rate:0.1".
[[nodiscard]] std::string policy_id(const PolicyInfo& policy, const Settings& settings);

/// Settings that a running database changes while other threads make builders. A reader gets those before a change or
/// those after it, and of two changes at the same time none is lost.
///
/// RocksDB may hand over the options of one SetOptions one by one. Whoever knows when such a call begins can say so:
/// then its changes are checked as if they were one, and the first error takes back those that came before it.
class SharedSettings {
 public:
  explicit SharedSettings(const PolicyInfo& policy) : policy_(policy), settings_(default_settings(policy)) {}

  [[nodiscard]] const PolicyInfo& policy() const noexcept { return policy_; }
  [[nodiscard]] Settings load() const {
    const std::lock_guard lock(mutex_);
    return settings_;
  }
  /// Calls `change` with a SettingsParser to set options. Unless it returns an error, the new settings hold from then
  /// on.
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

  /// Says what RocksDB has shown of the column family's tree. No change of an option, so nothing takes it back.
  Result<void> learn(const TreeOptions& tree) const {
    const std::lock_guard lock(mutex_);
    if (settings_.tree == tree) return {};
    Settings learned = settings_;
    learned.tree = tree;
    auto settings = SettingsParser(policy_, learned).finish();
    if (!settings) return settings.error();
    settings_ = *std::move(settings);
    return {};
  }

  /// From here to end_call(), all that this thread changes is one change. Returns the policy's id.
  std::string begin_call() const {
    const std::lock_guard lock(mutex_);
    calls_.insert_or_assign(std::this_thread::get_id(), Call{settings_, SettingsParser(policy_, settings_), {}});
    return policy_id(policy_, settings_);
  }
  /// Ends the call and takes back what it changed. Returns false, and does nothing, unless this thread's call began
  /// with this id.
  bool take_back(std::string_view id) {
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
  mutable Settings settings_;  // RocksDB shows a policy its tree where the policy is const
  // Not of the settings: a call begins when RocksDB reads them. Other threads may read, or change, meanwhile.
  mutable std::map<std::thread::id, Call> calls_;
};

/// The class of all of RocksDB's own policies, for IsInstanceOf.
inline constexpr const char* kBuiltinPolicy = "rocksdb.internal.BuiltinFilter";

/// The settings of a policy of ours, which shows them to RocksDB under its name; no value for another policy.
[[nodiscard]] inline std::optional<Settings> settings_of(const rocksdb::FilterPolicy& policy) {
  if (std::ranges::count(kPolicies, std::string_view(policy.Name()), &PolicyInfo::name) == 0) return std::nullopt;
  const auto* const settings = policy.GetOptions<SharedSettings>(policy.Name());
  return settings != nullptr ? std::optional(settings->load()) : std::nullopt;
}

}  // namespace crivo::plugin

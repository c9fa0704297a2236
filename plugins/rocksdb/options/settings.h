// The list of our policies, and their options: the names and ranges of these, and how option strings spell them.
//
// Each option is one row of the table in settings.cpp. Option strings, OPTIONS files, SetOptions and the struct in
// crivo/rocksdb.h all go through its parse function, so that one range and one message hold everywhere.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "crivo/filter.h"
#include "crivo/result.h"
#include "crivo/rocksdb.h"
#include "options/key_transform.h"

namespace crivo {

inline constexpr std::string_view kKeyTransform = "key_transform";

/// A policy as RocksDB knows it, by a name that stands in option strings, OPTIONS files and SST files.
struct PolicyInfo {
  std::string_view name;  // followed by a NUL
  unsigned id;            // a bit of its own, as options list the policies that have them
  /// The kind of the filters that it writes; none if the policy chooses between kinds by itself.
  std::optional<Kind> kind;
};

/// All policies of ours. The first one stands in for a policy that we do not have.
[[nodiscard]] std::span<const PolicyInfo> policies() noexcept;
/// The policy of this name; null if there is none.
[[nodiscard]] const PolicyInfo* find_policy(std::string_view name) noexcept;
[[nodiscard]] const PolicyInfo* find_policy(std::optional<Kind> kind) noexcept;

/// What the filters of a level are to be.
struct LevelSpec {
  Kind kind = Kind::kBlocked;
  double bits_per_key = 0;  // of a blocked filter; 0 if there is to be no filter
  double fp_rate = 1;       // of a ribbon: the rate of that blocked filter

  [[nodiscard]] bool is_filter() const noexcept { return bits_per_key > 0; }
};

/// Which of the options that exclude each other says how large the filters are.
enum class SizedBy { kBitsPerKey, kFpRate, kBudget };

/// Options that were checked. A policy that lacks one has its default.
struct Settings {
  SizedBy sized_by = SizedBy::kBitsPerKey;
  double size = 10;  // in the unit of sized_by
  std::optional<double> bottommost_fp_rate;
  int bloom_before_level = 0;
  int ribbon_levels = 2;
  int levels = 4;
  double level_ratio = 10;
  std::uint64_t max_filter_bytes = 0;  // for the filters of a file; 0 for no limit
  std::uint64_t max_build_bytes = 0;   // for all builders of the process; 0 for no limit
  bool count_questions = false;
  const NamedKeyTransform* key_transform = nullptr;  // null if filters are built from the keys as they are

  /// What follows from the options, by a level's distance from the last level; a flush counts as distance `levels`.
  /// Never null and never empty. Level and distance count only where the policy chooses by level.
  std::shared_ptr<const std::vector<LevelSpec>> by_distance;

  /// The spec of a file at this distance from the last level.
  [[nodiscard]] const LevelSpec& at(int distance) const noexcept;
  /// Empty if there is no key transform.
  [[nodiscard]] std::string_view key_transform_name() const noexcept {
    return key_transform != nullptr ? std::string_view(key_transform->name) : std::string_view();
  }
};

/// The settings that a policy has without any option.
[[nodiscard]] const Settings& default_settings(const PolicyInfo& policy);

/// Takes options one by one and remembers which were given. Errors: kBadArgument, "<field> must ..., got ...".
class SettingsParser {
 public:
  explicit SettingsParser(const PolicyInfo& policy, const Settings& start) : policy_(policy), settings_(start) {}

  /// Sets one option, named and spelled as in an option string.
  Result<void> set(std::string_view option, std::string_view value);
  /// Sets the options from what follows a policy's name and a colon. Values without a name come first: the bits per
  /// key, and for crivo.Ribbon bloom_before_level ("10:1"). An option's name and its value can follow, or stand in
  /// their place: "fp_rate:0.01:1", "10:levels:5", "10:key_transform:drop_suffix:8".
  Result<void> set_positional(std::string_view values);
  /// The settings, once all options are set. Errors: options that contradict each other.
  [[nodiscard]] Result<Settings> finish() const;

 private:
  [[nodiscard]] Error unknown_option(std::string_view option) const;

  const PolicyInfo& policy_;
  Settings settings_;
  std::uint32_t given_ = 0;      // the options that were given: a bit for each
  std::string_view given_size_;  // the one of them that says the size
};

/// The names of the options that a policy has.
[[nodiscard]] std::vector<std::string_view> option_names(const PolicyInfo& policy);
[[nodiscard]] bool has_option(const PolicyInfo& policy, std::string_view option) noexcept;

/// The shortest text that reads back as the same number.
[[nodiscard]] std::string number_text(double value);

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
    if (!call_ || call_->thread != std::this_thread::get_id()) {
      SettingsParser parser(policy_, settings_);
      return apply(parser, change);
    }
    if (call_->result) call_->result = apply(call_->parser, change);
    if (!call_->result) settings_ = call_->start;
    return call_->result;
  }
  /// Replaces all settings by those that stand in a policy's id behind its name and a colon.
  Result<void> replace(std::string_view values);

  /// From here to end_call(), all that this thread changes is one change.
  void begin_call() const {
    const std::lock_guard lock(mutex_);
    call_.emplace(Call{std::this_thread::get_id(), settings_, SettingsParser(policy_, settings_), {}});
  }
  void end_call() const {
    const std::lock_guard lock(mutex_);
    if (call_ && call_->thread == std::this_thread::get_id()) call_.reset();
  }

 private:
  struct Call {
    std::thread::id thread;
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
    return {};
  }

  const PolicyInfo& policy_;
  mutable std::mutex mutex_;
  Settings settings_;
  mutable std::optional<Call> call_;  // not of the settings: a call begins when RocksDB reads them
};

}  // namespace crivo

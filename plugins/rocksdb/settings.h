// The list of our policies, and their options: the names and ranges of these, and how option strings spell them.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "crivo/filter.h"
#include "crivo/result.h"
#include "crivo/rocksdb.h"

namespace crivo {

/// A policy as RocksDB knows it, by a name that stands in option strings, OPTIONS files and SST files.
struct PolicyInfo {
  std::string_view name;  // followed by a NUL
  Kind kind;              // the kind of the filters that it writes
  std::span<const std::string_view> options;

  [[nodiscard]] bool has_levels() const noexcept { return kind == Kind::kRibbon; }
  [[nodiscard]] bool has_option(std::string_view option) const noexcept;
};

/// All policies of ours. The first one stands in for a policy that we do not have.
[[nodiscard]] std::span<const PolicyInfo> policies() noexcept;
/// The policy of this name; null if there is none.
[[nodiscard]] const PolicyInfo* find_policy(std::string_view name) noexcept;
[[nodiscard]] const PolicyInfo* find_policy(Kind kind) noexcept;

/// Options that were checked. If fp_rate is given, bits_per_key is what a blocked filter needs to reach it.
struct Settings {
  double bits_per_key = 10;
  double fp_rate = 0;  // 0 if bits_per_key was asked for
  int bloom_before_level = 0;
  bool count_questions = false;

  [[nodiscard]] bool writes_filters() const noexcept { return fp_rate != 0 || bits_per_key >= 0.5; }
  /// What a filter of this kind is to be, without a capacity: blocked is sized by bits_per_key, and ribbon by the rate
  /// that a blocked filter has with them.
  [[nodiscard]] FilterSpec spec(Kind kind) const noexcept;
};

/// Takes options one by one and remembers which were given. Errors: kBadArgument, "<field> must ..., got ...".
class SettingsParser {
 public:
  explicit SettingsParser(const PolicyInfo& policy, const Settings& start = {}) : policy_(policy), settings_(start) {}

  Result<void> set_bits_per_key(double value);
  Result<void> set_fp_rate(double value);
  Result<void> set_bloom_before_level(double value);
  /// Sets one option, named and spelled as in an option string.
  Result<void> set(std::string_view option, std::string_view value);
  /// Sets the options from what follows a policy's name: "10" or "fp_rate:0.01", and for a policy with
  /// bloom_before_level also "10:1" or "fp_rate:0.01:1".
  Result<void> set_positional(std::string_view values);

  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }

 private:
  [[nodiscard]] Error unknown_option(std::string_view option) const;
  Result<void> give(std::string_view option);

  const PolicyInfo& policy_;
  Settings settings_;
  std::string_view given_;  // the size that was given: bits_per_key or fp_rate
};

/// The shortest text that reads back as the same number.
[[nodiscard]] std::string number_text(double value);

/// The value of an option as an option string spells it; empty for the one of the two sizes that was not asked for.
[[nodiscard]] std::string option_text(const PolicyInfo& policy, const Settings& settings, std::string_view option);

/// The name that makes a policy with these settings: "crivo.Bloom:10", "crivo.Ribbon:fp_rate:0.01:1".
[[nodiscard]] std::string policy_id(const PolicyInfo& policy, const Settings& settings);

/// Settings that a running database changes while other threads make builders. A reader gets all of the old ones or
/// all of the new ones, and of two changes at the same time none is lost.
class SharedSettings {
 public:
  explicit SharedSettings(const PolicyInfo& policy) noexcept : policy_(policy) {}

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
    SettingsParser parser(policy_, settings_);
    Result<void> changed = change(parser);
    if (changed) settings_ = parser.settings();
    return changed;
  }

 private:
  const PolicyInfo& policy_;
  mutable std::mutex mutex_;
  Settings settings_;
};

}  // namespace crivo

// The policies we have, and their options: names, ranges, and how they are spelled in option strings.
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "crivo/filter.h"
#include "crivo/result.h"
#include "crivo/rocksdb.h"

namespace crivo {

/// A policy as RocksDB knows it: option strings, OPTIONS and SST files have its name.
struct PolicyInfo {
  std::string_view name;  // ends in a NUL
  Kind kind;              // of the filters it writes
  std::span<const std::string_view> options;

  [[nodiscard]] bool has_levels() const noexcept { return kind == Kind::kRibbon; }
  [[nodiscard]] bool has_option(std::string_view option) const noexcept;
};

/// The first stands in for those we do not have.
[[nodiscard]] std::span<const PolicyInfo> policies() noexcept;
/// Null if there is none.
[[nodiscard]] const PolicyInfo* find_policy(std::string_view name) noexcept;
[[nodiscard]] const PolicyInfo* find_policy(Kind kind) noexcept;

/// Options that were checked. With an fp_rate, bits_per_key is what that rate takes of a blocked filter.
struct Settings {
  double bits_per_key = 10;
  double fp_rate = 0;  // 0: not asked for
  int bloom_before_level = 0;

  [[nodiscard]] bool writes_filters() const noexcept { return fp_rate != 0 || bits_per_key >= 0.5; }
  /// What a filter of this kind is to be, but for its capacity: blocked by bits_per_key, ribbon by the rate of these.
  [[nodiscard]] FilterSpec spec(Kind kind) const noexcept;
};

/// Takes options one by one and remembers which were given. Errors: kBadArgument, "<field> must ..., got ...".
class SettingsParser {
 public:
  explicit SettingsParser(const PolicyInfo& policy, const Settings& start = {}) : policy_(policy), settings_(start) {}

  Result<void> set_bits_per_key(double value);
  Result<void> set_fp_rate(double value);
  Result<void> set_bloom_before_level(double value);
  /// An option as in an option string.
  Result<void> set(std::string_view option, std::string_view value);
  /// What follows a policy's name: "10" or "fp_rate:0.01", and where there are levels "10:1" or "fp_rate:0.01:1".
  Result<void> set_positional(std::string_view values);

  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }

 private:
  [[nodiscard]] Error unknown_option(std::string_view option) const;
  Result<void> give(std::string_view option);

  const PolicyInfo& policy_;
  Settings settings_;
  std::string_view given_;  // which of the two sizes
};

/// The shortest text that reads back as the same number.
[[nodiscard]] std::string number_text(double value);

/// An option as an option string spells it; empty for the size that was not asked for.
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
  /// `change` gives options to a SettingsParser. Unless it returns an error, what it gave holds from then on.
  template <typename Change>
  Result<void> change(const Change& change) {
    const std::lock_guard lock(mutex_);
    SettingsParser parser(policy_, settings_);
    const Result<void> changed = change(parser);
    if (changed) settings_ = parser.settings();
    return changed;
  }

 private:
  const PolicyInfo& policy_;
  mutable std::mutex mutex_;
  Settings settings_;
};

}  // namespace crivo

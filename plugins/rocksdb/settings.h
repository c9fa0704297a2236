// The policies we have, and their options: names, ranges, and how they are spelled in option strings.
#pragma once

#include <atomic>
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
  /// What follows a policy's name: "10", or "10:1" where there are levels.
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

/// Settings that a running database may change under its builders.
class AtomicSettings {
 public:
  explicit AtomicSettings(const PolicyInfo& policy) noexcept : policy_(policy) { store({}); }

  [[nodiscard]] const PolicyInfo& policy() const noexcept { return policy_; }
  [[nodiscard]] Settings load() const noexcept {
    return {.bits_per_key = bits_per_key_, .fp_rate = fp_rate_, .bloom_before_level = bloom_before_level_};
  }
  void store(const Settings& settings) noexcept {
    bits_per_key_ = settings.bits_per_key;
    fp_rate_ = settings.fp_rate;
    bloom_before_level_ = settings.bloom_before_level;
  }

 private:
  const PolicyInfo& policy_;
  std::atomic<double> bits_per_key_;
  std::atomic<double> fp_rate_;
  std::atomic<int> bloom_before_level_;
};

}  // namespace crivo

// The options of crivo.Bloom: their names, their ranges, and how they are spelled in option strings.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "crivo/result.h"
#include "crivo/rocksdb.h"

namespace crivo {

inline constexpr std::string_view kPolicyName = "crivo.Bloom";

/// Options that were checked. With an fp_rate, bits_per_key is what that rate takes.
struct Settings {
  double bits_per_key = 10;
  double fp_rate = 0;  // 0: not asked for

  [[nodiscard]] bool writes_filters() const noexcept { return fp_rate != 0 || bits_per_key >= 0.5; }
};

/// Takes options one by one and remembers which were given. Errors: kBadArgument, "<field> must ..., got ...".
class SettingsParser {
 public:
  explicit SettingsParser(const Settings& start = {}) : settings_(start) {}

  Result<void> set_bits_per_key(double value);
  Result<void> set_fp_rate(double value);
  Result<void> set_kind(std::string_view name);
  /// An option as in an option string.
  Result<void> set(std::string_view name, std::string_view value);
  [[nodiscard]] static bool knows(std::string_view name) noexcept;

  [[nodiscard]] const Settings& settings() const noexcept { return settings_; }

 private:
  Result<void> give(std::string_view name);

  Settings settings_;
  std::string_view given_;  // which of the two sizes
};

/// The shortest text that reads back as the same number.
[[nodiscard]] std::string number_text(double value);

/// Settings that a running database may change under its builders.
class AtomicSettings {
 public:
  [[nodiscard]] Settings load() const noexcept { return {.bits_per_key = bits_per_key_, .fp_rate = fp_rate_}; }
  void store(const Settings& settings) noexcept {
    bits_per_key_ = settings.bits_per_key;
    fp_rate_ = settings.fp_rate;
  }

 private:
  std::atomic<double> bits_per_key_{Settings().bits_per_key};
  std::atomic<double> fp_rate_{0};
};

}  // namespace crivo

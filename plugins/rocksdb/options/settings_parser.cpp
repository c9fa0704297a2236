#include "options/settings_parser.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>

#include "crivo/host/text.h"
#include "options/level_specs.h"
#include "options/registry.h"

namespace crivo::plugin {
namespace {

constexpr unsigned kEvery = kBloom | kRibbon | kAuto;

// The lowest allowed rate. Because different keys may share a 64-bit hash, files of 2^32 keys could not reach 1e-10.
constexpr double kMinFpRate = 1e-9;

constexpr std::string_view kBitsPerKey = "bits_per_key";
constexpr std::string_view kBloomBeforeLevel = "bloom_before_level";
constexpr std::string_view kBottommostFpRate = "bottommost_fp_rate";
constexpr std::string_view kBudgetBitsPerKey = "budget_bits_per_key";
constexpr std::string_view kNone = "none";

enum class Unit { kNumber, kBytes, kBool };

/// The range of an option's number, and its text for messages.
struct Range {
  double least;
  double most;
  const char* text;  // "be in [0, 1000]"
  bool exclusive_max = false;
  bool integer = false;
  Unit unit = Unit::kNumber;

  [[nodiscard]] bool has(double value) const noexcept {
    return value >= least && (exclusive_max ? value < most : value <= most) && (!integer || value == std::floor(value));
  }
};

constexpr Range kBits{0, kMaxBitsPerKey, "be in [0, 1000]"};
constexpr Range kBytes{0, 1e15, "be a number of bytes in [0, 1e15], such as 2G", false, true, Unit::kBytes};
constexpr Range kBool{0, 1, "be true or false", false, true, Unit::kBool};
constexpr Range kLevel{-1, std::numeric_limits<int>::max(), "be an integer in [-1, 2147483647]", false, true};

/// A number of bytes, optionally with K, M, G or T, as in RocksDB's own options.
std::optional<double> bytes_in(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  const std::size_t unit =
      text.empty() ? text.npos : kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.back()))));
  if (unit == text.npos) return read_number<double>(text);
  const auto count = read_number<double>(text.substr(0, text.size() - 1));
  return count ? std::optional(std::ldexp(*count, 10 * static_cast<int>(unit + 1))) : std::nullopt;
}

/// Parses a number, or a boolean as 1 or 0; booleans are spelled as in RocksDB's own options. Errors: kBadArgument if
/// the text is not a number, or if the number is out of range.
Result<double> number_in(const Range& range, std::string_view option, std::string_view text) {
  if (range.unit == Unit::kBool) {
    if (text == "true" || text == "1") return 1;
    if (text == "false" || text == "0") return 0;
    return bad_value(option, range.text, text);
  }
  const std::optional<double> value = range.unit == Unit::kBytes ? bytes_in(text) : read_number<double>(text);
  if (!value) return bad_value(option, range.text, text);
  if (!range.has(*value)) return bad_value(option, range.text, number_text(*value));
  return *value;
}

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(int value) { return std::to_string(value); }
std::string text_of(std::uint64_t value) { return std::to_string(value); }
std::string text_of(double value) { return number_text(value); }
template <typename T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : "";
}
std::string text_of(const NamedKeyTransform* value) { return value != nullptr ? value->name : std::string(kNone); }

/// Reads and writes an option's value in the settings.
struct Access {
  void (*set)(Settings& settings, double value);
  std::string (*text)(const Settings& settings);  // empty if unset and without a default
};

template <auto Field>
std::string field_text(const Settings& settings) {
  return text_of(settings.*Field);
}

template <auto Field>
constexpr Access kField = {[](Settings& settings, double value) {
                             auto& field = settings.*Field;
                             field = static_cast<std::remove_reference_t<decltype(field)>>(value);
                           },
                           field_text<Field>};

template <SizedBy By>
constexpr Access kSize = {
    [](Settings& settings, double value) {
      settings.sized_by = By;
      settings.size = value;
    },
    [](const Settings& settings) { return settings.sized_by == By ? number_text(settings.size) : ""; }};

struct OptionInfo {
  std::string_view name;
  unsigned policies;  // bits of the policies that have the option
  Range range;
  Access access;
  bool is_size = false;  // at most one such option can be set
};

constexpr OptionInfo kOptions[] = {
    {kBitsPerKey, kEvery, kBits, kSize<SizedBy::kBitsPerKey>, true},
    {"fp_rate", kEvery, {kMinFpRate, 1, "be in [1e-9, 1)", true}, kSize<SizedBy::kFpRate>, true},
    {kBudgetBitsPerKey, kAuto, kBits, kSize<SizedBy::kBudget>, true},
    {kKeyTransform, kEvery, {}, {nullptr, field_text<&Settings::key_transform>}},
    {kBloomBeforeLevel, kRibbon, kLevel, kField<&Settings::bloom_before_level>},
    {kBottommostFpRate, kAuto, {kMinFpRate, 1, "be in [1e-9, 1]"}, kField<&Settings::bottommost_fp_rate>},
    {"ribbon_levels", kAuto, {0, 64, "be an integer in [0, 64]", false, true}, kField<&Settings::ribbon_levels>},
    {"levels", kAuto, {kMinLevels, kMaxLevels, "be an integer in [2, 64]", false, true}, kField<&Settings::levels>},
    {"level_ratio", kAuto, {1, kHighestLevelRatio, "be in [1, 1000]"}, kField<&Settings::level_ratio>},
    {"max_filter_bytes", kEvery, kBytes, kField<&Settings::max_filter_bytes>},
    {"max_total_bytes", kAuto, kBytes, kField<&Settings::max_total_bytes>},
    {"max_build_bytes", kEvery, kBytes, kField<&Settings::max_build_bytes>},
    {"count_questions", kEvery, kBool, kField<&Settings::count_questions>},
};

const OptionInfo* find_option(const PolicyInfo& policy, std::string_view name) noexcept {
  const auto found = std::ranges::find(kOptions, name, &OptionInfo::name);
  return found != std::end(kOptions) && (found->policies & policy.id) != 0 ? found : nullptr;
}

/// Joins words for a message: "a, b or c".
std::string any_of(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

/// Removes and returns the first of the values between colons.
std::string_view take_value(std::optional<std::string_view>& values) {
  const std::size_t colon = values->find(':');
  const std::string_view first = values->substr(0, colon);
  values = colon == std::string_view::npos ? std::nullopt : std::optional(values->substr(colon + 1));
  return first;
}

/// The same for an option's value. If the value is the name of a key transform, it may contain a colon.
std::string_view take_value_of(std::string_view option, std::optional<std::string_view>& values) {
  const std::string_view all = *values;
  const std::string_view value = take_value(values);
  if (option != kKeyTransform || !values || !has_parameter(value)) return value;
  return all.substr(0, value.size() + 1 + take_value(values).size());
}

}  // namespace

const PolicyInfo* find_policy(std::string_view name) noexcept {
  const auto found = std::ranges::find(kPolicies, name, &PolicyInfo::name);
  return found != kPolicies.end() ? &*found : nullptr;
}

const PolicyInfo* find_policy(std::optional<Kind> kind) noexcept {
  const auto found = std::ranges::find(kPolicies, kind, &PolicyInfo::kind);
  return found != kPolicies.end() ? &*found : nullptr;
}

const Settings& default_settings(const PolicyInfo& policy) {
  // Never destroyed, because policies may outlive this library's static objects.
  static const auto* const settings = [] {
    auto* const made = new std::array<Settings, kPolicies.size()>;
    for (std::size_t i = 0; i < kPolicies.size(); ++i) {
      (*made)[i] = *SettingsParser(kPolicies[i], Settings()).finish();  // the defaults are valid
    }
    return made;
  }();
  return (*settings)[static_cast<std::size_t>(&policy - kPolicies.data())];
}

std::vector<std::string_view> option_names(const PolicyInfo& policy) {
  std::vector<std::string_view> names;
  for (const OptionInfo& option : kOptions) {
    if ((option.policies & policy.id) != 0) names.push_back(option.name);
  }
  return names;
}

bool has_option(const PolicyInfo& policy, std::string_view option) noexcept {
  return find_option(policy, option) != nullptr;
}

Error SettingsParser::unknown_option(std::string_view option) const {
  return bad_value("option", "be " + any_of(option_names(*policy_)), option);
}

Result<void> SettingsParser::set(std::string_view option, std::string_view value) {
  const OptionInfo* const info = find_option(*policy_, option);
  if (info == nullptr) return unknown_option(option);
  // RocksDB drops all but the last of equal names, but an option may also be set by two spellings of its name.
  if (is_given(option)) return bad_value(option, "be set once", "two values");
  given_.push_back(info->name);
  if (info->is_size) {
    if (!given_size_.empty()) {
      return bad_value(option, "not be set together with " + std::string(given_size_), "both");
    }
    given_size_ = info->name;
  }
  // The budget also determines the bottommost rate, so it resets a bottommost_fp_rate of an earlier call. If one call
  // sets both, finish() fails.
  if (option == kBudgetBitsPerKey && !is_given(kBottommostFpRate)) settings_.bottommost_fp_rate.reset();
  if (option == kKeyTransform) return set_key_transform(value);
  const auto number = number_in(info->range, option, value);
  if (!number.has_value()) return number.error();
  info->access.set(settings_, *number);
  return {};
}

Result<void> SettingsParser::set_while_running(std::string_view option, std::string_view value) {
  const NamedKeyTransform* const before = settings_.key_transform;
  Result<void> result = set(option, value);
  if (!result) return result;
  if (option == "max_total_bytes" && settings_.max_total_bytes != 0 && settings_.has_listener == false) {
    return Error{ErrorCode::kBadArgument, kNeedsListener};
  }
  if (settings_.key_transform == before) return result;
  return Error{ErrorCode::kBadArgument, "key_transform must be " + text_of(before) +
                                            ", as when the database was opened, got " + std::string(value)};
}

Result<void> SettingsParser::set_key_transform(std::string_view name) {
  settings_.key_transform = nullptr;
  if (name == kNone) return {};
  const auto found = find_key_transform(name);
  if (!found) return found.error();
  settings_.key_transform = *found;
  return {};
}

Result<void> SettingsParser::set_positional(std::string_view text) {
  std::optional<std::string_view> values = text;
  while (values) {
    const std::string_view value = take_value(values);
    // A word before a value, such as "fpr:0.01", is meant as an option.
    const bool is_name = values && !value.empty() && std::isalpha(static_cast<unsigned char>(value[0])) != 0;
    Result<void> set;
    if (has_option(*policy_, value)) {
      if (!values) return this->set(value, "");
      set = this->set(value, take_value_of(value, values));
    } else if (given_size_.empty() && !is_name) {
      set = this->set(kBitsPerKey, value);
    } else if (has_option(*policy_, kBloomBeforeLevel) && !is_given(kBloomBeforeLevel) && !is_name) {
      set = this->set(kBloomBeforeLevel, value);
    } else {
      set = unknown_option(value);
    }
    if (!set) return set;
  }
  return {};
}

Result<Settings> SettingsParser::finish() const {
  if (settings_.sized_by == SizedBy::kBudget && settings_.bottommost_fp_rate) {
    return bad_value(kBottommostFpRate, "not be set together with budget_bits_per_key", "both");
  }
  auto specs = level_specs(*policy_, settings_);
  if (!specs) return specs.error();
  Settings settings = settings_;
  settings.by_distance = std::make_shared<const std::vector<LevelSpec>>(*std::move(specs));
  return settings;
}

std::string policy_id(const PolicyInfo& policy, const Settings& settings) {
  std::string id(policy.name);
  for (const OptionInfo& option : kOptions) {
    if ((option.policies & policy.id) == 0) continue;
    const std::string text = option.access.text(settings);
    if (text.empty()) continue;
    const bool positional = option.name == kBitsPerKey || option.name == kBloomBeforeLevel;
    if (!positional && !option.is_size && text == option.access.text(default_settings(policy))) continue;
    if (!positional) id.append(1, ':').append(option.name);
    id.append(1, ':').append(text);
  }
  return id;
}

}  // namespace crivo::plugin

#include "options/settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "options/level_specs.h"

namespace crivo {
namespace {

constexpr unsigned kBloom = 1;
constexpr unsigned kRibbon = 2;
constexpr unsigned kAuto = 4;
constexpr unsigned kEvery = kBloom | kRibbon | kAuto;
constexpr std::array kPolicies = {PolicyInfo{"crivo.Bloom", kBloom, Kind::kBlocked},
                                  PolicyInfo{"crivo.Ribbon", kRibbon, Kind::kRibbon},
                                  PolicyInfo{"crivo.Auto", kAuto, std::nullopt}};

// The lowest rate that may be asked for. Different keys can have the same 64-bit hash, so below this rate a file of
// 2^32 keys could not keep the promise.
constexpr double kMinFpRate = 1e-9;
constexpr int kMaxLevels = 64;

constexpr std::string_view kBitsPerKey = "bits_per_key";
constexpr std::string_view kBloomBeforeLevel = "bloom_before_level";
constexpr std::string_view kKind = "kind";
constexpr std::string_view kNone = "none";

Error bad(std::string_view field, std::string_view must, std::string_view got) {
  return {ErrorCode::kBadArgument, std::string(field) + " must " + std::string(must) + ", got " + std::string(got)};
}

/// What an option's number may be, and how a message says it.
struct Range {
  double least;
  double most;
  const char* text;  // "lie in [0, 1000]"
  bool without_most = false;
  bool integer = false;

  [[nodiscard]] bool has(double value) const noexcept {
    return value >= least && (without_most ? value < most : value <= most) && (!integer || value == std::floor(value));
  }
};

/// The number in a text. Errors: kBadArgument if the text is no number or lies outside of the range.
Result<double> number_in(const Range& range, std::string_view option, std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) {
    return bad(option, "be a number", text.empty() ? "nothing" : text);
  }
  if (!range.has(value)) return bad(option, range.text, number_text(value));
  return value;
}

/// A truth value, as 1 or 0, spelled as RocksDB's own options spell it.
Result<double> truth_in(std::string_view option, std::string_view text) {
  if (text == "true" || text == "1") return 1;
  if (text == "false" || text == "0") return 0;
  return bad(option, "be true or false", text.empty() ? "nothing" : text);
}

Result<void> set_size(Settings& settings, SizedBy sized_by, const Result<double>& size) {
  if (!size) return size.error();
  settings.sized_by = sized_by;
  settings.size = *size;
  if (sized_by == SizedBy::kBudget) settings.bottommost_fp_rate.reset();  // the budget decides about all levels
  return {};
}

std::string size_text(const Settings& settings, SizedBy sized_by) {
  return settings.sized_by == sized_by ? number_text(settings.size) : "";
}

template <class Field>
Result<void> set_field(Field& field, const Result<double>& value) {
  if (!value) return value.error();
  field = static_cast<Field>(*value);
  return {};
}

Result<void> set_key_transform(Settings& settings, std::string_view, std::string_view text) {
  settings.key_transform = nullptr;
  if (text == kNone) return {};
  const auto found = find_key_transform(text);
  if (!found) return found.error();
  settings.key_transform = *found;
  return {};
}

/// One option of the policies.
struct OptionInfo {
  std::string_view name;
  unsigned policies;  // the ids of those that have it
  Result<void> (*parse)(Settings& settings, std::string_view name, std::string_view text);
  std::string (*text)(const Settings& settings);  // empty if it was not asked for and has no default
  bool is_size = false;                           // one of those of which only one can be given
};

constexpr Range kBitsRange{0, kMaxBitsPerKey, "lie in [0, 1000]"};
constexpr Range kBytesRange{0, 1e15, "be an integer in [0, 1e15]", false, true};

constexpr OptionInfo kOptions[] = {
    {kBitsPerKey, kEvery,
     [](Settings& settings, std::string_view name, std::string_view text) {
       return set_size(settings, SizedBy::kBitsPerKey, number_in(kBitsRange, name, text));
     },
     [](const Settings& settings) { return size_text(settings, SizedBy::kBitsPerKey); }, true},
    {"fp_rate", kEvery,
     [](Settings& settings, std::string_view name, std::string_view text) {
       constexpr Range kRange{kMinFpRate, 1, "lie in [1e-9, 1)", true};
       return set_size(settings, SizedBy::kFpRate, number_in(kRange, name, text));
     },
     [](const Settings& settings) { return size_text(settings, SizedBy::kFpRate); }, true},
    {"budget_bits_per_key", kAuto,
     [](Settings& settings, std::string_view name, std::string_view text) {
       return set_size(settings, SizedBy::kBudget, number_in(kBitsRange, name, text));
     },
     [](const Settings& settings) { return size_text(settings, SizedBy::kBudget); }, true},
    {kKind, kBloom | kRibbon, nullptr, nullptr},
    {kKeyTransform, kEvery, set_key_transform,
     [](const Settings& settings) {
       return std::string(settings.key_transform != nullptr ? settings.key_transform_name() : kNone);
     }},
    {kBloomBeforeLevel, kRibbon,
     [](Settings& settings, std::string_view name, std::string_view text) {
       constexpr Range kRange{-1, std::numeric_limits<int>::max(), "be an integer in [-1, 2147483647]", false, true};
       return set_field(settings.bloom_before_level, number_in(kRange, name, text));
     },
     [](const Settings& settings) { return std::to_string(settings.bloom_before_level); }},
    {"bottommost_fp_rate", kAuto,
     [](Settings& settings, std::string_view name, std::string_view text) {
       constexpr Range kRange{kMinFpRate, 1, "lie in [1e-9, 1]"};
       return set_field(settings.bottommost_fp_rate, number_in(kRange, name, text));
     },
     [](const Settings& settings) {
       return settings.bottommost_fp_rate ? number_text(*settings.bottommost_fp_rate) : std::string();
     }},
    {"ribbon_levels", kAuto,
     [](Settings& settings, std::string_view name, std::string_view text) {
       constexpr Range kRange{0, kMaxLevels, "be an integer in [0, 64]", false, true};
       return set_field(settings.ribbon_levels, number_in(kRange, name, text));
     },
     [](const Settings& settings) { return std::to_string(settings.ribbon_levels); }},
    {"levels", kAuto,
     [](Settings& settings, std::string_view name, std::string_view text) {
       constexpr Range kRange{2, kMaxLevels, "be an integer in [2, 64]", false, true};
       return set_field(settings.levels, number_in(kRange, name, text));
     },
     [](const Settings& settings) { return std::to_string(settings.levels); }},
    {"level_ratio", kAuto,
     [](Settings& settings, std::string_view name, std::string_view text) {
       constexpr Range kRange{1, 1000, "lie in [1, 1000]"};
       return set_field(settings.level_ratio, number_in(kRange, name, text));
     },
     [](const Settings& settings) { return number_text(settings.level_ratio); }},
    {"max_filter_bytes", kEvery,
     [](Settings& settings, std::string_view name, std::string_view text) {
       return set_field(settings.max_filter_bytes, number_in(kBytesRange, name, text));
     },
     [](const Settings& settings) { return std::to_string(settings.max_filter_bytes); }},
    {"max_build_bytes", kEvery,
     [](Settings& settings, std::string_view name, std::string_view text) {
       return set_field(settings.max_build_bytes, number_in(kBytesRange, name, text));
     },
     [](const Settings& settings) { return std::to_string(settings.max_build_bytes); }},
    {"count_questions", kEvery,
     [](Settings& settings, std::string_view name, std::string_view text) {
       return set_field(settings.count_questions, truth_in(name, text));
     },
     [](const Settings& settings) { return std::string(settings.count_questions ? "true" : "false"); }},
};

const OptionInfo* find_option(const PolicyInfo& policy, std::string_view name) noexcept {
  const auto found = std::ranges::find(kOptions, name, &OptionInfo::name);
  return found != std::end(kOptions) && (found->policies & policy.id) != 0 ? found : nullptr;
}

/// The words as an error message lists them: "a, b or c".
std::string any_of(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

/// Takes the first of the values between colons off a text.
std::string_view take_value(std::optional<std::string_view>& values) {
  const std::size_t colon = values->find(':');
  const std::string_view first = values->substr(0, colon);
  values = colon == std::string_view::npos ? std::nullopt : std::optional(values->substr(colon + 1));
  return first;
}

/// Takes the value of an option, which may have a colon in it if it is the name of a key transform.
std::string_view take_value_of(std::string_view option, std::optional<std::string_view>& values) {
  const std::string_view all = *values;
  const std::string_view value = take_value(values);
  if (option != kKeyTransform || !values || !has_parameter(value)) return value;
  return all.substr(0, value.size() + 1 + take_value(values).size());
}

}  // namespace

std::span<const PolicyInfo> policies() noexcept { return kPolicies; }

const PolicyInfo* find_policy(std::string_view name) noexcept {
  const auto found = std::ranges::find(kPolicies, name, &PolicyInfo::name);
  return found != kPolicies.end() ? &*found : nullptr;
}

const PolicyInfo* find_policy(std::optional<Kind> kind) noexcept {
  const auto found = std::ranges::find(kPolicies, kind, &PolicyInfo::kind);
  return found != kPolicies.end() ? &*found : nullptr;
}

const LevelSpec& Settings::at(int distance) const noexcept {
  return (*by_distance)[std::min(static_cast<std::size_t>(std::max(distance, 0)), by_distance->size() - 1)];
}

const Settings& default_settings(const PolicyInfo& policy) {
  // Never destroyed, because policies may outlive our static objects.
  static const auto* const settings = [] {
    auto* const made = new std::array<Settings, kPolicies.size()>;
    for (std::size_t i = 0; i < kPolicies.size(); ++i) {
      (*made)[i] = *SettingsParser(kPolicies[i], Settings()).finish();  // the defaults are in their ranges
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
  return bad("option", "be " + any_of(option_names(policy_)), option.empty() ? "nothing" : option);
}

Result<void> SettingsParser::set(std::string_view option, std::string_view value) {
  const OptionInfo* const info = find_option(policy_, option);
  if (info == nullptr) return unknown_option(option);
  // RocksDB lets the last of two equal names win and shows us only that one, but there are two ways to write a name.
  const std::uint32_t bit = std::uint32_t{1} << (info - kOptions);
  if ((given_ & bit) != 0) return bad(option, "be given once", "it twice");
  given_ |= bit;
  if (option == kKind) {
    const std::string_view kind = kind_name(*policy_.kind);
    return value == kind ? Result<void>() : bad(kKind, "be " + std::string(kind), value);
  }
  if (info->is_size) {
    if (!given_size_.empty() && given_size_ != info->name) {
      return bad(option, "not be given together with " + std::string(given_size_), "both");
    }
    given_size_ = info->name;
  }
  return info->parse(settings_, option, value);
}

Result<void> SettingsParser::set_positional(std::string_view text) {
  std::optional<std::string_view> values = text;
  bool has_level = false;
  while (values) {
    const std::string_view value = take_value(values);
    // A word with a value behind it, such as "fpr:0.01", is meant as an option.
    const bool is_name = values && !value.empty() && std::isalpha(static_cast<unsigned char>(value[0])) != 0;
    Result<void> set;
    if (has_option(policy_, value)) {
      if (!values) return this->set(value, "");
      has_level = has_level || value == kBloomBeforeLevel;
      set = this->set(value, take_value_of(value, values));
    } else if (given_size_.empty() && !is_name) {
      set = this->set(kBitsPerKey, value);
    } else if (has_option(policy_, kBloomBeforeLevel) && !has_level && !is_name) {
      has_level = true;
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
    return bad("bottommost_fp_rate", "not be given together with budget_bits_per_key", "both");
  }
  auto specs = level_specs(policy_, settings_);
  if (!specs) return specs.error();
  Settings settings = settings_;
  settings.by_distance = std::make_shared<const std::vector<LevelSpec>>(*std::move(specs));
  return settings;
}

Result<void> SharedSettings::replace(std::string_view values) {
  const std::lock_guard lock(mutex_);
  call_.reset();
  SettingsParser parser(policy_, default_settings(policy_));
  return apply(parser, [&](SettingsParser& all) { return all.set_positional(values); });
}

std::string number_text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string option_text(const PolicyInfo& policy, const Settings& settings, std::string_view option) {
  if (option == kKind) return policy.kind ? std::string(kind_name(*policy.kind)) : "";
  const OptionInfo* const info = find_option(policy, option);
  return info != nullptr ? info->text(settings) : "";
}

std::string policy_id(const PolicyInfo& policy, const Settings& settings) {
  std::string id(policy.name);
  for (const OptionInfo& option : kOptions) {
    if ((option.policies & policy.id) == 0 || option.parse == nullptr) continue;
    const std::string text = option.text(settings);
    if (text.empty()) continue;
    const bool positional = option.name == kBitsPerKey || option.name == kBloomBeforeLevel;
    if (!positional && !option.is_size && text == option.text(default_settings(policy))) continue;
    if (!positional) id.append(1, ':').append(option.name);
    id.append(1, ':').append(text);
  }
  return id;
}

}  // namespace crivo

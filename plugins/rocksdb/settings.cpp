#include "settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "crivo/sizing.h"

namespace crivo {
namespace {

constexpr std::string_view kBitsPerKey = "bits_per_key";
constexpr std::string_view kFpRate = "fp_rate";
constexpr std::string_view kKind = "kind";
constexpr std::string_view kBloomBeforeLevel = "bloom_before_level";
constexpr std::string_view kNone = "none";
constexpr std::string_view kKeyTransformInfix = ":key_transform:";
constexpr std::string_view kFpRatePrefix = "fp_rate:";  // marks a positional value as a rate
constexpr std::string_view kOptions[] = {kBitsPerKey, kFpRate, kKind, kKeyTransform, kBloomBeforeLevel};
constexpr PolicyInfo kPolicies[] = {{"crivo.Bloom", Kind::kBlocked, std::span(kOptions).first(4)},
                                    {"crivo.Ribbon", Kind::kRibbon, kOptions}};

// The lowest rate that may be asked for. Different keys can have the same 64-bit hash, so below this rate a file of
// 2^32 keys could not keep the promise.
constexpr double kMinFpRate = 1e-9;

Error bad(std::string_view field, std::string_view must, std::string_view got) {
  return {ErrorCode::kBadArgument, std::string(field) + " must " + std::string(must) + ", got " + std::string(got)};
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The bits per key of a blocked filter with this rate. The rate depends on the blocks per key, and rounding a smaller
// filter up to whole blocks only lowers it. So the ratio of one large filter serves every file and partition, and there
// is no search for each.
Result<double> bits_per_key_for(double fp_rate) {
  constexpr std::uint64_t kKeys = 1 << 20;
  const auto size = size_blocked(kKeys, fp_rate);
  if (!size) return size.error();
  return static_cast<double>(size->units) * kBlockBits / kKeys;
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

}  // namespace

bool PolicyInfo::has_option(std::string_view option) const noexcept { return std::ranges::count(options, option) != 0; }

std::span<const PolicyInfo> policies() noexcept { return kPolicies; }

const PolicyInfo* find_policy(std::string_view name) noexcept {
  const auto found = std::ranges::find(kPolicies, name, &PolicyInfo::name);
  return found != std::end(kPolicies) ? found : nullptr;
}

const PolicyInfo* find_policy(Kind kind) noexcept {
  const auto found = std::ranges::find(kPolicies, kind, &PolicyInfo::kind);
  return found != std::end(kPolicies) ? found : nullptr;
}

FilterSpec Settings::spec(Kind kind) const noexcept {
  if (kind == Kind::kBlocked) return {.kind = kind, .bits_per_key = bits_per_key};
  const double rate =
      fp_rate != 0 ? fp_rate : blocked_fp_rate(bits_per_key / kBlockBits, 1, best_blocked_probes(bits_per_key));
  return {.kind = kind, .fp_rate = rate};
}

Result<void> SettingsParser::set_bits_per_key(double value) {
  if (!(value >= 0 && value <= kMaxBitsPerKey))
    return bad(kBitsPerKey, "lie in [0, " + number_text(kMaxBitsPerKey) + "]", number_text(value));
  if (auto given = give(kBitsPerKey); !given) return given;
  settings_.bits_per_key = value;
  settings_.fp_rate = 0;
  return {};
}

Result<void> SettingsParser::set_fp_rate(double value) {
  if (!(value >= kMinFpRate && value < 1)) return bad(kFpRate, "lie in [1e-9, 1)", number_text(value));
  if (auto given = give(kFpRate); !given) return given;
  const auto bits_per_key = bits_per_key_for(value);
  if (!bits_per_key) return bits_per_key.error();
  settings_.bits_per_key = *bits_per_key;
  settings_.fp_rate = value;
  return {};
}

Result<void> SettingsParser::set_bloom_before_level(double value) {
  if (!policy_.has_levels()) return unknown_option(kBloomBeforeLevel);
  if (!(value >= -1 && value <= std::numeric_limits<int>::max() && value == std::floor(value))) {
    return bad(kBloomBeforeLevel, "be an integer in [-1, 2147483647]", number_text(value));
  }
  settings_.bloom_before_level = static_cast<int>(value);
  return {};
}

Result<void> SettingsParser::set_key_transform(std::string_view name) {
  if (name == kNone) {
    settings_.key_transform = nullptr;
    return {};
  }
  const auto found = find_key_transform(name);
  if (!found) return found.error();
  settings_.key_transform = *found;
  return {};
}

Error SettingsParser::unknown_option(std::string_view option) const {
  return bad("option", "be " + any_of(policy_.options), option);
}

Result<void> SettingsParser::give(std::string_view option) {
  if (!given_.empty() && given_ != option) {
    return bad(option, "not be given together with " + std::string(given_), "both");
  }
  given_ = option;
  return {};
}

Result<void> SettingsParser::set(std::string_view option, std::string_view value) {
  if (!policy_.has_option(option)) return unknown_option(option);
  if (option == kKind) {
    if (value == kind_name(policy_.kind)) return {};
    return bad(kKind, "be " + std::string(kind_name(policy_.kind)), value);
  }
  if (option == kKeyTransform) return set_key_transform(value);
  const auto number = parse_number(value);
  if (!number) return bad(option, "be a number", value.empty() ? "nothing" : value);
  if (option == kBloomBeforeLevel) return set_bloom_before_level(*number);
  return option == kFpRate ? set_fp_rate(*number) : set_bits_per_key(*number);
}

Result<void> SettingsParser::set_positional(std::string_view values) {
  if (const std::size_t at = values.find(kKeyTransformInfix); at != std::string_view::npos) {
    if (auto set = set_key_transform(values.substr(at + kKeyTransformInfix.size())); !set) return set;
    values = values.substr(0, at);
  }
  const bool by_rate = values.starts_with(kFpRatePrefix);
  if (by_rate) values.remove_prefix(kFpRatePrefix.size());
  const std::size_t colon = policy_.has_levels() ? values.find(':') : std::string_view::npos;
  if (auto set_size = set(by_rate ? kFpRate : kBitsPerKey, values.substr(0, colon)); !set_size) return set_size;
  return colon == std::string_view::npos ? Result<void>() : set(kBloomBeforeLevel, values.substr(colon + 1));
}

std::string number_text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string option_text(const PolicyInfo& policy, const Settings& settings, std::string_view option) {
  if (option == kKind) return std::string(kind_name(policy.kind));
  if (option == kKeyTransform) return settings.key_transform != nullptr ? settings.key_transform->name : "none";
  if (option == kBloomBeforeLevel) return std::to_string(settings.bloom_before_level);
  if (option == kFpRate) return settings.fp_rate != 0 ? number_text(settings.fp_rate) : "";
  return settings.fp_rate == 0 ? number_text(settings.bits_per_key) : "";
}

std::string policy_id(const PolicyInfo& policy, const Settings& settings) {
  std::string id(policy.name);
  id += ':';
  if (settings.fp_rate != 0) id += kFpRatePrefix;
  id += option_text(policy, settings, settings.fp_rate != 0 ? kFpRate : kBitsPerKey);
  if (policy.has_levels()) id.append(1, ':').append(option_text(policy, settings, kBloomBeforeLevel));
  if (settings.key_transform != nullptr) {
    id.append(1, ':').append(kKeyTransform).append(1, ':').append(settings.key_transform->name);
  }
  return id;
}

}  // namespace crivo

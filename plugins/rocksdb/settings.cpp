#include "settings.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "crivo/sizing.h"

namespace crivo {
namespace {

constexpr double kMaxBitsPerKey = 1000;  // FilterSpec's
// Hashes of 64 bits coincide: below this a file of 2^32 keys could not keep the promise.
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

// A filter's rate depends on its blocks per key, and rounding a smaller filter up to whole blocks only lowers it. So
// the ratio of one large filter serves every file and partition, without a search at each.
Result<double> bits_per_key_for(double fp_rate) {
  constexpr std::uint64_t kKeys = 1 << 20;
  const auto size = size_blocked(kKeys, fp_rate);
  if (!size) return size.error();
  return static_cast<double>(size->units) * kBlockBits / kKeys;
}

}  // namespace

Result<void> SettingsParser::set_bits_per_key(double value) {
  if (!(value >= 0 && value <= kMaxBitsPerKey)) {
    return bad("bits_per_key", "lie in [0, 1000]", number_text(value));
  }
  if (auto given = give("bits_per_key"); !given) return given;
  settings_ = {.bits_per_key = value, .fp_rate = 0};
  return {};
}

Result<void> SettingsParser::set_fp_rate(double value) {
  if (!(value >= kMinFpRate && value < 1)) return bad("fp_rate", "lie in [1e-9, 1)", number_text(value));
  if (auto given = give("fp_rate"); !given) return given;
  const auto bits_per_key = bits_per_key_for(value);
  if (!bits_per_key) return bits_per_key.error();
  settings_ = {.bits_per_key = *bits_per_key, .fp_rate = value};
  return {};
}

Result<void> SettingsParser::set_kind(std::string_view name) {
  if (name != kind_name(Kind::kBlocked)) return bad("kind", "be blocked", name);
  return {};
}

Result<void> SettingsParser::give(std::string_view name) {
  if (!given_.empty() && given_ != name) return bad(name, "not be given together with " + std::string(given_), "both");
  given_ = name;
  return {};
}

Result<void> SettingsParser::set(std::string_view name, std::string_view value) {
  if (name == "kind") return set_kind(value);
  if (!knows(name)) return bad("option", "be bits_per_key, fp_rate or kind", name);
  const auto number = parse_number(value);
  if (!number) return bad(name, "be a number", value.empty() ? "nothing" : value);
  return name == "fp_rate" ? set_fp_rate(*number) : set_bits_per_key(*number);
}

bool SettingsParser::knows(std::string_view name) noexcept {
  return name == "bits_per_key" || name == "fp_rate" || name == "kind";
}

std::string number_text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace crivo

// Strict numbers; see numbers.h.
#include "numbers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

#include "crivo/sizing.h"

namespace crivo::tool {
namespace {

template <class Number>
std::optional<Number> parse(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{} || stop != end) return std::nullopt;
  return number;
}

Error wrong(std::string_view rule, std::string_view got) {
  return {ErrorCode::kBadArgument, std::string(rule) + ", got " + std::string(got)};
}

/// What follows a number of bytes: a letter, and the rest, which says what it is a power of.
struct ByteUnits {
  std::string_view number;  // in front of them
  std::size_t power = 0;    // 1 for K; 0 for none
  std::string_view rest;    // "", "iB" or "B"
  [[nodiscard]] std::uint64_t unit_of(std::size_t of_power) const noexcept {
    constexpr std::uint64_t kDecimal[] = {1, 1'000, 1'000'000, 1'000'000'000, 1'000'000'000'000};
    return rest == "B" ? kDecimal[of_power] : std::uint64_t{1} << (10 * of_power);
  }
};

constexpr std::string_view kUnitLetters = "KMGT";

ByteUnits split_units(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  ByteUnits units{.number = text, .power = 0, .rest = {}};
  if (digits == text.size()) return units;
  const std::string_view rest = text.substr(digits + 1);
  const std::size_t letter = text.substr(digits) == "kB" ? 0 : kUnitLetters.find(text[digits]);
  if (letter == std::string_view::npos || (!rest.empty() && rest != "iB" && rest != "B")) return units;
  return {.number = text.substr(0, digits), .power = letter + 1, .rest = rest};
}

/// In the largest unit of which there is a whole number, or at least ten.
std::string in_units(std::uint64_t bytes, const ByteUnits& units) {
  for (std::size_t power = kUnitLetters.size(); power > 0; --power) {
    const std::uint64_t unit = units.unit_of(power);
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): no unit is 0
    if (bytes < unit || (bytes % unit != 0 && bytes / unit < 10)) continue;
    return std::to_string((bytes + unit - 1) / unit) + kUnitLetters[power - 1] + std::string(units.rest);
  }
  return std::to_string(bytes);
}

}  // namespace

Result<std::uint64_t> parse_capacity(std::string_view text) {
  // The comparison of doubles is exact here: every integer up to 2^40 is a double, and no larger one is rounded into
  // the range.
  const std::optional<double> capacity = parse<double>(text);
  if (!capacity || !(*capacity >= 1 && *capacity <= static_cast<double>(kMaxCapacity)) ||
      *capacity != std::floor(*capacity)) {
    return wrong("capacity must be an integer from 1 to " + std::to_string(kMaxCapacity), text);
  }
  return static_cast<std::uint64_t>(*capacity);
}

Result<double> parse_fpr(std::string_view text) {
  const std::optional<double> fpr = parse<double>(text);
  if (!fpr || !(*fpr > 0 && *fpr < 1)) return wrong("fpr must lie in (0, 1)", text);
  return *fpr;
}

Result<unsigned> parse_threads(std::string_view text) {
  constexpr unsigned kMostThreads = 1024;
  const auto threads = parse<unsigned>(text);
  if (!threads || *threads > kMostThreads) return wrong("threads must be an integer from 0 to 1024", text);
  return *threads;
}

Result<std::uint64_t> parse_seed(std::string_view text) {
  if (const auto seed = parse<std::uint64_t>(text)) return *seed;
  if (const auto seed = parse<std::int64_t>(text)) return static_cast<std::uint64_t>(*seed);
  return wrong("seed must be a 64-bit integer", text);
}

Result<std::uint64_t> parse_bytes(std::string_view text, std::string_view name) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 46;  // far beyond any machine, and far from overflowing
  const ByteUnits units = split_units(text);
  const auto count = parse<std::uint64_t>(units.number);
  const std::uint64_t unit = units.unit_of(units.power);
  if (!count || *count < 1 || *count > kMost / unit) {
    return wrong(std::string(name) + " must be a number of bytes from 1 to 64T, such as 4G or 4GB", text);
  }
  return *count * unit;
}

std::string in_units_of(std::string_view typed, const std::string& message) {
  const ByteUnits units = split_units(typed);
  const auto value = parse_bytes(typed);
  if (units.power == 0 || !value) return message;
  std::string out;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t end = std::min(message.find_first_not_of("0123456789", at), message.size());
    if (end == at) {
      out += message[at++];
      continue;
    }
    const std::string_view digits = std::string_view(message).substr(at, end - at);
    const auto bytes = parse<std::uint64_t>(digits);
    const bool is_word = at == 0 || std::isalnum(static_cast<unsigned char>(message[at - 1])) == 0;
    const bool of_keys = std::string_view(message).substr(end).starts_with(" keys");
    at = end;
    if (!bytes || !is_word || of_keys) {
      out += digits;
      continue;
    }
    out += *bytes == *value ? std::string(typed) : in_units(*bytes, units);
    if (constexpr std::string_view kBytes = " bytes"; std::string_view(message).substr(end).starts_with(kBytes)) {
      at += kBytes.size();  // the unit says so
    }
  }
  return out;
}

}  // namespace crivo::tool

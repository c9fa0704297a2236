#include "numbers.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>

#include "command.h"
#include "crivo/build_options.h"
#include "crivo/host/text.h"
#include "crivo/host/window.h"
#include "crivo/ordered.h"
#include "crivo/types.h"

namespace crivo::tool {
namespace {

Refused wrong(std::string_view rule, std::string_view got) {
  return Refused(std::string(rule) + ", got " + std::string(got));
}

/// A number of bytes with a unit. The letter of the unit determines the power, and the rest the base: 1000 for "B",
/// else 1024.
struct ByteUnits {
  std::string_view number;  // the text before the unit
  std::size_t power = 0;    // 1 for K; 0 without a unit
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

/// Formats a number of bytes in the largest unit in which it is an integer or at least 10, rounded up.
std::string in_units(std::uint64_t bytes, const ByteUnits& units) {
  for (std::size_t power = units.power == 0 ? 0 : kUnitLetters.size(); power > 0; --power) {
    const std::uint64_t unit = units.unit_of(power);
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): no unit is 0
    if (bytes < unit || (bytes % unit != 0 && bytes / unit < 10)) continue;
    return std::to_string((bytes + unit - 1) / unit) + kUnitLetters[power - 1] + std::string(units.rest);
  }
  return std::to_string(bytes);
}

/// The current time in milliseconds since 1970.
std::int64_t time_now() noexcept {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

/// Parses a time in UTC to milliseconds since 1970: "now", seconds since 1970, "2024-03-01", "2024-03-01 12:30" or
/// "2024-03-01T12:30:59Z", up to the year 9999.
std::int64_t parse_time(std::string_view text) {
  if (text == "now") return time_now();
  const auto in_range = [](double time) { return time >= 0 && time <= static_cast<double>(kLastTime); };
  if (const auto seconds = read_number<double>(text); seconds && in_range(*seconds * 1e3)) {
    return std::llround(*seconds * 1e3);
  }
  // Each format must match the whole text. "T" may replace the blank, and "Z" may follow.
  std::string date(text);
  if (date.size() > 10 && date[10] == 'T') date[10] = ' ';
  if (date.size() > 10 && date.back() == 'Z') date.pop_back();
  for (const char* form : {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"}) {
    std::tm parts{};
    const char* const end = ::strptime(date.c_str(), form, &parts);
    if (end == nullptr || end != date.c_str() + date.size()) continue;
    const std::chrono::year_month_day day(std::chrono::year(parts.tm_year + 1900),
                                          std::chrono::month(static_cast<unsigned>(parts.tm_mon + 1)),
                                          std::chrono::day(static_cast<unsigned>(parts.tm_mday)));
    if (!day.ok() || parts.tm_sec > 59) continue;
    const std::int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
    const std::int64_t time = (days * 86400 + parts.tm_hour * 3600 + parts.tm_min * 60 + parts.tm_sec) * 1000;
    if (in_range(static_cast<double>(time))) return time;
  }
  throw wrong("time must be a time from 1970 to 9999 in UTC, as seconds since 1970 or as 2024-03-01 12:30", text);
}

/// Parses a number of bytes, from 1 to 2^46. As in dd and sort, the suffixes K, M, G and T are powers of 1024, also
/// with "iB" ("4G", "4GiB"); KB (or kB), MB, GB and TB are powers of 1000. `name` is the option's name, for errors.
std::uint64_t parse_bytes(std::string_view text, std::string_view name) {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 46;  // more than any machine has; the product cannot overflow
  const ByteUnits units = split_units(text);
  const auto count = read_number<std::uint64_t>(units.number);
  const std::uint64_t unit = units.unit_of(units.power);
  if (!count || *count < 1 || *count > kMax / unit) {
    throw wrong(std::string(name) + " must be a number of bytes from 1 to 64T, such as 4G or 4GB", text);
  }
  return *count * unit;
}

}  // namespace

std::uint64_t parse_capacity(std::string_view text) { return parse_count(text, "capacity", 1, kMaxCapacity); }

std::uint64_t parse_count(std::string_view text, std::string_view name, std::uint64_t least, std::uint64_t most) {
  // Comparing doubles is exact: every integer up to 2^40 is a double, and no larger integer is rounded into the range.
  const ByteUnits units = split_units(text);
  std::optional<double> count;
  if (units.rest.empty()) count = read_number<double>(units.number);
  if (count) *count *= static_cast<double>(units.unit_of(units.power));
  if (!count || !(*count >= static_cast<double>(least) && *count <= static_cast<double>(most)) ||
      *count != std::floor(*count)) {
    throw wrong(std::string(name) + " must be an integer from " + std::to_string(least) + " to " +
                    std::to_string(most) + (most >= 1'000'000 ? ", such as 1000000 or 1M" : ""),
                text);
  }
  return static_cast<std::uint64_t>(*count);
}

double parse_fp_rate(std::string_view text) {
  const std::optional<double> rate = read_number<double>(text);
  if (!rate) throw wrong("fp_rate must be a number in (0, 1), or 1 for map and exact", text);
  if (!(*rate > 0 && *rate <= 1)) throw wrong("fp_rate must be in (0, 1), or be 1 for map and exact", text);
  return *rate;
}

double parse_bits_per_key(std::string_view text) {
  if (const auto bits = read_number<double>(text)) return *bits;
  throw wrong("bits_per_key must be a number", text);
}

unsigned parse_threads(std::string_view text) {
  constexpr unsigned kMaxThreads = 1024;
  if (text == "all") return kAllThreads;
  const auto threads = read_number<unsigned>(text);
  if (!threads || *threads < 1 || *threads > kMaxThreads) {
    throw wrong("threads must be an integer from 1 to 1024, or all", text);
  }
  return *threads;
}

std::uint64_t parse_seed(std::string_view text) {
  if (const auto seed = read_number<std::uint64_t>(text)) return *seed;
  if (const auto seed = read_number<std::int64_t>(text)) return static_cast<std::uint64_t>(*seed);
  throw wrong("seed must be a 64-bit integer", text);
}

void set_clock(AnyFilter& filter, std::optional<std::int64_t> time) {
  if (!time && !filter.ref().kind().can.advance) return;
  unwrap(filter.advance(time.value_or(time_now())));
  const PaneClock window = *clock_of(filter.shape(), filter.payload().data());
  if (time || window.end_of_newest() - window.pane_length <= time_now()) return;
  std::fputs(
      "crivo: note: the window's clock is ahead of this machine's and cannot be set back; build a new file to reset "
      "it\n",
      stderr);
}

std::optional<std::uint64_t> parse_ordered(std::string_view text) {
  const auto integer = read_number<std::int64_t>(text);
  return integer ? std::optional(ordered(*integer)) : std::nullopt;
}

std::optional<OrderedRange> parse_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  const auto low = parse_ordered(text.substr(0, dots));
  const auto high = dots == std::string_view::npos ? low : parse_ordered(text.substr(dots + 2));
  if (!low || !high) return std::nullopt;
  return OrderedRange{*low, *high};
}

CLI::Option* add_limit(CLI::App& command, ByteLimit& limit, const std::string& about) {
  return add_option(
             command, "--" + limit.option,
             [&limit](const std::string& text) {
               limit.bytes = parse_bytes(text, limit.option);
               limit.given = text;
             },
             about, "BYTES")
      ->default_str(limit.given);
}

CLI::Option* add_time(CLI::App& command, std::optional<std::int64_t>& time) {
  return add_option(command, "--time", into(time, parse_time),
                    "Time of the keys, for the kind window: UTC, as 2024-03-01 12:30 or seconds since 1970", "TIME")
      ->default_str("now");
}

Refused limit_error(const ByteLimit& limit, std::uint64_t needed_bytes) {
  const std::string needed = in_units(needed_bytes, split_units(limit.given));
  return Refused(Error{ErrorCode::kTooLarge, limit.option + " must be at least " + needed + ", got " + limit.given});
}

}  // namespace crivo::tool

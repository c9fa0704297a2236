// Strict numbers; see numbers.h.
#include "numbers.h"

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
  constexpr std::string_view kUnits = "KMGT";
  constexpr std::uint64_t kMost = std::uint64_t{1} << 46;  // far beyond any machine, and far from overflowing
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  const bool has_unit = unit != std::string_view::npos;
  const auto count = parse<std::uint64_t>(has_unit ? text.substr(0, text.size() - 1) : text);
  const std::size_t shift = has_unit ? 10 * (unit + 1) : 0;
  if (!count || *count < 1 || *count > kMost >> shift) {
    return wrong(std::string(name) + " must be a number of bytes from 1 to 64T, such as 4G", text);
  }
  return *count << shift;
}

}  // namespace crivo::tool

// The clock of a window, and the fields before its blocks (docs/format.md, "window").
#include <algorithm>
#include <array>
#include <cmath>

#include "crivo/host/bytes.h"
#include "crivo/host/text.h"
#include "crivo/host/window.h"

namespace crivo {
namespace {

constexpr double kLongestWindow = 100 * 365.25 * 86400e3;  // 100 years, in milliseconds

struct Unit {
  std::string_view name;
  double milliseconds;
};
constexpr std::array kUnits = {Unit{"second", 1e3}, Unit{"minute", 60e3}, Unit{"hour", 3600e3}, Unit{"day", 86400e3},
                               Unit{"week", 604800e3}};

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The milliseconds of a unit; 0 for an unknown unit. An empty word stands for seconds.
double unit_milliseconds(std::string_view word) noexcept {
  if (word.empty()) return kUnits.front().milliseconds;
  if (lower(word.back()) == 's') word.remove_suffix(1);
  for (const Unit& unit : kUnits) {
    if (std::ranges::equal(word, unit.name, {}, &lower)) return unit.milliseconds;
  }
  return 0;
}

// The fields before the blocks.
constexpr std::size_t kLengthOffset = 0;
constexpr std::size_t kFirstPaneOffset = 8;
constexpr std::size_t kGenerationOffset = 16;

}  // namespace

bool PaneClock::is_sound() const noexcept {
  if (panes < 1 || panes > kMaxPanes || pane_length < 1 || pane_length > kLastTime) return false;
  const std::int64_t last = kLastTime / pane_length;
  if (first_pane < -1 || first_pane > last) return false;
  return generation <= static_cast<std::uint64_t>(last - std::max<std::int64_t>(first_pane, 0));
}

std::uint64_t PaneClock::generation_at(Time time) const noexcept {
  const std::int64_t pane = time / pane_length;
  if (first_pane < 0 || pane < first_pane) return generation;
  return std::max(generation, static_cast<std::uint64_t>(pane - first_pane));
}

Time PaneClock::end_of_newest() const noexcept {
  return (first_pane + static_cast<std::int64_t>(generation) + 1) * pane_length;
}

void PaneClock::advance(Time time) noexcept {
  if (first_pane < 0) first_pane = time / pane_length;
  generation = generation_at(time);
}

std::optional<double> read_window_length(std::string_view text) noexcept {
  const std::size_t end = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
  const double number = read_number<double>(text.substr(0, end)).value_or(0);
  text.remove_prefix(end);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  // Rounded to a microsecond, because 2.007 * 1000 is 2007.0000000000002, and callers round up to milliseconds.
  const double window = std::round(number * unit_milliseconds(text) * 1000) / 1000;
  return window > 0 && window <= kLongestWindow ? std::optional(window) : std::nullopt;
}

std::optional<std::int64_t> length_of_pane(double window, std::uint32_t panes) noexcept {
  if (!(window >= panes && window <= kLongestWindow)) return std::nullopt;
  return static_cast<std::int64_t>(std::ceil(window / panes));
}

FilterSpec spec_of_pane(const FilterSpec& spec, std::uint32_t panes) noexcept {
  FilterSpec pane = spec;
  pane.capacity = (spec.capacity - 1) / panes + 1;
  pane.fp_rate = spec.fp_rate / (panes + 1);
  if (spec.bits_per_key) pane.bits_per_key = *spec.bits_per_key * panes / (panes + 1);
  return pane;
}

std::optional<PaneClock> clock_of(const Shape& shape, const std::byte* payload) noexcept {
  if (shape.kind != Kind::kWindow) return std::nullopt;
  return PaneClock{.pane_length = static_cast<std::int64_t>(load_le<std::uint64_t>(payload + kLengthOffset)),
                   .panes = shape.param,
                   .first_pane = static_cast<std::int64_t>(load_le<std::uint64_t>(payload + kFirstPaneOffset)),
                   .generation = load_le<std::uint64_t>(payload + kGenerationOffset)};
}

void write_clock(std::byte* payload, const PaneClock& window) noexcept {
  store_le(payload + kLengthOffset, static_cast<std::uint64_t>(window.pane_length));
  store_le(payload + kFirstPaneOffset, static_cast<std::uint64_t>(window.first_pane));
  store_le(payload + kGenerationOffset, window.generation);
}

}  // namespace crivo

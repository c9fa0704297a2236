// The time in a window: keys lie in panes by the time at which they came, and go with their pane.
//
// Time is cut into panes of equal length. A window keeps the newest pane and as many older ones as `panes` says, so a
// key is found for one window at least, and for one pane more at most. A pane is known by its generation, the number of
// panes since the first one. Generations only ever rise: a clock that goes backwards loses nothing. docs/format.md,
// "window" and "Filter tables".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "crivo/types.h"

namespace crivo {

/// Milliseconds since 1970-01-01 00:00:00 UTC, from 0 to kLastTime.
using Time = std::int64_t;
inline constexpr Time kLastTime = 253402300799999;  // 9999-12-31 23:59:59.999

inline constexpr std::uint32_t kMaxPanes = 256;

struct PaneClock {
  std::int64_t pane_length = 0;  // in milliseconds, above 0
  std::uint32_t panes = 0;       // how many panes a window has
  std::int64_t first_pane = -1;  // the panes between 1970 and the first; -1 until the clock is first set
  std::uint64_t generation = 0;  // the newest that is known

  /// Whether the values are such that no sum of them overflows. Forged bytes may have others.
  [[nodiscard]] bool is_sound() const noexcept;
  /// The panes that are kept.
  [[nodiscard]] std::uint32_t kept_panes() const noexcept { return panes + 1; }
  /// The place of a generation's pane among those that are kept.
  [[nodiscard]] std::uint32_t place(std::uint64_t pane) const noexcept {
    return static_cast<std::uint32_t>(pane % kept_panes());
  }
  /// The generation at this time, or the newest that is known, if that is later.
  [[nodiscard]] std::uint64_t generation_at(Time time) const noexcept;
  /// When the newest pane ends. The clock must have been set.
  [[nodiscard]] Time end_of_newest() const noexcept;
  /// Sets the clock to a time; an earlier one than is known changes nothing.
  void advance(Time time) noexcept;

  friend bool operator==(const PaneClock&, const PaneClock&) = default;
};

/// The milliseconds that a text means, above 0 and maybe not whole: "7 days", "36 hours", "90 minutes", "30 seconds",
/// "2 weeks", or a number of seconds. The units stand in any case, in the singular or the plural. Nothing for any other
/// text, and for more than a hundred years.
[[nodiscard]] std::optional<double> read_window_length(std::string_view text) noexcept;
/// What a length of a window may be, for messages.
inline constexpr std::string_view kWindowLengths =
    "a length of time like '7 days', '36 hours', '90 minutes', '30 seconds' or a number of seconds, at least a "
    "millisecond for each pane and at most 100 years";
/// The milliseconds of a pane, rounded up, of a window of so many; nothing unless these lie in `panes` to 100 years.
[[nodiscard]] std::optional<std::int64_t> length_of_pane(double window, std::uint32_t panes) noexcept;

/// What each pane is made for: its share of the keys, at such a rate that all panes together keep the promised one; or
/// its share of the bits. Capacity and panes are at least 1.
[[nodiscard]] FilterSpec spec_of_pane(const FilterSpec& spec, std::uint32_t panes) noexcept;

/// The clock of a filter, of a payload that was checked; no value for a kind that has none.
[[nodiscard]] std::optional<PaneClock> clock_of(const Shape& shape, const std::byte* payload) noexcept;
/// Writes what stands in front of a payload's blocks.
void write_clock(std::byte* payload, const PaneClock& window) noexcept;

}  // namespace crivo

// The clock and the panes of a window: keys are stored in panes by the time of their addition, and expire with their
// pane.
//
// Time is divided into panes of equal length. A window stores the newest pane and `panes` older ones, so a key is found
// for at least one window, and at most one pane longer. A pane's generation is the number of panes since the first one.
// Generations never decrease: if the clock goes backwards, no key is lost. See docs/format.md, "window" and "Filter
// tables".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "crivo/types.h"

namespace crivo {

/// Milliseconds since 1970-01-01 00:00:00 UTC, in [0, kLastTime].
using Time = std::int64_t;
inline constexpr Time kLastTime = 253402300799999;  // 9999-12-31 23:59:59.999

inline constexpr std::uint32_t kMaxPanes = 256;

struct PaneClock {
  std::int64_t pane_length = 0;  // milliseconds, above 0
  std::uint32_t panes = 0;       // per window
  std::int64_t first_pane = -1;  // the number of the first pane, counted from 1970; -1 before the clock is set
  std::uint64_t generation = 0;  // of the newest pane

  /// Whether no sum of the values overflows. Forged bytes may contain any values.
  [[nodiscard]] bool is_sound() const noexcept;
  /// The number of stored panes.
  [[nodiscard]] std::uint32_t kept_panes() const noexcept { return panes + 1; }
  /// The index of a generation's pane among the stored ones.
  [[nodiscard]] std::uint32_t place(std::uint64_t pane) const noexcept {
    return static_cast<std::uint32_t>(pane % kept_panes());
  }
  /// The generation at this time, or the newest known generation if that is later.
  [[nodiscard]] std::uint64_t generation_at(Time time) const noexcept;
  /// When the newest pane ends. Requires that the clock was set.
  [[nodiscard]] Time end_of_newest() const noexcept;
  /// Advances the clock. An earlier time changes nothing.
  void advance(Time time) noexcept;

  friend bool operator==(const PaneClock&, const PaneClock&) = default;
};

/// Parses a length of time to milliseconds, above 0, possibly fractional: "7 days", "36 hours", "90 minutes", "30
/// seconds", "2 weeks", or a number of seconds. Units in any case, singular or plural. No value for any other text, or
/// above 100 years.
[[nodiscard]] std::optional<double> read_window_length(std::string_view text) noexcept;
/// The valid lengths of a window, for messages.
inline constexpr std::string_view kWindowLengths =
    "a length of time like '7 days' or a number of seconds, from 1 ms per pane to 100 years";
/// The length of a pane in milliseconds, rounded up; no value unless `window` is between `panes` and 100 years.
[[nodiscard]] std::optional<std::int64_t> length_of_pane(double window, std::uint32_t panes) noexcept;

/// The specification of each pane: its share of the keys, at a rate such that all panes together meet the promised
/// rate; or its share of the bits. Capacity and panes must be at least 1.
[[nodiscard]] FilterSpec spec_of_pane(const FilterSpec& spec, std::uint32_t panes) noexcept;

/// The clock in a validated payload; no value for kinds without one.
[[nodiscard]] std::optional<PaneClock> clock_of(const Shape& shape, const std::byte* payload) noexcept;
/// Writes the clock at the start of a payload.
void write_clock(std::byte* payload, const PaneClock& window) noexcept;

}  // namespace crivo

// The clock and the panes of a window: a key is stored in the pane of its time, and expires with the pane.
//
// Time is divided into panes of equal length. A window stores the newest pane and `panes` older panes. So a key is
// found for at least the length of the window, and for at most one pane more. The generation of a pane is its number,
// counted from 0 for the first pane. The newest generation never decreases, so no key is lost if the clock goes
// backwards. See docs/format.md, "window" and "Filter tables".
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
  std::int64_t first_pane = -1;  // the first pane, as a number of panes since 1970; -1 before the clock is set
  std::uint64_t generation = 0;  // the generation of the newest pane

  /// Whether the values are in range, so that no sum overflows. Forged bytes may contain any values.
  [[nodiscard]] bool is_sound() const noexcept;
  /// The number of stored panes.
  [[nodiscard]] std::uint32_t stored_panes() const noexcept { return panes + 1; }
  /// The index of a generation's pane among the stored panes.
  [[nodiscard]] std::uint32_t stored_index(std::uint64_t number) const noexcept {
    return static_cast<std::uint32_t>(number % stored_panes());
  }
  /// The generation at this time, or the newest known generation if it is later.
  [[nodiscard]] std::uint64_t generation_at(Time time) const noexcept;
  /// The end of the newest pane. Requires that the clock was set.
  [[nodiscard]] Time end_of_newest() const noexcept;
  /// Advances the clock. An earlier time changes nothing.
  void advance(Time time) noexcept;

  friend bool operator==(const PaneClock&, const PaneClock&) = default;
};

/// Parses a length of time, such as "7 days", "36 hours", "90 minutes", "30 seconds" or "2 weeks", or a number of
/// seconds. Units may have any case, and be singular or plural. Returns milliseconds, above 0 and possibly fractional;
/// no value for any other text, or above 100 years.
[[nodiscard]] std::optional<double> read_window_length(std::string_view text) noexcept;
/// The valid lengths of a window, for messages.
inline constexpr std::string_view kWindowLengths =
    "a length of time like '7 days' or a number of seconds, from 1 ms per pane to 100 years";
/// The length of a pane in milliseconds, rounded up; no value unless `window` is between `panes` and 100 years.
[[nodiscard]] std::optional<std::int64_t> length_of_pane(double window, std::uint32_t panes) noexcept;

/// The specification of each pane. A window sized by rate: the pane's share of the keys, and a rate at which all panes
/// together meet the promised rate. A window sized by bits: the pane's share of the bits. Capacity and panes must be at
/// least 1.
[[nodiscard]] FilterSpec spec_of_pane(const FilterSpec& spec, std::uint32_t panes) noexcept;

/// The clock in a payload of this shape, which need not be valid; no value for kinds without a clock.
[[nodiscard]] std::optional<PaneClock> clock_of(const Shape& shape, const std::byte* payload) noexcept;
/// Writes the clock at the start of a payload.
void write_clock(std::byte* payload, const PaneClock& window) noexcept;

}  // namespace crivo

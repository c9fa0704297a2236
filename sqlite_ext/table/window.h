// The time in a filter table with a window: keys lie in panes by the time at which they came, and go with their pane.
//
// Time is cut into panes of equal length. The table keeps the newest pane and as many older ones as `panes` says, so a
// key is found for one window at least, and for one pane more at most. A pane is known by its generation, the number of
// panes since the table's first one. Generations only ever rise: a clock that goes backwards loses nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "values/boundary.h"

namespace crivo::sqlite {

/// Milliseconds since 1970-01-01 00:00:00 UTC, from 0 to the end of the year 9999, as SQLite counts them.
using Time = std::int64_t;

struct Window {
  std::int64_t pane_length = 0;  // in milliseconds, above 0
  std::uint32_t panes = 0;       // how many panes a window has
  bool manual = false;           // the time is what `advance` was told, and not SQLite's
  std::int64_t first_pane = -1;  // the panes between 1970 and the table's first; -1 until a manual clock is first set
  std::uint64_t generation = 0;  // the newest that is known

  /// Whether the values are such that no sum of them overflows. A forged state may have others.
  [[nodiscard]] bool is_sound() const noexcept;
  /// The panes that a table keeps.
  [[nodiscard]] std::uint32_t kept_panes() const noexcept { return panes + 1; }
  /// The generation at this time, or the newest that is known, if that is later.
  [[nodiscard]] std::uint64_t generation_at(Time time) const noexcept;
  /// When the newest pane ends. The clock must have been set.
  [[nodiscard]] Time end_of_newest() const noexcept;
  /// Sets the clock to a time; an earlier one than is known changes nothing.
  void advance(Time time) noexcept;
  /// Sets the clock of a table without keys.
  void restart(sqlite3* db);

  friend bool operator==(const Window&, const Window&) = default;
};

inline constexpr std::uint32_t kMaxPanes = 256;
inline constexpr std::uint32_t kDefaultPanes = 8;

/// The window that lasts as long as `length` says: "7 days", "36 hours", "90 minutes", "30 seconds", or a number of
/// seconds. Throws SqlError.
[[nodiscard]] Window make_window(std::string_view length, std::uint32_t panes);

/// The present time, as SQLite's date functions give it. Throws HostError.
[[nodiscard]] Time time_now(sqlite3* db);
/// A time given as seconds since 1970, or as a text that SQLite's date functions read. Throws SqlError, HostError.
[[nodiscard]] Time read_time(sqlite3* db, sqlite3_value* value);

}  // namespace crivo::sqlite

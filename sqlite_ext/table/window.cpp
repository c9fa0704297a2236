#include "table/window.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "crivo/host/text.h"
#include "values/statement.h"

namespace crivo::sqlite {
namespace {

constexpr Time kLastTime = 253402300799999;                // 9999-12-31 23:59:59.999
constexpr sqlite3_int64 kUnixEpoch = 210866760000000;      // in SQLite's time: milliseconds of the Julian day
constexpr double kLongestWindow = 100 * 365.25 * 86400e3;  // a hundred years, in milliseconds

struct Unit {
  std::string_view name;
  double milliseconds;
};
constexpr std::array kUnits = {Unit{"second", 1e3}, Unit{"minute", 60e3}, Unit{"hour", 3600e3}, Unit{"day", 86400e3},
                               Unit{"week", 604800e3}};

/// The milliseconds of a unit, in the singular or the plural and, as in SQLite's own modifiers, in any case; no word
/// stands for seconds. 0 for an unknown one.
double unit_milliseconds(std::string_view word) noexcept {
  if (word.empty()) return kUnits.front().milliseconds;
  if (word.ends_with('s') || word.ends_with('S')) word.remove_suffix(1);
  for (const Unit& unit : kUnits) {
    const bool same_length = word.size() == unit.name.size();
    if (same_length && sqlite3_strnicmp(word.data(), unit.name.data(), static_cast<int>(word.size())) == 0) {
      return unit.milliseconds;
    }
  }
  return 0;
}

double milliseconds(std::string_view text) noexcept {
  const std::size_t end = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
  const double number = read_number<double>(text.substr(0, end)).value_or(0);
  text.remove_prefix(end);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return number * unit_milliseconds(text);
}

/// The milliseconds since 1970 that SQLite's julianday makes of a text; no value if it is no time.
std::optional<Time> read_text(sqlite3* db, std::string_view text) {
  Statement statement(db, "SELECT (julianday(?1) - 2440587.5) * 86400000.0");
  Use use(statement);
  use.bind(1, text);
  if (!use.step() || use.type(0) == SQLITE_NULL) return std::nullopt;
  return std::llround(use.real(0));
}

}  // namespace

bool Window::is_sound() const noexcept {
  if (panes < 1 || panes > kMaxPanes || pane_length < 1 || pane_length > kLastTime) return false;
  const std::int64_t last = kLastTime / pane_length;
  return first_pane >= -1 && first_pane <= last && generation <= static_cast<std::uint64_t>(last);
}

std::uint64_t Window::generation_at(Time time) const noexcept {
  const std::int64_t pane = time / pane_length;
  if (first_pane < 0 || pane < first_pane) return generation;
  return std::max(generation, static_cast<std::uint64_t>(pane - first_pane));
}

Time Window::end_of_newest() const noexcept {
  return (first_pane + static_cast<std::int64_t>(generation) + 1) * pane_length;
}

void Window::advance(Time time) noexcept {
  if (first_pane < 0) first_pane = time / pane_length;
  generation = generation_at(time);
}

void Window::restart(sqlite3* db) {
  generation = 0;
  first_pane = manual ? -1 : time_now(db) / pane_length;
}

Window make_window(std::string_view length, std::uint32_t panes) {
  const double window = milliseconds(length);
  if (!(window >= panes && window <= kLongestWindow)) {
    throw SqlError{
        "window must be a length of time like '7 days', '36 hours', '90 minutes', '30 seconds' or a number "
        "of seconds, at least a millisecond for each pane and at most 100 years, got " +
        in_quotes(length)};
  }
  Window made;
  made.pane_length = static_cast<std::int64_t>(std::ceil(window / panes));
  made.panes = panes;
  return made;
}

// The clock of the file's VFS is the one that SQLite's date functions read, and a host may have put its own there.
Time time_now(sqlite3* db) {
  sqlite3_vfs* vfs = nullptr;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_VFS_POINTER, static_cast<void*>(&vfs));
  if (vfs == nullptr) vfs = sqlite3_vfs_find(nullptr);
  sqlite3_int64 time = 0;
  double days = 0;
  const bool exact = vfs->iVersion >= 2 && vfs->xCurrentTimeInt64 != nullptr;
  const int code = exact ? vfs->xCurrentTimeInt64(vfs, &time) : vfs->xCurrentTime(vfs, &days);
  if (code != SQLITE_OK) throw HostError{code, "clock of the VFS cannot be read"};
  if (!exact) time = std::llround(days * 86400e3);
  return std::clamp(Time{time - kUnixEpoch}, Time{0}, kLastTime);
}

Time read_time(sqlite3* db, sqlite3_value* value) {
  std::optional<Time> time;
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_TEXT) time = read_text(db, KeyBytes(value).view());
  if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
    const double seconds = sqlite3_value_double(value);
    if (seconds >= 0 && seconds * 1e3 <= static_cast<double>(kLastTime)) time = std::llround(seconds * 1e3);
  }
  if (!time || *time < 0 || *time > kLastTime) {
    throw SqlError{
        "arg must be a time from 1970 to 9999, as seconds since 1970 or as a text that SQLite's date "
        "functions read, got " +
        shown(value)};
  }
  return *time;
}

}  // namespace crivo::sqlite

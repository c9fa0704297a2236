#include "values/time.h"

#include <algorithm>
#include <cmath>

#include "values/statement.h"

namespace crivo::sqlite {
namespace {

constexpr sqlite3_int64 kUnixEpoch = 210866760000000;  // in milliseconds of SQLite's Julian day

/// Converts a text by SQLite's julianday to milliseconds since 1970; no value if the text is not a time.
std::optional<Time> read_text(sqlite3* db, std::string_view text) {
  Statement statement(db, "SELECT (julianday(?1) - 2440587.5) * 86400000.0");
  Use use(statement);
  use.bind(1, text);
  if (!use.step() || use.type(0) == SQLITE_NULL) return std::nullopt;
  return std::llround(use.real(0));
}

}  // namespace

// Reads the clock of the database's VFS, as SQLite's date functions do: a host may have installed its own clock.
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

Time read_time(sqlite3* db, sqlite3_value* value, std::string_view name) {
  std::optional<Time> time;
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_TEXT) time = read_text(db, KeyBytes(value).view());
  if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
    const double seconds = sqlite3_value_double(value);
    if (seconds >= 0 && seconds * 1e3 <= static_cast<double>(kLastTime)) time = std::llround(seconds * 1e3);
  }
  if (!time || *time < 0 || *time > kLastTime) {
    throw SqlError{std::string(name) +
                   " must be a time from 1970 to 9999, as seconds since 1970 or as a text that SQLite's date "
                   "functions read, got " +
                   shown(value)};
  }
  return *time;
}

}  // namespace crivo::sqlite

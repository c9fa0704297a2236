// The current time, and times in arguments.
#pragma once

#include <string_view>

#include "crivo/host/window.h"
#include "values/value.h"

namespace crivo::sqlite {

/// The current time, from the clock of SQLite's date functions. Throws HostError.
[[nodiscard]] Time time_now(sqlite3* db);
/// Parses a time: seconds since 1970, or a text that SQLite's date functions accept. Throws HostError, or SqlError with
/// `name` as the name of the argument.
[[nodiscard]] Time read_time(sqlite3* db, sqlite3_value* value, std::string_view name);

}  // namespace crivo::sqlite

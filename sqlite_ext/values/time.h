// The time, as SQLite has it and as users write it.
#pragma once

#include <string_view>

#include "crivo/host/window.h"
#include "values/boundary.h"

namespace crivo::sqlite {

/// The present time, as SQLite's date functions give it. Throws HostError.
[[nodiscard]] Time time_now(sqlite3* db);
/// A time given as seconds since 1970, or as a text that SQLite's date functions read. Throws SqlError by this name of
/// the argument, and HostError.
[[nodiscard]] Time read_time(sqlite3* db, sqlite3_value* value, std::string_view name);

}  // namespace crivo::sqlite

// What SQLite refused while the extension ran SQL of its own.
#pragma once

#include <sqlite3ext.h>

#include <string>

extern "C" {
SQLITE_EXTENSION_INIT3
}

namespace crivo::sqlite {

/// An exception that hands a result code of SQLite on to SQLite: SQLITE_BUSY, SQLITE_FULL, SQLITE_IOERR, ...
struct HostError {
  int code;
  std::string message;
};

/// Throws what the connection's last call failed with, or std::bad_alloc for SQLITE_NOMEM.
[[noreturn]] void throw_host_error(sqlite3* db, int code);

/// Throws unless the code is SQLITE_OK.
inline void require_ok(sqlite3* db, int code) {
  if (code != SQLITE_OK) throw_host_error(db, code);
}

}  // namespace crivo::sqlite

// The exceptions that end a call from SQLite.
#pragma once

#include <sqlite3ext.h>

#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "crivo/result.h"

extern "C" {
SQLITE_EXTENSION_INIT3
}

namespace crivo::sqlite {

/// Thrown to end a SQL function with an error: "<field> must ..., got ...". The handler prepends the function's name.
struct SqlError {
  std::string message;
  int code = SQLITE_ERROR;  // SQLite's own code, such as SQLITE_BUSY, if SQLite failed, so that callers can retry
};

/// Thrown to return a result code to SQLite: SQLITE_BUSY, SQLITE_FULL, SQLITE_IOERR, ...
struct HostError {
  int code;
  std::string message;
};

/// Throws the error of the connection's last call, or std::bad_alloc for SQLITE_NOMEM.
[[noreturn]] inline void throw_host_error(sqlite3* db, int code) {
  if ((code & 0xff) == SQLITE_NOMEM) throw std::bad_alloc();
  // The extension's own tables have no constraints to violate, and INSERT OR IGNORE would ignore a constraint error.
  if ((code & 0xff) == SQLITE_CONSTRAINT) code = SQLITE_CORRUPT_VTAB;
  throw HostError{code, sqlite3_errmsg(db)};
}
/// Throws as throw_host_error does unless the code is SQLITE_OK.
inline void require_ok(sqlite3* db, int code) {
  if (code != SQLITE_OK) throw_host_error(db, code);
}

/// Returns the value of a Result, or throws its error as a SqlError.
template <class T>
T unwrap(Result<T> result) {
  if (!result.has_value()) throw SqlError{result.error().message};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace crivo::sqlite

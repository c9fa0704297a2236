// The exceptions that end a call from SQLite, and their conversion to result codes.
#pragma once

#include <sqlite3ext.h>

#include <exception>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "crivo/result.h"

extern "C" {
SQLITE_EXTENSION_INIT3
}

namespace crivo::sqlite {

/// Thrown to end a call with an error, "<field> must ..., got ...". The handler prepends a function's or table's name.
struct SqlError {
  std::string message;
  int code = SQLITE_ERROR;  // the code of SQLite if SQLite failed, such as SQLITE_BUSY, so that callers can retry
};

/// Thrown to return a result code to SQLite: SQLITE_BUSY, SQLITE_FULL, SQLITE_IOERR, ...
struct HostError {
  int code;
  std::string message;
};

/// Throws the error of the connection's last call, or std::bad_alloc for SQLITE_NOMEM.
[[noreturn]] inline void throw_host_error(sqlite3* db, int code) {
  if ((code & 0xff) == SQLITE_NOMEM) throw std::bad_alloc();
  // A constraint error of the extension's own tables means corruption, and INSERT OR IGNORE would ignore it.
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

/// Runs `body`, which returns a result code. Converts an exception to a code, and passes the exception's message,
/// unless it is std::bad_alloc, to `report`, which may throw std::bad_alloc.
template <class Body, class Report>
int coded(const Body& body, const Report& report) noexcept {
  try {
    try {
      return body();
    } catch (const HostError& error) {
      report(error.message);
      return error.code;
    } catch (const SqlError& error) {
      report(error.message);
      return error.code;
    } catch (const std::bad_alloc&) {
      return SQLITE_NOMEM;
    } catch (const std::exception& error) {
      report(error.what());
    }
  } catch (...) {
    return SQLITE_NOMEM;  // no memory for the message
  }
  return SQLITE_ERROR;
}

}  // namespace crivo::sqlite

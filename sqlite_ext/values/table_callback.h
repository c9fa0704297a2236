// The edge between SQLite and C++ for the callbacks of virtual tables, as boundary.h is for functions: what C++ throws
// becomes a result code and a message.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "values/boundary.h"

namespace crivo::sqlite {

/// Runs `body`, which returns a result code. Makes a code of an exception, and hands its message to `report`, which may
/// throw std::bad_alloc.
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
    } catch (const std::bad_alloc&) {
      return SQLITE_NOMEM;
    } catch (const std::exception& error) {
      report(error.what());
    }
  } catch (...) {
    return SQLITE_NOMEM;  // there was no memory for the message
  }
  return SQLITE_ERROR;
}

/// The same, with the message where SQLite looks for that of a table, behind `name`.
template <class Body>
int guarded_table(sqlite3_vtab* table, const char* name, const Body& body) noexcept {
  return coded(body, [&](const std::string& message) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s: %s", name, message.c_str());
    if (table->zErrMsg == nullptr) throw std::bad_alloc();
  });
}

// Callbacks that only make or free the host's part of a table.

template <class Cursor>
int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) noexcept {
  *cursor = new (std::nothrow) Cursor{};
  return *cursor != nullptr ? SQLITE_OK : SQLITE_NOMEM;
}
template <class Cursor>
int close_cursor(sqlite3_vtab_cursor* cursor) noexcept {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}
template <class Table>
int disconnect(sqlite3_vtab* table) noexcept {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

}  // namespace crivo::sqlite

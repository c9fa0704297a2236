// The base of the extension's virtual tables (sqlite.org/vtab.html): SQLite's objects, exception handling, and
// callbacks that only forward a call.
//
// A Table derives from sqlite3_vtab, and its Cursor from sqlite3_vtab_cursor. Both must have the functions below.
// Functions that return void may throw the exceptions that a SQL function may throw:
//
//   const char* Table::name() const                           the prefix of error messages
//   int Table::best_index(sqlite3_index_info&)                returns a result code
//   void Cursor::filter(int plan, std::span<sqlite3_value* const> args)
//   void Cursor::next()
//   bool Cursor::at_end() const
//   void Cursor::set_column(sqlite3_context*, int column)
//   std::int64_t Cursor::row_id() const
#pragma once

#include <new>
#include <span>
#include <string>

#include "values/error.h"

namespace crivo::sqlite {

/// As coded(), but stores the message, after the table's name, in zErrMsg, where SQLite reads it.
template <class Table, class Body>
int guarded_table(Table& table, const Body& body) noexcept {
  return coded(body, [&](const std::string& message) {
    sqlite3_free(table.zErrMsg);
    table.zErrMsg = sqlite3_mprintf("%s: %s", table.name(), message.c_str());
    if (table.zErrMsg == nullptr) throw std::bad_alloc();
  });
}

/// As guarded_table(), for a cursor and a `void body(cursor)`.
template <class Table, class Cursor, class Body>
int guarded_cursor(sqlite3_vtab_cursor* cursor, const Body& body) noexcept {
  return guarded_table(*static_cast<Table*>(cursor->pVtab), [&] {
    body(*static_cast<Cursor*>(cursor));
    return SQLITE_OK;
  });
}

/// The body of xCreate and xConnect. `make(name)` returns a std::unique_ptr to the table. Copies the name, because a
/// failed statement can make SQLite reload the schema and free the text.
template <class Make>
int connect_table(const char* given_name, sqlite3_vtab** result, char** message, const Make& make) noexcept {
  std::string name;
  const auto body = [&] {
    name = given_name;
    *result = make(name).release();
    return SQLITE_OK;
  };
  return coded(body,
               [&](const std::string& text) { *message = sqlite3_mprintf("%s: %s", name.c_str(), text.c_str()); });
}

template <class Table>
int disconnect_table(sqlite3_vtab* table) noexcept {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

/// A module of read-only tables that cannot be renamed. The caller adds xCreate and xConnect.
template <class Table, class Cursor>
sqlite3_module module_of() noexcept {
  sqlite3_module module{};
  module.xBestIndex = [](sqlite3_vtab* table, sqlite3_index_info* info) {
    return static_cast<Table*>(table)->best_index(*info);
  };
  module.xDisconnect = disconnect_table<Table>;
  module.xOpen = [](sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
    *cursor = new (std::nothrow) Cursor{};
    return *cursor != nullptr ? SQLITE_OK : SQLITE_NOMEM;
  };
  module.xClose = [](sqlite3_vtab_cursor* cursor) {
    delete static_cast<Cursor*>(cursor);
    return SQLITE_OK;
  };
  module.xFilter = [](sqlite3_vtab_cursor* cursor, int plan, const char*, int argc, sqlite3_value** argv) {
    const std::span<sqlite3_value* const> args(argv, static_cast<std::size_t>(argc));
    return guarded_cursor<Table, Cursor>(cursor, [&](Cursor& at) { at.filter(plan, args); });
  };
  module.xNext = [](sqlite3_vtab_cursor* cursor) {
    return guarded_cursor<Table, Cursor>(cursor, [](Cursor& at) { at.next(); });
  };
  module.xEof = [](sqlite3_vtab_cursor* cursor) { return static_cast<Cursor*>(cursor)->at_end() ? 1 : 0; };
  module.xColumn = [](sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
    return guarded_cursor<Table, Cursor>(cursor, [&](Cursor& at) { at.set_column(context, column); });
  };
  module.xRowid = [](sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
    *id = static_cast<Cursor*>(cursor)->row_id();
    return SQLITE_OK;
  };
  return module;
}

}  // namespace crivo::sqlite

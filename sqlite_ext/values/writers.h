// The running statements that write, and what a statement writes according to SQLite's EXPLAIN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "values/error.h"

namespace crivo::sqlite {

/// The root page of a table or an index, and the number of its schema.
struct RootPage {
  std::int64_t schema = 0;
  std::int64_t page = 0;
  friend bool operator==(const RootPage&, const RootPage&) = default;
};

/// The effects of a statement and of the triggers that the statement fires.
struct Effects {
  std::vector<RootPage> written;      // the tables and indexes that the statement opens for writing
  bool writes_virtual_table = false;  // EXPLAIN does not show which tables the virtual table writes
  std::vector<std::string> triggers;  // the triggers' names; an empty name is the action of a foreign key
  std::size_t checks = 0;             // the number of evaluated CHECKs, whose names need not be unique
};

/// Runs EXPLAIN of the statement, but not the statement itself. Throws HostError.
[[nodiscard]] Effects effects_of(sqlite3* db, const std::string& sql);

/// Iterates over the running statements that may still write, including the calling statement. Returns the first one
/// for null, and null after the last one.
[[nodiscard]] sqlite3_stmt* next_writer(sqlite3* db, sqlite3_stmt* statement);

/// Whether the calling statement was run by a SQL function of another statement that is still writing.
[[nodiscard]] bool is_in_function_of_writer(sqlite3* db);

/// Throws SqlError if the call comes from a function in a statement that writes: triggers created now would not fire
/// for the rows that the statement has yet to write. `what` names the operation in the message.
void require_no_other_writer(sqlite3* db, std::string_view what);

/// Throws SqlError unless the call comes from a top-level statement on a virtual table. A call from a trigger is
/// refused, because the trigger's row may already be written, although other triggers of the row have not fired yet.
void require_own_statement(sqlite3* db, std::string_view what);

}  // namespace crivo::sqlite

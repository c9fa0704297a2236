// The other statements that the connection is running while SQLite calls the extension.
#pragma once

#include <string_view>

#include "values/boundary.h"

namespace crivo::sqlite {

/// Iterates over the running statements that may still write, including the calling one. Returns the first for null,
/// and null after the last.
[[nodiscard]] sqlite3_stmt* next_writer(sqlite3* db, sqlite3_stmt* statement);

/// Whether two nested statements are writing: a function of the outer one runs the inner one, which makes this call.
[[nodiscard]] bool is_in_function_of_writer(sqlite3* db);

/// Throws SqlError if the call comes from a function in a statement that writes: triggers created now would not fire
/// for the rows that the statement has yet to write. Errors name the operation by `what`.
void require_no_other_writer(sqlite3* db, std::string_view what);

/// Throws SqlError unless the call comes from a top-level statement on a virtual table. Also rejects a call from a
/// trigger: its row is written, but the row's other triggers have not fired yet.
void require_own_statement(sqlite3* db, std::string_view what);

}  // namespace crivo::sqlite

// What else the connection is doing while SQLite calls the extension.
#pragma once

#include <string_view>

#include "values/boundary.h"

namespace crivo::sqlite {

/// The next statement after `statement`, or the first after null, that is running and may still write. The statement
/// that calls is among them. Null at the end.
[[nodiscard]] sqlite3_stmt* next_writer(sqlite3* db, sqlite3_stmt* statement);

/// Whether the statement that calls was run by a function in another statement, and both write.
[[nodiscard]] bool is_in_function_of_writer(sqlite3* db);

/// Throws SqlError if the call comes from a function in a statement that writes. Triggers that are made now would not
/// fire for the rows that such a statement still writes. `what` names what is called.
void require_no_other_writer(sqlite3* db, std::string_view what);

/// Throws SqlError unless the call comes from a statement of its own on a virtual table. A call by a trigger is
/// refused, too: its row is written, but other triggers have not yet been told of the change.
void require_own_statement(sqlite3* db, std::string_view what);

}  // namespace crivo::sqlite

// What else the connection is doing while SQLite calls the extension.
#pragma once

#include <string_view>
#include <vector>

#include "values/boundary.h"

namespace crivo::sqlite {

/// The statements that are running and may still write, the one that calls among them.
[[nodiscard]] std::vector<sqlite3_stmt*> writers(sqlite3* db);

/// Whether the statement that calls was run by a function in another statement, and both write.
[[nodiscard]] bool is_in_function_of_writer(sqlite3* db);

/// Throws SqlError if the call comes from a function in a statement that writes. Triggers that are made now would not
/// fire for the rows that such a statement still writes. `what` names what is called.
void require_no_other_writer(sqlite3* db, std::string_view what);

/// Throws SqlError unless the call comes from a statement of its own on a virtual table. A call by a trigger is
/// refused, too: its row is written, but other triggers have not yet been told of the change.
void require_own_statement(sqlite3* db, std::string_view what);

}  // namespace crivo::sqlite

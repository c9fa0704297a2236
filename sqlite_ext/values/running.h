// What else the connection is doing while SQLite calls the extension.
#pragma once

#include <string_view>

#include "values/host_error.h"

namespace crivo::sqlite {

/// Throws SqlError if the call comes from a function in a statement that writes. The rows that such a statement goes on
/// to write fire no trigger that is made now. `what` names what is called.
void require_no_other_writer(sqlite3* db, std::string_view what);

/// Throws SqlError unless the call comes from a statement of its own on a virtual table: also if it comes from a
/// trigger. In a trigger a row is changed by half: it is written, and other triggers are still to be told of it.
void require_own_statement(sqlite3* db, std::string_view what);

}  // namespace crivo::sqlite

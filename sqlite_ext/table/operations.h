// What an INSERT into a filter table does.
#pragma once

#include <span>

#include "table/follow.h"
#include "values/boundary.h"

namespace crivo::sqlite {

/// The columns of a filter table.
enum Column { kKey = 0, kCount = 1, kOp = 2, kArg = 3, kColumns = 4 };
inline constexpr const char* kTableDeclaration = "CREATE TABLE bloom(key, count HIDDEN, op HIDDEN, arg HIDDEN)";

/// Inserts a row, given as the values of all columns: adds the key, or does what `op` says. False if the row made no
/// difference: its key is NULL, or it is an INSERT OR IGNORE and the key may have been there. `on_conflict` is what
/// sqlite3_vtab_on_conflict says. Throws as FilterTable does.
bool insert_row(FilterTable& table, Follower& follower, std::span<sqlite3_value* const> row, int on_conflict);

}  // namespace crivo::sqlite

// What INSERT and DELETE do with a filter table.
#pragma once

#include <span>

#include "table/filter_table.h"
#include "values/boundary.h"

namespace crivo::sqlite {

/// The columns of a filter table.
enum Column { kKey = 0, kCount = 1, kOp = 2, kArg = 3, kColumns = 4 };
inline constexpr const char* kTableDeclaration = "CREATE TABLE bloom(key, count HIDDEN, op HIDDEN, arg HIDDEN)";

/// Inserts a row, given as the values of all columns: adds the key, or does what `op` says. Tells whether a key was
/// added that was certainly absent; no value if there was no key. `or_ignore` says that the statement is INSERT OR
/// IGNORE, which leaves alone a key that may be there. Throws as FilterTable does.
[[nodiscard]] std::optional<bool> insert_row(FilterTable& table, std::span<sqlite3_value* const> row, bool or_ignore);

}  // namespace crivo::sqlite

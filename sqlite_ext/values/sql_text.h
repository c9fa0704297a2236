// Reads the texts of SQL in sqlite_schema, as far as the filters that follow a column must understand them. SQLite has
// parsed these texts, so they are sound; what is not understood here counts as the worst that it could be.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "values/boundary.h"

namespace crivo::sqlite {

struct Token {
  std::string text;
  bool quoted = false;
};

/// Takes a name from the front of a text: a quoted one, or all up to one of these characters.
Token take_name(std::string_view& text, std::string_view ends);

/// Whether SQL needs no quotes for a name.
[[nodiscard]] bool is_plain(std::string_view name) noexcept;

/// The definition of a table behind its name; empty if there is no such table. Errors: HostError.
[[nodiscard]] std::string table_definition(sqlite3* db, std::string_view schema, std::string_view table);

/// The names, in lower case, in the expressions of a table's generated columns.
[[nodiscard]] std::vector<std::string> names_in_expressions(std::string_view definition);
/// The number of a table's CHECKs that use the column, and only in calls of bloom_valid, length and typeof: writes into
/// a blob leave the results of these functions as they are.
[[nodiscard]] std::size_t checks_of_form(std::string_view definition, std::string_view table, std::string_view column);
/// Whether a table's definition has a REPLACE, which no statement shows.
[[nodiscard]] bool replaces_on_conflict(std::string_view definition);

/// The column that one of our triggers (table/source.h) tells a filter of. No value for a trigger that does not begin
/// by telling a filter.
[[nodiscard]] std::optional<std::string> followed_column(std::string_view trigger);
/// The table that such a trigger tells.
[[nodiscard]] std::string told_table(std::string_view trigger);

/// Whether a trigger has a FAIL or a RAISE(IGNORE), which can end a statement after it changed a row and before all
/// triggers of the row have fired. The changed row stays.
[[nodiscard]] bool may_end_between_triggers(std::string_view trigger);

/// What a trigger may do.
struct TriggerEffect {
  bool on_insert = true;      // it fires for a row that is inserted
  bool changes_rows = true;   // it has an UPDATE or a DELETE in its body
  bool writes_before = true;  // it writes before its row is written
};
[[nodiscard]] TriggerEffect effect_of(std::string_view trigger);

}  // namespace crivo::sqlite

// Parses the SQL of tables and triggers in sqlite_schema. SQLite has already parsed these texts, so they are valid.
// Anything that is not recognized is treated as the worst case.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "values/error.h"

namespace crivo::sqlite {

struct Token {
  std::string text;
  bool quoted = false;
};

/// Consumes a name from the front of a text: a quoted name, or everything up to one of the characters in `ends`.
Token consume_name(std::string_view& text, std::string_view ends);

/// Whether the name has only ASCII letters, digits and underscores.
[[nodiscard]] bool is_plain(std::string_view name) noexcept;

/// The text after the name in a table's CREATE TABLE; empty if there is no such table. Errors: HostError.
[[nodiscard]] std::string table_definition(sqlite3* db, std::string_view schema, std::string_view table);

/// The tokens, including all names, of the expressions of a table's generated columns, in lower case.
[[nodiscard]] std::vector<std::string> names_in_expressions(std::string_view definition);
/// The number of CHECKs that use the column, and use it only as an argument of bloom_valid, length or typeof. Adding a
/// key to a blob in place does not change the results of these functions.
[[nodiscard]] std::size_t count_harmless_checks(std::string_view definition, std::string_view table,
                                                std::string_view column);
/// Whether a table's definition has ON CONFLICT REPLACE, which a statement's own text does not show.
[[nodiscard]] bool replaces_on_conflict(std::string_view definition);

/// The column that one of the extension's triggers (table/source.h) reports to a filter. No value if the trigger's
/// first statement is not such a report.
[[nodiscard]] std::optional<std::string> followed_column(std::string_view trigger);
/// The filter table to which such a trigger reports.
[[nodiscard]] std::string reported_table(std::string_view trigger);

/// Whether a trigger has a FAIL or a RAISE(IGNORE). Either can end a statement after a row changed, but before all of
/// the row's triggers have fired. The changed row remains.
[[nodiscard]] bool may_end_between_triggers(std::string_view trigger);

/// The possible effects of a trigger.
struct TriggerEffect {
  bool on_insert = true;      // fires on INSERT
  bool changes_rows = true;   // the body has an UPDATE or a DELETE
  bool writes_before = true;  // writes, and fires before its row is written
};
[[nodiscard]] TriggerEffect effect_of(std::string_view trigger);

}  // namespace crivo::sqlite

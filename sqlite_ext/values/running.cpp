#include "values/running.h"

#include "values/boundary.h"
#include "values/effects.h"

namespace crivo::sqlite {
namespace {

/// Whether a statement has started, may write, and has not returned a row. (SQLite returns the rows of a RETURNING only
/// after all writes.) Blob handles are statements without text, and do not count.
bool is_writing(sqlite3_stmt* statement) {
  return sqlite3_stmt_busy(statement) != 0 && sqlite3_stmt_readonly(statement) == 0 &&
         sqlite3_data_count(statement) == 0 && sqlite3_sql(statement) != nullptr;
}

/// Whether a statement changes a virtual table and nothing else. Virtual tables have no triggers, so any trigger means
/// that the statement changes another table.
bool changes_virtual_table_only(sqlite3* db, sqlite3_stmt* statement) {
  const Effects effects = effects_of(db, sqlite3_sql(statement));
  return effects.triggers.empty() && effects.writes_virtual_table;
}

[[noreturn]] void refuse(std::string_view what, std::string_view where) {
  throw SqlError{std::string(what) + " must be a separate statement, got one in a " + std::string(where) +
                 " that another statement calls while it writes"};
}

}  // namespace

sqlite3_stmt* next_writer(sqlite3* db, sqlite3_stmt* statement) {
  do {
    statement = sqlite3_next_stmt(db, statement);
  } while (statement != nullptr && !is_writing(statement));
  return statement;
}

// Called for each key of a table that follows a column, so it must not allocate.
bool is_in_function_of_writer(sqlite3* db) {
  sqlite3_stmt* const first = next_writer(db, nullptr);
  return first != nullptr && next_writer(db, first) != nullptr;
}

void require_no_other_writer(sqlite3* db, std::string_view what) {
  if (is_in_function_of_writer(db)) refuse(what, "function");
}

void require_own_statement(sqlite3* db, std::string_view what) {
  require_no_other_writer(db, what);
  sqlite3_stmt* const writer = next_writer(db, nullptr);  // the only one, as checked above
  if (writer != nullptr && changes_virtual_table_only(db, writer)) return;
  refuse(what, "trigger");
}

}  // namespace crivo::sqlite

#include "values/writers.h"

#include <algorithm>

#include "values/statement.h"

namespace crivo::sqlite {
namespace {

constexpr std::string_view kTrigger = "-- TRIGGER ";
constexpr std::int64_t kRootInRegister = 0x10;  // a flag in P5: the statement itself creates the table

enum Column { kOpcode = 1, kP1, kP2, kP3, kP4, kP5 };

/// Adds the effect of one instruction (sqlite.org/opcode.html). The program of each trigger starts with an Init.
void add_instruction(Effects& effects, const Use& row, bool is_first) {
  const std::string_view opcode = row.text(kOpcode);
  if (opcode == "OpenWrite" && (row.integer(kP5) & kRootInRegister) == 0) {
    effects.written.push_back({row.integer(kP3), row.integer(kP2)});
  } else if (opcode == "VUpdate") {
    effects.writes_virtual_table = true;
  } else if (opcode == "Init" && !is_first) {
    const std::string_view name = row.type(kP4) == SQLITE_NULL ? std::string_view() : row.text(kP4);
    effects.triggers.emplace_back(name.starts_with(kTrigger) ? name.substr(kTrigger.size()) : std::string_view());
  } else if (opcode == "Halt" && row.integer(kP1) == SQLITE_CONSTRAINT_CHECK) {
    ++effects.checks;
  }
}

/// Whether a statement has started, may write, and has not returned a row. (SQLite returns the rows of a RETURNING only
/// after all writes.) An open blob handle is a statement without text, and is ignored.
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

Effects effects_of(sqlite3* db, const std::string& sql) {
  // SQLite includes leading semicolons in a statement's text.
  const std::size_t start = std::min(sql.find_first_not_of("; \t\r\n\f"), sql.size());
  Statement explain(db, "EXPLAIN " + sql.substr(start), 0);
  Use row(explain);
  Effects effects;
  for (bool is_first = true; row.step(); is_first = false) add_instruction(effects, row, is_first);
  return effects;
}

sqlite3_stmt* next_writer(sqlite3* db, sqlite3_stmt* statement) {
  do {
    statement = sqlite3_next_stmt(db, statement);
  } while (statement != nullptr && !is_writing(statement));
  return statement;
}

// Called for each key that is removed from a table that follows a column, so it must not allocate.
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

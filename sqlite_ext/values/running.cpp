#include "values/running.h"

#include <memory>

#include "values/boundary.h"
#include "values/statement.h"

namespace crivo::sqlite {
namespace {

/// A statement that SQLite has begun to run, may write, and has not given a row yet: what a RETURNING gives, it gives
/// when all is written. Blob handles are statements, too, but have no text.
bool is_writing(sqlite3_stmt* statement) {
  return sqlite3_stmt_busy(statement) != 0 && sqlite3_stmt_readonly(statement) == 0 &&
         sqlite3_data_count(statement) == 0 && sqlite3_sql(statement) != nullptr;
}

/// Whether a statement changes a virtual table, and that is all: no virtual table has triggers, so where there are
/// some, what they do belongs to a change of another table. SQLite tells by no other way than EXPLAIN.
bool changes_virtual_table_only(sqlite3* db, sqlite3_stmt* statement) {
  sqlite3_stmt* explain = nullptr;
  require_ok(db,
             sqlite3_prepare_v2(db, ("EXPLAIN " + std::string(sqlite3_sql(statement))).c_str(), -1, &explain, nullptr));
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owned(explain, sqlite3_finalize);
  bool changes = false;
  int status = SQLITE_OK;
  while ((status = sqlite3_step(explain)) == SQLITE_ROW) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(explain, 1));
    if (text == nullptr) throw std::bad_alloc();
    const std::string_view opcode(text);
    if (opcode == "Program") return false;
    if (opcode == "VUpdate") changes = true;
  }
  require_ok(db, status == SQLITE_DONE ? SQLITE_OK : status);
  return changes;
}

[[noreturn]] void refuse(std::string_view what, std::string_view where) {
  throw SqlError{std::string(what) + " must be a statement of its own, got one in a " + std::string(where) +
                 " that another statement calls while it writes"};
}

struct Writers {
  int count = 0;
  sqlite3_stmt* last = nullptr;
};

Writers writers(sqlite3* db) {
  Writers found;
  for (sqlite3_stmt* statement = sqlite3_next_stmt(db, nullptr); statement != nullptr;
       statement = sqlite3_next_stmt(db, statement)) {
    if (is_writing(statement)) found = {found.count + 1, statement};
  }
  return found;
}

}  // namespace

bool is_in_function_of_writer(sqlite3* db) { return writers(db).count > 1; }

void require_no_other_writer(sqlite3* db, std::string_view what) {
  if (is_in_function_of_writer(db)) refuse(what, "function");
}

void require_own_statement(sqlite3* db, std::string_view what) {
  require_no_other_writer(db, what);
  sqlite3_stmt* writer = writers(db).last;
  if (writer != nullptr && changes_virtual_table_only(db, writer)) return;
  refuse(what, "trigger");
}

}  // namespace crivo::sqlite

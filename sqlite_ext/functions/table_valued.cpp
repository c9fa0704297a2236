// The virtual table behind every table-valued function; see table_valued.h.
#include "functions/table_valued.h"

#include <array>
#include <new>
#include <string>

#include "values/boundary.h"
#include "values/table_callback.h"

namespace crivo::sqlite {
namespace {

constexpr std::size_t kMostArguments = 8;

struct Table : sqlite3_vtab {
  sqlite3* db;
  const TableFunction* function;
};

struct Cursor : sqlite3_vtab_cursor {
  // The arguments are kept because the rows may borrow from them, and a query may select or compare the hidden columns.
  std::array<OwnedValue, kMostArguments> args;
  std::unique_ptr<Rows> rows;
  bool at_end = true;
  sqlite3_int64 row_id = 0;
};

Table& of(sqlite3_vtab* table) { return *static_cast<Table*>(table); }
Cursor& of(sqlite3_vtab_cursor* cursor) { return *static_cast<Cursor*>(cursor); }

/// Runs `body`, and puts the function's name in front of the message of what it throws.
template <class Body>
int guard(sqlite3_vtab* table, const Body& body) noexcept {
  return guarded_table(table, of(table).function->name, [&body] {
    body();
    return SQLITE_OK;
  });
}

std::string declaration(const TableFunction& function) {
  std::string sql = "CREATE TABLE x(";
  for (const char* column : function.columns) sql.append(column).append(", ");
  for (const char* argument : function.arguments) sql.append(argument).append(" HIDDEN, ");
  sql.replace(sql.size() - 2, 2, ")");
  return sql;
}

int connect(sqlite3* db, void* function_pointer, int, const char* const*, sqlite3_vtab** table, char**) {
  const auto* function = static_cast<const TableFunction*>(function_pointer);
  try {
    int status = sqlite3_declare_vtab(db, declaration(*function).c_str());
    if (status == SQLITE_OK) status = sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
    if (status != SQLITE_OK) return status;
    *table = new Table{{}, db, function};
    return SQLITE_OK;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

/// Tells SQLite how a query can be run. There is only one way, and it needs the arguments. SQLite asks again and again,
/// and each time only some of the comparisons can be used; those that cannot may wait for a table that is read later.
int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  const TableFunction& function = *of(table).function;
  std::array<int, kMostArguments> chosen;
  chosen.fill(-1);
  unsigned waiting = 0;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const int argument = constraint.iColumn - static_cast<int>(function.columns.size());
    if (argument < 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (constraint.usable == 0) {
      waiting |= 1U << argument;
    } else if (int& place = chosen[static_cast<std::size_t>(argument)]; place < 0) {
      place = i;
    }
  }
  unsigned given = 0;
  bool lacks_one = false;
  int args = 0;
  for (std::size_t argument = 0; argument < function.arguments.size(); ++argument) {
    if (chosen[argument] < 0) {
      if ((waiting >> argument & 1) != 0) return SQLITE_CONSTRAINT;
      lacks_one = lacks_one || argument < function.required;
      continue;
    }
    auto& usage = info->aConstraintUsage[chosen[argument]];
    usage.argvIndex = ++args;
    usage.omit = 1;
    given |= 1U << argument;
  }
  info->idxNum = static_cast<int>(given);
  // SQLite also asks for the terms of an OR one by one, where the arguments are not among them: this must not be the
  // way that it takes, and no error.
  constexpr double kNever = 1e99;
  info->estimatedCost = lacks_one ? kNever : function.call_cost + function.usual_rows;
  info->estimatedRows = static_cast<sqlite3_int64>(function.usual_rows);
  return SQLITE_OK;
}

int next_row(sqlite3_vtab_cursor* cursor) {
  Cursor& at = of(cursor);
  at.at_end = true;  // also where an exception comes
  ++at.row_id;
  return guard(cursor->pVtab, [&] { at.at_end = at.rows == nullptr || !at.rows->next(); });
}

/// Starts a call. idxNum says by its bits which arguments are given.
int filter_rows(sqlite3_vtab_cursor* cursor, int given, const char*, int, sqlite3_value** values) {
  Cursor& at = of(cursor);
  const Table& table = of(cursor->pVtab);
  at.rows.reset();
  at.at_end = true;
  at.row_id = 0;
  std::array<sqlite3_value*, kMostArguments> came{};
  std::array<sqlite3_value*, kMostArguments> kept{};
  for (std::size_t i = 0; i < kMostArguments; ++i) {
    at.args[i].reset();
    if ((static_cast<unsigned>(given) >> i & 1) == 0) continue;
    came[i] = *values++;
    at.args[i].reset(sqlite3_value_dup(came[i]));
    if (at.args[i] == nullptr) return SQLITE_NOMEM;
    kept[i] = at.args[i].get();
  }
  const auto arguments = table.function->arguments;
  for (std::size_t i = 0; i < table.function->required; ++i) {
    if (came[i] != nullptr) continue;
    return guard(cursor->pVtab, [&] { throw SqlError{std::string(arguments[i]) + " must be given"}; });
  }
  const std::size_t count = arguments.size();
  const TableCall call{table.db, std::span(came).first(count), std::span(kept).first(count)};
  const int status = guard(cursor->pVtab, [&] { at.rows = table.function->rows(call); });
  return status != SQLITE_OK ? status : next_row(cursor);
}

int at_end(sqlite3_vtab_cursor* cursor) { return of(cursor).at_end ? 1 : 0; }

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int number) {
  const Cursor& at = of(cursor);
  const int columns = static_cast<int>(of(cursor->pVtab).function->columns.size());
  if (number < columns) return guard(cursor->pVtab, [&] { at.rows->set_column(context, number); });
  const auto& arg = at.args[static_cast<std::size_t>(number - columns)];
  if (arg != nullptr) sqlite3_result_value(context, arg.get());
  return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = of(cursor).row_id;
  return SQLITE_OK;
}

const sqlite3_module kModule = [] {
  sqlite3_module module{};
  module.xConnect = connect;  // a module without xCreate makes no tables but the eponymous one
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect<Table>;
  module.xOpen = open_cursor<Cursor>;
  module.xClose = close_cursor<Cursor>;
  module.xFilter = filter_rows;
  module.xNext = next_row;
  module.xEof = at_end;
  module.xColumn = column;
  module.xRowid = row_id;
  return module;
}();

}  // namespace

int register_table_function(sqlite3* db, const TableFunction& function) {
  return sqlite3_create_module_v2(db, function.name, &kModule, const_cast<TableFunction*>(&function), nullptr);
}

}  // namespace crivo::sqlite

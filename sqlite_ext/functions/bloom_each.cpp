// bloom_each(filter): what bloom_info tells, as a table-valued function of rows (name, value).
//
// An eponymous virtual table (sqlite.org/vtab.html, 2.1.2): the filter is a hidden column that a query must constrain,
// which is how SQLite passes a table-valued function its argument.
#include <new>

#include "crivo/describe.h"
#include "functions.h"
#include "values/owned_value.h"

namespace crivo::sqlite {
namespace {

enum Column { kName = 0, kValue = 1, kFilter = 2 };

struct EachTable : sqlite3_vtab {
  sqlite3* db;
};

struct EachCursor : sqlite3_vtab_cursor {
  OwnedValue filter;  // kept because a query may select or compare the hidden column
  std::vector<Description> rows;
  std::size_t at = 0;
};

EachCursor& of(sqlite3_vtab_cursor* cursor) { return *static_cast<EachCursor*>(cursor); }

int connect(sqlite3* db, void*, int, const char* const*, sqlite3_vtab** table, char**) {
  const int status = sqlite3_declare_vtab(db, "CREATE TABLE bloom_each(name TEXT, value, filter HIDDEN)");
  if (status != SQLITE_OK) return status;
  sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  auto* made = new (std::nothrow) EachTable{{}, db};
  *table = made;
  return made != nullptr ? SQLITE_OK : SQLITE_NOMEM;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<EachTable*>(table);
  return SQLITE_OK;
}

/// Tells SQLite how a query can be run. There is only one way, and it needs the filter.
int best_index(sqlite3_vtab*, sqlite3_index_info* info) {
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    if (constraint.iColumn != kFilter || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (constraint.usable == 0) return SQLITE_CONSTRAINT;
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->estimatedCost = 1;
    info->estimatedRows = 12;
    return SQLITE_OK;
  }
  return SQLITE_CONSTRAINT;
}

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** cursor) {
  auto* made = new (std::nothrow) EachCursor{};
  *cursor = made;
  return made != nullptr ? SQLITE_OK : SQLITE_NOMEM;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete &of(cursor);
  return SQLITE_OK;
}

int set_table_error(sqlite3_vtab* table, const char* message) {
  sqlite3_free(table->zErrMsg);
  table->zErrMsg = sqlite3_mprintf("bloom_each: %s", message);
  return table->zErrMsg != nullptr ? SQLITE_ERROR : SQLITE_NOMEM;
}

int filter_rows(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value** args) {
  EachCursor& each = of(cursor);
  each.at = 0;
  each.rows.clear();
  each.filter.reset(sqlite3_value_dup(args[0]));
  if (each.filter == nullptr) return SQLITE_NOMEM;
  try {
    if (sqlite3_value_type(args[0]) == SQLITE_NULL) return SQLITE_OK;
    each.rows = describe(open_filter(static_cast<EachTable*>(cursor->pVtab)->db, args[0], 1));
    return SQLITE_OK;
  } catch (const SqlError& error) {
    return set_table_error(cursor->pVtab, error.message.c_str());
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  } catch (const std::exception& error) {
    return set_table_error(cursor->pVtab, error.what());
  }
}

int next_row(sqlite3_vtab_cursor* cursor) {
  ++of(cursor).at;
  return SQLITE_OK;
}

int at_end(sqlite3_vtab_cursor* cursor) { return of(cursor).at >= of(cursor).rows.size(); }

void result(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}
void result(sqlite3_context* context, double value) { sqlite3_result_double(context, value); }
void result(sqlite3_context* context, std::int64_t value) { sqlite3_result_int64(context, value); }
void result(sqlite3_context* context, std::uint64_t value) { result(context, static_cast<std::int64_t>(value)); }

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int number) {
  const EachCursor& each = of(cursor);
  const Description& row = each.rows[each.at];
  if (number == kFilter) sqlite3_result_value(context, each.filter.get());
  if (number == kName) result(context, row.name);
  if (number == kValue) std::visit([context](auto value) { result(context, value); }, row.value);
  return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(of(cursor).at);
  return SQLITE_OK;
}

const sqlite3_module kEachModule = [] {
  sqlite3_module module{};
  module.xConnect = connect;  // a module without xCreate makes no tables but the eponymous one
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xOpen = open_cursor;
  module.xClose = close_cursor;
  module.xFilter = filter_rows;
  module.xNext = next_row;
  module.xEof = at_end;
  module.xColumn = column;
  module.xRowid = row_id;
  return module;
}();

}  // namespace

int register_bloom_each(sqlite3* db) {
  return sqlite3_create_module_v2(db, "bloom_each", &kEachModule, nullptr, nullptr);
}

}  // namespace crivo::sqlite

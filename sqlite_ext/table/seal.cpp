#include "table/seal.h"

#include <new>

#include "values/statement.h"
#include "values/table_callback.h"

extern "C" {
SQLITE_EXTENSION_INIT3
}

namespace crivo::sqlite {
namespace {

constexpr const char* kModule = "bloom_seal";

int connect(sqlite3* db, void*, int, const char* const*, sqlite3_vtab** table, char**) {
  const int status = sqlite3_declare_vtab(db, "CREATE TABLE seal(none)");
  if (status != SQLITE_OK) return status;
  *table = new (std::nothrow) sqlite3_vtab{};
  return *table != nullptr ? SQLITE_OK : SQLITE_NOMEM;
}
// Only a module whose xCreate is another function than its xConnect has no table of the module's own name.
int create(sqlite3* db, void* none, int argc, const char* const* argv, sqlite3_vtab** table, char** message) {
  return connect(db, none, argc, argv, table, message);
}

/// A table without rows.
const sqlite3_module kSealModule = [] {
  sqlite3_module module{};
  module.xCreate = create;
  module.xConnect = connect;
  module.xBestIndex = [](sqlite3_vtab*, sqlite3_index_info*) { return SQLITE_OK; };
  module.xDisconnect = disconnect<sqlite3_vtab>;
  module.xDestroy = disconnect<sqlite3_vtab>;
  module.xOpen = open_cursor<sqlite3_vtab_cursor>;
  module.xClose = close_cursor<sqlite3_vtab_cursor>;
  module.xFilter = [](sqlite3_vtab_cursor*, int, const char*, int, sqlite3_value**) { return SQLITE_OK; };
  module.xNext = [](sqlite3_vtab_cursor*) { return SQLITE_OK; };
  module.xEof = [](sqlite3_vtab_cursor*) { return 1; };
  module.xColumn = [](sqlite3_vtab_cursor*, sqlite3_context*, int) { return SQLITE_OK; };
  module.xRowid = [](sqlite3_vtab_cursor*, sqlite3_int64*) { return SQLITE_OK; };
  return module;
}();

std::string seal_name(const std::string& filter) { return filter + "_seal"; }

std::string full_name(const std::string& schema, const std::string& filter) {
  return quoted_name(schema) + "." + quoted_name(seal_name(filter));
}

}  // namespace

std::int64_t find_seal(sqlite3* db, const std::string& schema, const std::string& filter, const std::string& mark) {
  // The mark is the text's end; before it stands the name, which may hold the same characters.
  const std::string end = std::string(" USING ") + kModule + mark;
  const std::string from = mark.empty() ? "1" : std::to_string(-static_cast<int>(end.size()));
  Statement find(db, "SELECT rowid FROM " + quoted_name(schema) + ".sqlite_schema WHERE name = ?1 COLLATE NOCASE AND " +
                         "type = 'table' AND rootpage = 0 AND instr(substr(sql, " + from + "), '" + end + "')");
  Use use(find);
  return use.bind(1, seal_name(filter)).step() ? use.integer(0) : 0;
}

void create_seal(sqlite3* db, const std::string& schema, const std::string& filter, const std::string& mark) {
  run_sql(db, "CREATE VIRTUAL TABLE " + full_name(schema, filter) + " USING " + kModule + mark);
}

void drop_seal(sqlite3* db, const std::string& schema, const std::string& filter) {
  if (find_seal(db, schema, filter, "") != 0) run_sql(db, "DROP TABLE " + full_name(schema, filter));
}

int register_seal(sqlite3* db) { return sqlite3_create_module_v2(db, kModule, &kSealModule, nullptr, nullptr); }

}  // namespace crivo::sqlite

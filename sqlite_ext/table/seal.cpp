#include "table/seal.h"

#include <memory>
#include <span>

#include "values/statement.h"
#include "values/virtual_table.h"

namespace crivo::sqlite {
namespace {

constexpr const char* kModule = "bloom_seal";

struct Seal : sqlite3_vtab {
  [[nodiscard]] static const char* name() noexcept { return kModule; }
  static int best_index(const sqlite3_index_info&) noexcept { return SQLITE_OK; }
};

struct NoRows : sqlite3_vtab_cursor {
  static void filter(int, std::span<sqlite3_value* const>) noexcept {}
  static void next() noexcept {}
  [[nodiscard]] static bool at_end() noexcept { return true; }
  static void set_column(sqlite3_context*, int) noexcept {}
  [[nodiscard]] static std::int64_t row_id() noexcept { return 0; }
};

int connect(sqlite3* db, void*, int, const char* const*, sqlite3_vtab** table, char** message) {
  return connect_table(kModule, table, message, [db](const std::string&) {
    require_ok(db, sqlite3_declare_vtab(db, "CREATE TABLE seal(none)"));
    return std::make_unique<Seal>();
  });
}
// Must differ from `connect`: if xCreate equals xConnect, SQLite makes an eponymous table.
int create(sqlite3* db, void* none, int argc, const char* const* argv, sqlite3_vtab** table, char** message) {
  return connect(db, none, argc, argv, table, message);
}

const sqlite3_module kSealModule = [] {
  sqlite3_module module = module_of<Seal, NoRows>();
  module.xCreate = create;
  module.xConnect = connect;
  module.xDestroy = disconnect_table<Seal>;
  return module;
}();

std::string seal_name(const std::string& filter) { return filter + "_seal"; }

std::string full_name(const std::string& schema, const std::string& filter) {
  return quoted_name(schema) + "." + quoted_name(seal_name(filter));
}

}  // namespace

std::int64_t find_seal(sqlite3* db, const std::string& schema, const std::string& filter, const std::string& mark) {
  // The mark is the end of the text. Only the end is searched, because the table's name may contain the mark.
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

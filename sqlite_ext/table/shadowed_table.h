// What the virtual tables that live in shadow tables have in common: SQLite's object for one, and the edge to C++ for
// its callbacks.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "table/follow.h"
#include "table/shadow_tables.h"
#include "values/running.h"
#include "values/table_callback.h"

namespace crivo::sqlite {

struct ShadowedTable : sqlite3_vtab {
  ShadowedTable(sqlite3* db, std::string schema, std::string name)
      : sqlite3_vtab{}, shadow(db, std::move(schema), std::move(name)) {}
  ~ShadowedTable() { sqlite3_free(zErrMsg); }  // SQLite does not take the message of a failed xDestroy
  ShadowedTable(const ShadowedTable&) = delete;
  ShadowedTable& operator=(const ShadowedTable&) = delete;

  ShadowTables shadow;
  bool is_at_work = false;
  bool is_renamed = false;  // only statements that were running then still have this object
};

/// Runs `body`, which returns a result code, and puts the table's name in front of the message of what it throws. One
/// callback at a time: a hostile schema can put a view or a trigger in the way of the table's own statements, and have
/// it call a function of the application that uses the table again. That would reset these statements while they run.
template <class Body>
int guarded_callback(ShadowedTable& table, const Body& body) noexcept {
  const char* name = table.shadow.table().c_str();
  if (table.is_at_work || table.is_renamed) {  // the old name may be that of another table by now
    const char* why = table.is_at_work ? "not be used by what its own statements run, got such a use"
                                       : "keep its name while a statement uses it, got a rename";
    sqlite3_free(table.zErrMsg);
    table.zErrMsg = sqlite3_mprintf("%s: table must %s", name, why);
    return SQLITE_ERROR;
  }
  table.is_at_work = true;
  const int status = guarded_table(&table, name, body);
  table.is_at_work = false;
  return status;
}

/// For CREATE VIRTUAL TABLE, and for the first use of a table in a connection. The arguments are: the module's name,
/// the schema, the table's name, and what stands in the brackets, which `open(table, texts)` gets.
template <class Table, class Open>
int open_table(sqlite3* db, int argc, const char* const* argv, const char* declaration, sqlite3_vtab** result,
               char** message, const Open& open) noexcept {
  std::string name;  // a failed statement below can make SQLite forget the schema, and free the arguments with it
  const auto body = [&] {
    name = argv[2];
    auto made = std::make_unique<Table>(db, argv[1], name);
    open(*made, std::span(argv + 3, argv + argc));
    require_ok(db, sqlite3_declare_vtab(db, declaration));
    require_ok(db, sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1));
    // It writes its own shadow tables only (and reads its source), so a trigger in an untrusted schema may use it.
    require_ok(db, sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS));
    *result = made.release();
    return SQLITE_OK;
  };
  return coded(body,
               [&](const std::string& text) { *message = sqlite3_mprintf("%s: %s", name.c_str(), text.c_str()); });
}

template <class Table>
int destroy_table(sqlite3_vtab* table) noexcept {
  const int status = guarded_callback(*static_cast<Table*>(table), [table] {
    drop_following(static_cast<Table*>(table)->shadow);
    return SQLITE_OK;
  });
  return status == SQLITE_OK ? disconnect<Table>(table) : status;
}

template <class Table>
int rename_table(sqlite3_vtab* table, const char* name) noexcept {
  Table& renamed = *static_cast<Table*>(table);
  return guarded_callback(renamed, [&] {
    require_no_other_writer(renamed.shadow.db(), "ALTER TABLE RENAME of a virtual table");
    rename_following(renamed.shadow, name);
    renamed.is_renamed = true;
    return SQLITE_OK;
  });
}

/// PRAGMA integrity_check calls it, from SQLite 3.44 on. `Table` has a function check_pages().
template <class Table>
int check_integrity(sqlite3_vtab* table, const char*, const char*, int, char** report) noexcept {
  Table& checked = *static_cast<Table*>(table);
  std::string found;
  const int status = coded(
      [&] {
        checked.check_pages();
        return SQLITE_OK;
      },
      [&](const std::string& message) { found = checked.shadow.table() + ": " + message; });
  if (status == SQLITE_OK || found.empty()) return status;
  *report = sqlite3_mprintf("%s", found.c_str());
  return *report != nullptr ? SQLITE_OK : SQLITE_NOMEM;
}

/// The module as SQLite 3.44 knows it, where the headers are older: the new function follows the others.
struct ModuleWithIntegrity {
  sqlite3_module module;
  int (*integrity)(sqlite3_vtab*, const char*, const char*, int, char**);
};

/// A module with the callbacks that all such tables have; the others are the caller's.
template <class Table, class Cursor>
ModuleWithIntegrity module_of() noexcept {
  ModuleWithIntegrity made{};
  sqlite3_module& module = made.module;
  module.iVersion = sqlite3_libversion_number() >= 3044000 ? 4 : 3;
  module.xDisconnect = disconnect<Table>;
  module.xDestroy = destroy_table<Table>;
  module.xOpen = open_cursor<Cursor>;
  module.xClose = close_cursor<Cursor>;
  module.xRename = rename_table<Table>;
  module.xShadowName = [](const char* suffix) -> int { return ShadowTables::is_shadow_suffix(suffix); };
#if SQLITE_VERSION_NUMBER >= 3044000
  module.xIntegrity = check_integrity<Table>;
#endif
  made.integrity = check_integrity<Table>;
  return made;
}

}  // namespace crivo::sqlite

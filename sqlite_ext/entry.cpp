// The extension's entry point: registers all functions and modules with a connection.
//
// The same sources are compiled twice: as crivo.so, which calls SQLite through the function table of its host, and with
// SQLITE_CORE as an archive for programs that link SQLite directly.
#include <sqlite3ext.h>

#include <memory>
#include <mutex>
#include <new>

#include "crivo/sqlite.h"
#include "crivo/version.h"
#include "functions.h"
#include "functions/table_valued.h"

extern "C" {
SQLITE_EXTENSION_INIT1
}

namespace crivo::sqlite {
namespace {

int register_arity(sqlite3* db, const FunctionRow& row, int args, const std::shared_ptr<Connection>& connection) {
  const bool aggregate = row.finish != nullptr;
  auto* registration = new Registration{row.name, connection};
  // SQLite deletes `registration`, even if this call fails.
  return sqlite3_create_function_v2(db, row.name, args, row.flags, registration, aggregate ? nullptr : row.call,
                                    aggregate ? row.call : nullptr, row.finish, delete_as<Registration>);
}

/// Registers the function once for each allowed number of arguments (or once for kAnyNumber), so that SQLite rejects
/// any other number when it prepares the statement.
int register_function(sqlite3* db, const FunctionRow& row, const std::shared_ptr<Connection>& connection) {
  if (row.max_args == kAnyNumber) return register_arity(db, row, kAnyNumber, connection);
  int status = SQLITE_OK;
  for (int args = row.min_args; args <= row.max_args && status == SQLITE_OK; ++args) {
    status = register_arity(db, row, args, connection);
  }
  return status;
}

int register_all(sqlite3* db, char** error_message) {
  if (const auto known = check_isa(); !known) {
    *error_message = sqlite3_mprintf("crivo: %s", known.error().message.c_str());
    return SQLITE_ERROR;
  }
  const auto connection = std::make_shared<Connection>();
  const auto refused = [&](int status, const char* name) {
    if (status != SQLITE_OK)
      *error_message = sqlite3_mprintf("crivo: %s cannot be registered: %s", name, sqlite3_errmsg(db));
    return status != SQLITE_OK;
  };
  for (const auto table : {scalar_functions(), key_functions(), in_place_functions(), set_functions(),
                           build_functions(), sketch_functions(), chunk_functions(), table_functions()}) {
    for (const FunctionRow& row : table) {
      if (const int status = register_function(db, row, connection); refused(status, row.name)) return status;
    }
  }
  for (const TableFunction* function : {&kBloomEach, &kBloomLayers, &kBloomProbe, &kBloomDump, &kBloomDifference}) {
    if (const int status = register_table_function(db, *function); refused(status, function->name)) return status;
  }
  const int status = register_bloom_table(db);
  (void)refused(status, "the table bloom");
  return status;
}

#ifdef SQLITE_CORE
// The linker binds all calls to SQLite, so no function table is needed.
bool init_api(const sqlite3_api_routines* /*routines*/, char** /*error_message*/) { return true; }
#else
/// The first SQLite with all functions that the extension calls. The function table of an older version is shorter, and
/// a call past its end would crash.
constexpr int kOldestSQLite = 3038000;

/// Stores SQLite's function table, which serves all connections. A process may contain two copies of SQLite. The
/// functions of one copy would crash with values of the other copy, so only the first copy is accepted. The other copy
/// can load a copy of crivo.so, which has its own function table.
///
/// Several threads may load the file at the same time, each for its own connection. The pointer is written only once,
/// because other threads read it without a lock.
bool init_api(const sqlite3_api_routines* routines, char** error_message) {
  if (routines == nullptr) return false;  // a SQLite without extension loading (SQLITE_OMIT_LOAD_EXTENSION)
  static std::mutex loading;
  const std::lock_guard lock(loading);
  if (routines->libversion_number() < kOldestSQLite) {
    *error_message = routines->mprintf("crivo: SQLite must be 3.38 or later, got %s", routines->libversion());
    return false;
  }
  if (sqlite3_api == routines) return true;
  if (sqlite3_api != nullptr) {
    *error_message = routines->mprintf(
        "crivo: SQLite must be the one that this process loaded the file into first (%s), got another (%s); "
        "load a copy of the file into that one",
        sqlite3_libversion(), routines->libversion());
    return false;
  }
  SQLITE_EXTENSION_INIT2(routines);
  return true;
}
#endif

}  // namespace
}  // namespace crivo::sqlite

// Success is SQLITE_OK, not SQLITE_OK_LOAD_PERMANENTLY: SQLite treats any other result of an automatic extension as a
// failure. Instead, a linker flag prevents unloading, because other connections may still use the functions when this
// connection closes.
extern "C" [[gnu::visibility("default")]] int sqlite3_crivo_init(sqlite3* db, char** error_message,
                                                                 const sqlite3_api_routines* routines) {
  try {
    if (!crivo::sqlite::init_api(routines, error_message)) return SQLITE_ERROR;
    char* unwanted = nullptr;  // a linked program may pass a null error_message
    const int status = crivo::sqlite::register_all(db, error_message == nullptr ? &unwanted : error_message);
    sqlite3_free(unwanted);
    return status;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

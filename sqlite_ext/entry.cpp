// The extension's entry point: registers the functions of the table with a connection.
#include <sqlite3ext.h>

#include <memory>
#include <new>

#include "functions.h"

extern "C" {
SQLITE_EXTENSION_INIT1
}

namespace crivo::sqlite {
namespace {

void free_registration(void* registration) { std::unique_ptr<Registration>(static_cast<Registration*>(registration)); }

int register_arity(sqlite3* db, const FunctionRow& row, int args, const std::shared_ptr<Connection>& connection) {
  const bool aggregate = row.finish != nullptr;
  auto* registration = new Registration{row.name, connection};
  // SQLite frees the user data in any case, also when the registration fails.
  return sqlite3_create_function_v2(db, row.name, args, row.flags, registration, aggregate ? nullptr : row.call,
                                    aggregate ? row.call : nullptr, row.finish, free_registration);
}

/// Registers the function once for each number of arguments that it takes, so that SQLite refuses any other number when
/// it prepares the statement.
int register_function(sqlite3* db, const FunctionRow& row, const std::shared_ptr<Connection>& connection) {
  if (row.max_args == kAnyNumber) return register_arity(db, row, kAnyNumber, connection);
  int status = SQLITE_OK;
  for (int args = row.min_args; args <= row.max_args && status == SQLITE_OK; ++args) {
    status = register_arity(db, row, args, connection);
  }
  return status;
}

int register_all(sqlite3* db, char** error_message) {
  const auto connection = std::make_shared<Connection>();
  for (const auto table :
       {scalar_functions(), key_functions(), set_functions(), aggregate_functions(), table_functions()}) {
    for (const FunctionRow& row : table) {
      const int status = register_function(db, row, connection);
      if (status != SQLITE_OK) {
        *error_message = sqlite3_mprintf("crivo: %s cannot be registered: %s", row.name, sqlite3_errmsg(db));
        return status;
      }
    }
  }
  if (const int status = register_bloom_each(db); status != SQLITE_OK) {
    *error_message = sqlite3_mprintf("crivo: bloom_each cannot be registered: %s", sqlite3_errmsg(db));
    return status;
  }
  if (const int status = register_bloom_table(db); status != SQLITE_OK) {
    *error_message = sqlite3_mprintf("crivo: the table bloom cannot be registered: %s", sqlite3_errmsg(db));
    return status;
  }
  // Other connections of the process may hold our functions when this one closes.
  return SQLITE_OK_LOAD_PERMANENTLY;
}

}  // namespace
}  // namespace crivo::sqlite

extern "C" [[gnu::visibility("default")]] int sqlite3_crivo_init(sqlite3* db, char** error_message,
                                                                 const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api);
  try {
    return crivo::sqlite::register_all(db, error_message);
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

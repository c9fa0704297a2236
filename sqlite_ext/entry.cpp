// The extension's entry point: registers the functions of the table with a connection.
#include <sqlite3ext.h>

#include "functions.h"

extern "C" {
SQLITE_EXTENSION_INIT1
}

namespace crivo::sqlite {
namespace {

int register_arity(sqlite3* db, const FunctionRow& row, int args) {
  const bool aggregate = row.finish != nullptr;
  void* user_data = const_cast<FunctionRow*>(&row);  // comes back const: it names the function in errors
  return sqlite3_create_function_v2(db, row.name, args, row.flags, user_data, aggregate ? nullptr : row.call,
                                    aggregate ? row.call : nullptr, row.finish, nullptr);
}

/// Each number of arguments by itself, so that SQLite refuses any other when it prepares the statement.
int register_function(sqlite3* db, const FunctionRow& row) {
  if (row.max_args == kAnyNumber) return register_arity(db, row, kAnyNumber);
  int status = SQLITE_OK;
  for (int args = row.min_args; args <= row.max_args && status == SQLITE_OK; ++args) {
    status = register_arity(db, row, args);
  }
  return status;
}

}  // namespace
}  // namespace crivo::sqlite

extern "C" [[gnu::visibility("default")]] int sqlite3_crivo_init(sqlite3* db, char** error_message,
                                                                 const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api);
  for (const auto table : {crivo::sqlite::scalar_functions(), crivo::sqlite::key_functions(),
                           crivo::sqlite::set_functions(), crivo::sqlite::aggregate_functions()}) {
    for (const crivo::sqlite::FunctionRow& row : table) {
      const int status = crivo::sqlite::register_function(db, row);
      if (status != SQLITE_OK) {
        *error_message = sqlite3_mprintf("crivo: %s cannot be registered: %s", row.name, sqlite3_errmsg(db));
        return status;
      }
    }
  }
  if (const int status = crivo::sqlite::register_bloom_each(db); status != SQLITE_OK) {
    *error_message = sqlite3_mprintf("crivo: bloom_each cannot be registered: %s", sqlite3_errmsg(db));
    return status;
  }
  // Other connections of the process may hold our functions when this one closes.
  return SQLITE_OK_LOAD_PERMANENTLY;
}

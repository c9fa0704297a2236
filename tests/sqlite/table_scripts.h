// Statements on filter tables, for tests that inject faults.
#pragma once

#include "database.h"

namespace crivo::testing {

struct Script {
  const char* name;
  bool is_atomic;  // one statement, or one transaction
  std::vector<const char*> statements;
  friend void PrintTo(const Script& script, std::ostream* out) { *out << script.name; }
};

/// The scripts. They begin with the tables of make_script_tables.
[[nodiscard]] const std::vector<Script>& table_scripts();

/// Makes filter tables of four kinds, with a window, and with a source, all with the keys 1 .. 20. The scalable table
/// has a capacity of 20, and grows with the next key.
void make_script_tables(Database& db);

/// The visible contents of the tables. Databases with the same tables and keys give the same text.
[[nodiscard]] std::string look_at_tables(Database& db);

/// Runs the statements until one fails, and adds up their answers. Allocates nothing itself. Returns the last
/// statement's result code.
int run_script(sqlite3* db, const Script& script, std::int64_t* answers);

}  // namespace crivo::testing

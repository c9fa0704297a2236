// Statements over filter tables, for tests that let them fail somewhere.
#pragma once

#include "database.h"

namespace crivo::testing {

struct Script {
  const char* name;
  bool is_atomic;  // one statement, or one transaction
  std::vector<const char*> statements;
  friend void PrintTo(const Script& script, std::ostream* out) { *out << script.name; }
};

/// Scripts with every kind of statement, which start from what make_script_tables leaves.
[[nodiscard]] const std::vector<Script>& table_scripts();

/// Tables of every sort with the keys 1 .. 20. The scalable one has a page of room for 20 keys and grows with the next.
void make_script_tables(Database& db);

/// What can be seen of the tables: two databases with the same tables and keys look the same.
[[nodiscard]] std::string look_at_tables(Database& db);

/// Runs the statements until one fails, and sums up what they answer. Allocates nothing itself. Returns the last
/// statement's result code.
int run_script(sqlite3* db, const Script& script, std::int64_t* answers);

}  // namespace crivo::testing

// passwords_sqlite_index DATABASE <LIST: makes a table of the list's hashes in the smallest and fastest way that SQLite
// offers. A WITHOUT ROWID table with a 20-byte key is a single B-tree. A sorted list, in one transaction without a
// journal, fills one page after the other.
#include <sqlite3.h>

#include <cstdio>

#include "hash_input.h"

namespace {

using namespace passwords;

bool fill(sqlite3* database) {
  const char* const make =
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;"
      "CREATE TABLE leaked(hash BLOB PRIMARY KEY) WITHOUT ROWID; BEGIN";
  if (sqlite3_exec(database, make, nullptr, nullptr, nullptr) != SQLITE_OK) return false;
  sqlite3_stmt* insert = nullptr;
  if (sqlite3_prepare_v2(database, "INSERT INTO leaked VALUES (?)", -1, &insert, nullptr) != SQLITE_OK) return false;
  bool fine = true;
  for_each_hash([&](const Hash& hash, const std::string&) {
    sqlite3_bind_blob(insert, 1, hash.data(), kHashBytes, SQLITE_STATIC);
    fine = sqlite3_step(insert) == SQLITE_DONE;
    sqlite3_reset(insert);
    return fine;
  });
  sqlite3_finalize(insert);
  return fine && sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: passwords_sqlite_index DATABASE <LIST\n", stderr);
    return 2;
  }
  sqlite3* database = nullptr;
  const bool filled = sqlite3_open(argv[1], &database) == SQLITE_OK && fill(database);
  if (!filled) std::fprintf(stderr, "passwords_sqlite_index: %s\n", sqlite3_errmsg(database));
  return sqlite3_close(database) == SQLITE_OK && filled ? 0 : 1;
}

// Runs work on a database in another process.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace crivo::testing {

/// Runs `work(db)`, which returns whether it succeeded, in a separate process, for which wait_for() waits. The process
/// opens its own connection, because SQLite's connections must not be used across a fork.
template <class Work>
[[nodiscard]] pid_t in_other_process(const std::string& path, const Work& work) {
  const pid_t child = fork();
  EXPECT_GE(child, 0);
  if (child != 0) return child;
  sqlite3* db = nullptr;
  bool ok = sqlite3_open(path.c_str(), &db) == SQLITE_OK && sqlite3_enable_load_extension(db, 1) == SQLITE_OK &&
            sqlite3_load_extension(db, CRIVO_SO, nullptr, nullptr) == SQLITE_OK;
  sqlite3_busy_timeout(db, 3'600'000);
  ok = ok && work(db);
  if (!ok) std::fprintf(stderr, "%s\n", sqlite3_errmsg(db));
  sqlite3_close(db);
  _exit(ok ? 0 : 1);
}

/// Waits for the process. Its work must have succeeded.
inline void wait_for(pid_t child) {
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// Runs a statement. Returns whether it succeeded.
inline bool succeeds(sqlite3* db, const std::string& sql) {
  return sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

}  // namespace crivo::testing

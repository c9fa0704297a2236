// Writes keys until it is killed: sqlite_crash_writer DATABASE JOURNAL_MODE. Key i goes to the filter table of kind i %
// 5. The plain table `progress` counts the keys in the same transaction. After each commit, the program writes the
// number of keys to the standard output, as eight bytes.
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>

namespace {

constexpr std::array kKinds = {"blocked", "counting", "growing", "scalable", "spectral"};

class Writer {
 public:
  Writer(const char* path, const std::string& journal_mode) {
    sqlite3_open(path, &db_);
    sqlite3_enable_load_extension(db_, 1);
    if (sqlite3_load_extension(db_, CRIVO_SO, nullptr, nullptr) != SQLITE_OK) throw std::runtime_error("no extension");
    sqlite3_busy_timeout(db_, 3'600'000);
    run("PRAGMA page_size = 1024");
    run("PRAGMA journal_mode = " + journal_mode);
    run("PRAGMA synchronous = OFF");  // the process is killed, but the machine keeps its power
    run("PRAGMA wal_autocheckpoint = 50");
    run("PRAGMA cache_size = 30");  // so that SQLite writes pages before the commit
    run("BEGIN");
    run("CREATE TABLE IF NOT EXISTS progress AS SELECT 0 AS keys");
    for (const std::string kind : kKinds) {
      run("CREATE VIRTUAL TABLE IF NOT EXISTS " + kind +
          " USING bloom(capacity=" + (kind == "scalable" ? "100" : "100000") + ", fpr=1e-9, kind=" + kind + ")");
    }
    run("COMMIT");
    run("SELECT keys FROM progress", &keys_);
  }

  /// One transaction: some keys, some keys that are rolled back, and one key that the next transaction deletes.
  void write() {
    run("BEGIN");
    run("DELETE FROM counting WHERE key = 'until ' || " + std::to_string(keys_));
    const auto end = keys_ + 1 + static_cast<std::int64_t>(random_() % 40);
    insert(keys_, end);
    run("SAVEPOINT doubtful");
    insert(-end, -keys_);
    run("ROLLBACK TO doubtful");
    run("INSERT INTO counting(key) VALUES ('until ' || " + std::to_string(end) + ")");
    run("UPDATE progress SET keys = " + std::to_string(end));
    run("COMMIT");
    keys_ = end;
    if (::write(STDOUT_FILENO, &keys_, sizeof keys_) != sizeof keys_) throw std::runtime_error("nobody listens");
  }

 private:
  void insert(std::int64_t first, std::int64_t end) {
    for (std::int64_t i = first; i < end; ++i) {
      run(std::string("INSERT INTO ") + kKinds[static_cast<std::uint64_t>(i) % kKinds.size()] + "(key) VALUES (" +
          std::to_string(i) + ")");
    }
  }

  void run(const std::string& sql, std::int64_t* answer = nullptr) {
    sqlite3_stmt* statement = nullptr;
    int status = sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr);
    if (status == SQLITE_OK) status = sqlite3_step(statement);
    if (status == SQLITE_ROW && answer != nullptr) *answer = sqlite3_column_int64(statement, 0);
    if (status != SQLITE_ROW && status != SQLITE_DONE) throw std::runtime_error(sql + ": " + sqlite3_errmsg(db_));
    sqlite3_finalize(statement);
  }

  sqlite3* db_ = nullptr;
  std::int64_t keys_ = 0;
  std::minstd_rand random_{static_cast<unsigned>(getpid())};
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) return 2;
  Writer writer(argv[1], argv[2]);
  for (;;) writer.write();
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

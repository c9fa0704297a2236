// Measures a filter table beside the other ways to keep a growing set of keys in SQLite. Usage:
//   bench_sqlite_table CRIVO_SO [PEER_SO]
// PEER_SO is the extension bloom_filter of github.com/shawnw/useful_sqlite_extensions, which keeps a filter in one
// blob.
//
// The databases lie in the current folder, in WAL mode with synchronous=NORMAL. Each is measured twice: with SQLite's
// own cache of 2 MB, and with one of 64 MB. Times are processor time, the median of five runs. The bytes written are
// what the log grows by.
#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "measure.h"

namespace crivo::bench {
namespace {

constexpr const char* kPath = "bench_sqlite_table.db";

[[noreturn]] void fail(const char* error) {
  std::fprintf(stderr, "bench_sqlite_table: %s\n", error != nullptr ? error : "no memory");
  std::exit(1);
}

std::string integers(std::int64_t first, std::int64_t count) {
  return "WITH RECURSIVE n(i) AS (VALUES(" + std::to_string(first) + ") UNION ALL SELECT i + 1 FROM n WHERE i < " +
         std::to_string(first + count - 1) + ") ";
}

/// A way to keep keys, as SQL. {capacity} stands for the capacity.
struct Way {
  std::string name;
  std::string make;
  std::string fill;   // with the keys n.i
  std::string add;    // the key ?1
  std::string ask;    // for the keys n.i
  std::int64_t keys;  // that are added or asked for in a run
};

std::string with(std::string sql, const std::string& name, const std::string& value) {
  for (std::size_t at = sql.find(name); at != std::string::npos; at = sql.find(name))
    sql.replace(at, name.size(), value);
  return sql;
}

class Database {
 public:
  Database(const std::vector<const char*>& extensions, int cache_kib) {
    for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(std::string(kPath) + end);
    sqlite3_open(kPath, &db_);
    sqlite3_enable_load_extension(db_, 1);
    char* error = nullptr;
    for (const char* extension : extensions) {
      if (sqlite3_load_extension(db_, extension, nullptr, &error) != SQLITE_OK) fail(error);
    }
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -" + std::to_string(cache_kib));
  }
  ~Database() { sqlite3_close(db_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql) {
    char* error = nullptr;
    if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, &error) != SQLITE_OK) fail(error);
  }
  /// Runs a statement for each of these integers.
  void run_for_each(const std::string& sql, std::int64_t first, std::int64_t count) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) fail(sqlite3_errmsg(db_));
    for (std::int64_t i = first; i < first + count; ++i) {
      sqlite3_bind_int64(statement, 1, i);
      if (sqlite3_step(statement) != SQLITE_DONE) fail(sqlite3_errmsg(db_));
      sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
  }
  /// Empties the log, so that what follows can be read off its size.
  void checkpoint() { run("PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(TRUNCATE)"); }
  static double log_bytes() { return static_cast<double>(std::filesystem::file_size(std::string(kPath) + "-wal")); }

 private:
  sqlite3* db_ = nullptr;
};

double microseconds_each(std::int64_t count, const std::function<void()>& call) {
  std::vector<double> samples;
  for (int round = 0; round < 5; ++round) {
    const std::clock_t start = std::clock();
    call();
    samples.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC * 1e6 / static_cast<double>(count));
  }
  return median(samples);
}

void measure_way(const Way& way, std::int64_t capacity, int cache_kib, const std::vector<const char*>& extensions) {
  Database db(extensions, cache_kib);
  const std::int64_t filled = std::min<std::int64_t>(capacity / 2, 500'000);
  db.run(with(way.make, "{capacity}", std::to_string(capacity)));
  db.run(integers(1, filled) + with(way.fill, "{capacity}", std::to_string(capacity)));
  std::int64_t next = 1'000'000'000;
  const auto add = [&](bool in_one) {
    if (in_one) db.run("BEGIN");
    db.run_for_each(way.add, next, way.keys);
    if (in_one) db.run("COMMIT");
    next += way.keys;
  };
  db.checkpoint();
  const double in_transaction = microseconds_each(way.keys, [&] { add(true); });
  db.checkpoint();
  const double alone = microseconds_each(way.keys, [&] { add(false); });
  const double bytes = Database::log_bytes() / static_cast<double>(5 * way.keys);
  db.checkpoint();
  const auto ask = [&](std::int64_t first) {
    return microseconds_each(way.keys, [&] { db.run(integers(first, way.keys) + way.ask); });
  };
  const double present = ask(1);
  const double absent = ask(5'000'000'000);
  const double file = static_cast<double>(std::filesystem::file_size(kPath));
  std::printf("%-34s %11lld %9.2f %9.2f %9.2f %9.2f %10.0f %9.1f\n", way.name.c_str(), static_cast<long long>(capacity),
              in_transaction, alone, present, absent, bytes, file / 1e6);
  std::fflush(stdout);
}

Way table_of(const std::string& kind, std::int64_t keys) {
  return {"bloom(kind=" + kind + ")",
          "CREATE VIRTUAL TABLE t USING bloom(capacity={capacity}, kind=" + kind + ")",
          "INSERT INTO t(key) SELECT i FROM n",
          "INSERT INTO t(key) VALUES (?1)",
          "SELECT sum(EXISTS (SELECT 1 FROM t WHERE key = i)) FROM n",
          keys};
}

const Way kPlain = {"a table with a primary key",
                    "CREATE TABLE t(key PRIMARY KEY) WITHOUT ROWID",
                    "INSERT INTO t SELECT i FROM n",
                    "INSERT INTO t VALUES (?1)",
                    "SELECT sum(EXISTS (SELECT 1 FROM t WHERE key = i)) FROM n",
                    2000};
const Way kColumn = {"bloom_add to a filter in a column",
                     "CREATE TABLE t(f)",
                     "INSERT INTO t SELECT bloom_raw(bloom_agg(i, {capacity})) FROM n",
                     "UPDATE t SET f = bloom_add(f, ?1)",
                     "SELECT sum(bloom_contains((SELECT bloom_open(f) FROM t), i)) FROM n",
                     40};
const Way kPeer = {"peer: bloom_filter1, one blob",
                   "CREATE VIRTUAL TABLE t USING bloom_filter1({capacity}, 0.01)",
                   "INSERT INTO t SELECT i FROM n LIMIT 100",
                   "INSERT INTO t VALUES (?1)",
                   "SELECT sum(EXISTS (SELECT 1 FROM t(i))) FROM n",
                   40};

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  using namespace crivo::bench;
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: bench_sqlite_table CRIVO_SO [PEER_SO]\n");
    return 2;
  }
  std::printf(
      "SQLite %s; microseconds of processor time per key, bytes written to the log per insert, MB of the file\n",
      sqlite3_libversion());
  std::printf("%-34s %11s %9s %9s %9s %9s %10s %9s\n", "", "capacity", "insert", "commit", "present", "absent", "bytes",
              "file");
  const std::vector<const char*> ours = {argv[1]};
  for (const int cache_kib : {2000, 64000}) {
    std::printf("with a cache of %d KiB\n", cache_kib);
    for (const std::int64_t capacity : {10'000, 1'000'000, 10'000'000, 100'000'000}) {
      measure_way(table_of("blocked", 2000), capacity, cache_kib, ours);
      if (capacity > 10'000'000) continue;  // the others would take too long
      for (const char* kind : {"scalable", "counting", "spectral"}) {
        measure_way(table_of(kind, 2000), capacity, cache_kib, ours);
      }
      measure_way(kPlain, capacity, cache_kib, ours);
      measure_way(kColumn, capacity, cache_kib, ours);
      if (argc == 3) measure_way(kPeer, capacity, cache_kib, {argv[2]});
    }
  }
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(std::string(kPath) + end);
  return 0;
}

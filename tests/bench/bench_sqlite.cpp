// Compares the costs of the SQL functions with SQLite's own work. Usage: bench_sqlite --help
//
// Each line gives the CPU time per row (or per group, or per key). It is the best of five runs, because other programs
// only make a run slower. A peer is another extension that stores a filter as one blob: bloom_filter1 of
// github.com/shawnw/useful_sqlite_extensions, which the user must build.
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "times.h"

namespace {

[[noreturn]] void fail(const char* error) {
  std::fprintf(stderr, "bench_sqlite: %s\n", error != nullptr ? error : "no memory");
  std::exit(1);
}

using crivo::bench::least_seconds;

double processor_seconds() { return crivo::bench::processor_seconds(); }
double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

constexpr int kRounds = 5;

class Bench {
 public:
  Bench(const std::string& path, const std::vector<std::string>& extensions) {
    sqlite3_open(path.c_str(), &db_);
    sqlite3_enable_load_extension(db_, 1);
    for (const std::string& extension : extensions) load(extension);
    sqlite3_create_function(db_, "text", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr, set_text, nullptr, nullptr);
  }
  ~Bench() { sqlite3_close(db_); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void run(const std::string& sql) {
    char* error = nullptr;
    if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, &error) != SQLITE_OK) fail(error);
  }

  void time(const std::string& what, double rows, const std::string& sql) {
    const double best = least_seconds(kRounds, [&] { run(sql); });
    std::printf("%-60s %10.3f us\n", what.c_str(), best / rows * 1e6);
    std::fflush(stdout);
  }

  /// Measures a statement with a filter as a bound parameter.
  void time_bound(const std::string& what, double rows, const std::string& sql, const std::string& filter) {
    sqlite3_stmt* given = prepare(filter);
    if (sqlite3_step(given) != SQLITE_ROW) fail(sqlite3_errmsg(db_));
    sqlite3_stmt* statement = prepare(sql);
    sqlite3_bind_value(statement, 1, sqlite3_column_value(given, 0));
    const double best = least_seconds(kRounds, [&] { step(statement); });
    sqlite3_finalize(statement);
    sqlite3_finalize(given);
    std::printf("%-60s %10.3f us\n", what.c_str(), best / rows * 1e6);
  }

  /// The time in us of a statement that is run for `count` consecutive keys from `first`.
  double per_key(const std::string& sql, std::int64_t first, int count, double (*now)() = processor_seconds) {
    sqlite3_stmt* statement = prepare(sql);
    const double start = now();
    for (int i = 0; i < count; ++i) {
      sqlite3_bind_int64(statement, 1, first + i);
      step(statement);
    }
    const double spent = now() - start;
    sqlite3_finalize(statement);
    return spent / count * 1e6;
  }

 private:
  /// The SQL function text(i): 32 digits, whose order differs from that of i.
  static void set_text(sqlite3_context* context, int, sqlite3_value** args) {
    const auto number = static_cast<unsigned long long>(sqlite3_value_int64(args[0]));
    const auto high = number * 0x9E3779B97F4A7C15;
    const auto low = number * 0xBF58476D1CE4E5B9;
    sqlite3_result_text(context, sqlite3_mprintf("%016llx%016llx", high, low), -1, sqlite3_free);
  }
  void load(const std::string& extension) {
    // SQLite does not derive the peer's entry point from the name of its file.
    for (const char* entry : {static_cast<const char*>(nullptr), "sqlite3_bloomfilter_init"}) {
      if (sqlite3_load_extension(db_, extension.c_str(), entry, nullptr) == SQLITE_OK) return;
    }
    fail(("cannot load " + extension).c_str());
  }
  sqlite3_stmt* prepare(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) fail(sqlite3_errmsg(db_));
    return statement;
  }
  void step(sqlite3_stmt* statement) {
    int status = SQLITE_ROW;
    while (status == SQLITE_ROW) status = sqlite3_step(statement);
    if (status != SQLITE_DONE) fail(sqlite3_errmsg(db_));
    sqlite3_reset(statement);
  }

  sqlite3* db_ = nullptr;
};

std::string rows(const char* table, int count, const char* select) {
  return std::string("CREATE TABLE ") + table + " AS WITH RECURSIVE n(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM n " +
         "WHERE i < " + std::to_string(count - 1) + ") " + select;
}

void time_questions(Bench& bench) {
  constexpr int kFast = 500000;
  constexpr int kSlow = 2000;
  bench.run(rows("q", kFast, "SELECT i * 2 AS i FROM n"));
  bench.run("CREATE TABLE few AS SELECT i FROM q LIMIT 2000");
  bench.run(rows("keys", 1000000, "SELECT i FROM n"));
  bench.run("CREATE INDEX by_key ON keys(i)");
  std::printf("a row, and SQLite alone\n");
  bench.time("  length(i)", kFast, "SELECT sum(length(i)) FROM q");
  bench.time("  i IN (SELECT ...) of a million keys", kFast, "SELECT sum(i IN (SELECT i FROM keys)) FROM q");
  bench.time("  EXISTS (...), by an index of a million keys", kFast,
             "SELECT sum(EXISTS (SELECT 1 FROM keys WHERE keys.i = q.i)) FROM q");
  bench.run("CREATE TABLE raw(name TEXT PRIMARY KEY, f)");
  bench.run("CREATE TABLE compressed(name TEXT PRIMARY KEY, f)");
  bench.run("INSERT INTO raw SELECT 'x', bloom_raw(bloom_agg(i)) FROM keys");
  bench.run("INSERT INTO compressed SELECT 'x', bloom_agg(i, 1000000) FROM keys WHERE i < 250000");
  for (const std::string form : {"raw", "compressed"}) {
    std::printf("a row, with a %s filter for a million keys\n", form.c_str());
    const std::string subquery = "(SELECT f FROM " + form + ")";
    bench.time_bound("  bloom_contains(?, i)", kFast, "SELECT sum(bloom_contains(?, i)) FROM q",
                     "SELECT f FROM " + form);
    bench.time("  bloom_contains((SELECT bloom_open(f) ...), i)", kFast,
               "SELECT sum(bloom_contains((SELECT bloom_open(f) FROM " + form + "), i)) FROM q");
    bench.time("  length((SELECT f ...))", kSlow, "SELECT sum(length(" + subquery + ") + i) FROM few");
    bench.time("  bloom_contains((SELECT f ...), i)", kSlow,
               "SELECT sum(bloom_contains(" + subquery + ", i)) FROM few");
    bench.time("  instr(f, x'c3') of a join", kSlow, "SELECT sum(instr(f, x'c3')) FROM " + form + ", few");
    bench.time("  bloom_contains(f, i) of a join", kSlow, "SELECT sum(bloom_contains(f, i)) FROM " + form + ", few");
    const double opened = bench.per_key("SELECT bloom_contains((SELECT bloom_open(f) FROM " + form + "), ?)", 0, 500);
    std::printf("%-60s %10.3f us\n", "  a statement for one key, with bloom_open", opened);
    std::printf("%-60s %10.3f us\n", "  a statement for one key, with a column",
                bench.per_key("SELECT bloom_contains(f, ?) FROM " + form, 0, 500));
  }
}

void time_small_filters(Bench& bench) {
  std::printf("a row, with a filter for 500 keys of its own\n");
  bench.run(rows("small", 20000, "SELECT i, bloom_add(bloom_create(500), i) AS f FROM n"));
  bench.run("ALTER TABLE small ADD r; UPDATE small SET r = bloom_raw(f)");
  bench.time("  bloom_contains, compressed", 20000, "SELECT sum(bloom_contains(f, i)) FROM small");
  bench.time("  bloom_contains, raw", 20000, "SELECT sum(bloom_contains(r, i)) FROM small");
}

void time_groups(Bench& bench) {
  std::printf("a group of 100 keys\n");
  bench.run(rows("t", 1000000, "SELECT i / 100 AS g, i AS k FROM n"));
  for (const std::string aggregate : {"group_concat(k)", "bloom_agg(k)", "bloom_agg(k, 100)"}) {
    bench.time("  " + aggregate, 10000, "SELECT sum(length(f)) FROM (SELECT " + aggregate + " AS f FROM t GROUP BY g)");
  }
}

/// A structure in a database file that stores keys or a filter of them, and the statements that add and look up keys.
struct Store {
  std::string name;
  std::string create;                // with CAPACITY as a placeholder
  std::string insert;                // adds the key ?
  std::string insert_all;            // adds the keys in column i of the table keys; empty if not supported
  std::string question;              // looks up the key ?
  std::string question_all;          // looks up the keys in column i of the table keys
  double bytes_per_second = 0;       // approximate; 0 if the time of an insert does not depend on the size
  std::int64_t largest = 100000000;  // with a larger capacity, it needs too much time
};

/// A virtual or ordinary table with the column `key`. Before the measurement, each of its pages gets a key, because
/// writes to a page have the same cost only from the second one on.
Store table_store(const std::string& name, const std::string& create, std::int64_t largest) {
  return {name,
          create +
              "; INSERT INTO s(key) WITH RECURSIVE n(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM n WHERE i < "
              "CAPACITY / 200) SELECT -1 - i FROM n",
          "INSERT INTO s(key) VALUES (?)",
          "INSERT INTO s(key) SELECT i FROM keys",
          "SELECT EXISTS (SELECT 1 FROM s WHERE key = ?)",
          "SELECT sum(EXISTS (SELECT 1 FROM s WHERE key = i)) FROM keys",
          0,
          largest};
}

std::vector<Store> stores(bool with_peer) {
  const std::string create = "CREATE TABLE s(f); INSERT INTO s SELECT bloom_raw(bloom_create(CAPACITY))";
  const std::string question = "SELECT bloom_contains(f, ?) FROM s";
  const std::string each = "SELECT sum(bloom_contains((SELECT bloom_open(f) FROM s), i)) FROM keys";
  std::vector<Store> all = {
      {"UPDATE s SET f = bloom_add(f, ?)", create, "UPDATE s SET f = bloom_add(f, ?)", "", question, each, 1e9},
      {"bloom_insert('s', 'f', 1, ?)", create, "SELECT bloom_insert('s', 'f', 1, ?)",
       "SELECT sum(bloom_insert('s', 'f', 1, i)) FROM keys", question, each},
      table_store("a table of bloom", "CREATE VIRTUAL TABLE s USING bloom(capacity=CAPACITY)", 100000000),
  };
  for (const std::string kind : {"scalable", "counting", "spectral"}) {
    all.push_back(table_store("a table of bloom, " + kind,
                              "CREATE VIRTUAL TABLE s USING bloom(capacity=CAPACITY, kind=" + kind + ")", 10000000));
  }
  all.push_back(table_store("a table with a primary key", "CREATE TABLE s(key PRIMARY KEY) WITHOUT ROWID", 10000000));
  if (with_peer) {
    all.push_back({"a table of the peer", "CREATE VIRTUAL TABLE s USING bloom_filter1(CAPACITY)",
                   "INSERT INTO s VALUES (?)", "INSERT INTO s SELECT i FROM keys", "SELECT EXISTS (SELECT * FROM s(?))",
                   "SELECT sum(EXISTS (SELECT 1 FROM s(i))) FROM keys", 4e9});
  }
  return all;
}

std::string with_capacity(std::string sql, std::int64_t capacity) {
  const std::string word = "CAPACITY";
  for (auto at = sql.find(word); at != std::string::npos; at = sql.find(word)) {
    sql.replace(at, word.size(), std::to_string(capacity));
  }
  return sql;
}

void time_store(const Store& store, std::int64_t capacity, const std::vector<std::string>& extensions, int cache_kib,
                const std::filesystem::path& folder) {
  const std::string path = folder / "bench.db";
  Bench bench(path, extensions);
  bench.run("PRAGMA cache_size = -" + std::to_string(cache_kib));
  bench.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0");
  bench.run(with_capacity(store.create, capacity));
  bench.run("PRAGMA wal_checkpoint(TRUNCATE)");
  int count = 1000;
  if (store.bytes_per_second > 0) {
    const double seconds = static_cast<double>(capacity) * 1.2 / store.bytes_per_second;
    count = static_cast<int>(std::clamp(1 / seconds, 3.0, 1000.0));
  }
  const double alone = bench.per_key(store.insert, 0, count);
  const double log_bytes = static_cast<double>(std::filesystem::file_size(path + "-wal")) / count;
  bench.run("BEGIN");
  const double together = bench.per_key(store.insert, count, count);
  bench.run("CREATE TEMP TABLE keys AS WITH RECURSIVE n(i) AS (VALUES(" + std::to_string(2 * count) +
            ") UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(3 * count - 1) + ") SELECT i FROM n");
  const double at_once = store.insert_all.empty() ? 0 : bench.per_key(store.insert_all, 0, 1) / count;
  bench.run("COMMIT");
  const double asked = bench.per_key(store.question, 0, count);
  const double asked_at_once = bench.per_key(store.question_all, 0, 1) / count;
  std::printf("%10lld  %-34s %11.1f %11.1f %11.1f %10.0f %11.1f %11.1f\n", static_cast<long long>(capacity),
              store.name.c_str(), alone, together, at_once, log_bytes, asked, asked_at_once);
  std::fflush(stdout);
}

std::filesystem::path new_folder() {
  std::string name = std::filesystem::temp_directory_path() / "bench_sqlite_XXXXXX";
  if (mkdtemp(name.data()) == nullptr) fail("cannot make a temporary folder");
  return name;
}

void evict(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
}

/// Compares a filter table and an index of two million texts in random order. "Evicted" is elapsed time, mostly the
/// disk's.
void time_beside_index(const std::vector<std::string>& extensions, int cache_kib) {
  constexpr int kKeys = 2000000;
  constexpr int kFew = 20000;
  struct Row {
    const char* name;
    const char* create;
    const char* all;
  };
  const Row table = {"filter table", "CREATE VIRTUAL TABLE s USING bloom(capacity=2000000)",
                     "SELECT sum(bloom_contains((SELECT bloom_open(bloom_snapshot('s'))), k)) FROM absent"};
  const Row index = {"primary key", "CREATE TABLE s(key PRIMARY KEY) WITHOUT ROWID",
                     "SELECT sum(EXISTS (SELECT 1 FROM s WHERE key = k)) FROM absent"};
  const std::filesystem::path folder = new_folder();
  std::printf("%-14s %10s %10s %10s %10s %10s\n", "us a key", "insert", "question", "evicted", "at once", "bytes");
  for (const Row& row : {table, index}) {
    const std::string path = folder / row.name;
    const std::string ask = "SELECT EXISTS (SELECT 1 FROM s WHERE key = text(?))";
    double insert = 0;
    {
      Bench bench(path, extensions);
      bench.run("PRAGMA cache_size = -" + std::to_string(cache_kib));
      bench.run(row.create);
      bench.run("BEGIN; INSERT INTO s(key) WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < " +
                std::to_string(kKeys - kFew) + ") SELECT text(i) FROM n");
      insert = bench.per_key("INSERT INTO s(key) VALUES (text(?))", kKeys, kFew);
      bench.run("COMMIT");
    }
    evict(path);
    Bench bench(path, extensions);
    const double evicted = bench.per_key(ask, 2 * kKeys, kFew / 20, seconds);
    bench.run("PRAGMA cache_size = -" + std::to_string(cache_kib));
    bench.run("CREATE TEMP TABLE absent AS WITH RECURSIVE n(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM n WHERE i < " +
              std::to_string(kKeys) + ") SELECT text(-i) AS k FROM n");
    const double at_once = bench.per_key(row.all, 0, 1) / kKeys;
    const double asked = bench.per_key(ask, 3 * kKeys, kFew);
    std::printf("%-14s %10.1f %10.1f %10.1f %10.2f %10lld\n", row.name, insert, asked, evicted, at_once,
                static_cast<long long>(std::filesystem::file_size(path)));
    std::fflush(stdout);
  }
  std::filesystem::remove_all(folder);
}

void time_inserts(const std::vector<std::string>& extensions, std::int64_t largest, int cache_kib) {
  const std::filesystem::path name = new_folder();
  std::printf("%10s  %-34s %11s %11s %11s %10s %11s %11s\n", "capacity", "us and bytes a key", "commit each",
              "one commit", "at once", "WAL bytes", "question", "at once");
  for (std::int64_t capacity = 10000; capacity <= largest; capacity *= 10) {
    for (const Store& store : stores(extensions.size() > 1)) {
      if (capacity > store.largest) continue;
      const std::filesystem::path folder = name / "db";
      std::filesystem::create_directory(folder);
      time_store(store, capacity, extensions, cache_kib, folder);
      std::filesystem::remove_all(folder);
    }
  }
  std::filesystem::remove_all(name);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> extensions = {CRIVO_SO};
  std::string peer;
  std::string only;
  std::int64_t largest = 100000000;
  int cache_kib = 2000;
  CLI::App app("Measures what the SQL functions cost beside SQLite's own work.");
  app.add_option("extension", extensions[0], "crivo.so")->capture_default_str();
  app.add_option("--peer", peer, "bloom_filter1 of useful_sqlite_extensions, to compare with")
      ->check(CLI::ExistingFile);
  app.add_option("--only", only, "questions, small, groups, index or inserts")
      ->check(CLI::IsMember({"questions", "small", "groups", "index", "inserts"}));
  app.add_option("--largest", largest, "the largest capacity of the inserts")->capture_default_str();
  app.add_option("--cache", cache_kib, "the page cache of the inserts, in KiB; SQLite's default is 2000")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  if (!peer.empty()) extensions.push_back(peer);

  std::printf("SQLite %s\n", sqlite3_libversion());
  Bench bench(":memory:", extensions);
  const auto wanted = [&only](const char* part) { return only.empty() || only == part; };
  if (wanted("questions")) time_questions(bench);
  if (wanted("small")) time_small_filters(bench);
  if (wanted("groups")) time_groups(bench);
  if (wanted("index")) time_beside_index(extensions, cache_kib);
  if (wanted("inserts")) time_inserts(extensions, largest, cache_kib);
  return 0;
}

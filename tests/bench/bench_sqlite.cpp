// Measures what the SQL functions cost beside SQLite's own work. Usage: bench_sqlite CRIVO_SO
//
// Each line gives the processor time per row (or per group). It is the best of five runs, because other programs on the
// machine only ever make a run slower.
#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

namespace {

class Bench {
 public:
  explicit Bench(const char* extension) {
    sqlite3_open(":memory:", &db_);
    sqlite3_enable_load_extension(db_, 1);
    char* error = nullptr;
    if (sqlite3_load_extension(db_, extension, nullptr, &error) != SQLITE_OK) fail(error);
  }
  ~Bench() { sqlite3_close(db_); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void run(const std::string& sql) {
    char* error = nullptr;
    if (sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, &error) != SQLITE_OK) fail(error);
  }

  void time(const char* what, double rows, const std::string& sql) {
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
      const std::clock_t start = std::clock();
      run(sql);
      best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    std::printf("%-58s %10.2f us\n", what, best / rows * 1e6);
  }

 private:
  [[noreturn]] static void fail(const char* error) {
    std::fprintf(stderr, "bench_sqlite: %s\n", error != nullptr ? error : "no memory");
    std::exit(1);
  }

  sqlite3* db_ = nullptr;
};

std::string rows(const char* table, int count, const char* select) {
  return std::string("CREATE TABLE ") + table + " AS WITH RECURSIVE n(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM n " +
         "WHERE i < " + std::to_string(count - 1) + ") " + select;
}

void time_questions(Bench& bench) {
  bench.run(rows("q", 2000, "SELECT i FROM n"));
  bench.run(rows("raw", 1000000, "SELECT bloom_agg(i) AS f FROM n"));
  bench.run(rows("compressed", 250000, "SELECT bloom_agg(i, 1000000) AS f FROM n"));
  for (const std::string form : {"raw", "compressed"}) {
    std::printf("a row, with a %s filter for a million keys\n", form.c_str());
    const std::string subquery = "(SELECT f FROM " + form + ")";
    bench.time("  length((SELECT f ...))", 2000, "SELECT sum(length(" + subquery + ") + i) FROM q");
    bench.time("  bloom_contains((SELECT f ...), i)", 2000, "SELECT sum(bloom_contains(" + subquery + ", i)) FROM q");
    bench.time("  instr(f, x'c3') of a join", 2000, "SELECT sum(instr(f, x'c3')) FROM " + form + ", q");
    bench.time("  bloom_contains(f, i) of a join", 2000, "SELECT sum(bloom_contains(f, i)) FROM " + form + ", q");
    bench.time("  bloom_contains((SELECT bloom_open(f) ...), i)", 2000,
               "SELECT sum(bloom_contains((SELECT bloom_open(f) FROM " + form + "), i)) FROM q");
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
    bench.time(("  " + aggregate).c_str(), 10000,
               "SELECT sum(length(f)) FROM (SELECT " + aggregate + " AS f FROM t GROUP BY g)");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bench_sqlite CRIVO_SO\n");
    return 2;
  }
  Bench bench(argv[1]);
  std::printf("SQLite %s\n", sqlite3_libversion());
  time_questions(bench);
  time_small_filters(bench);
  time_groups(bench);
  return 0;
}

// The Nth allocation fails, for every N: the result is SQLITE_NOMEM or the right answer, without a crash or a leak.
#include <malloc.h>

#include "database.h"
#include "failing_memory.h"

namespace crivo::testing {
namespace {

const std::string kKeys =
    "(WITH RECURSIVE s(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM s WHERE i < 6) SELECT i FROM s)";

struct Scenario {
  const char* name;
  std::string sql;
  std::string answer;
  std::string setup = {};  // runs before the faults
  friend void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }
};

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all = {
      {"Create", "SELECT bloom_valid(bloom_create(1000))", "1"},
      {"Add", "SELECT bloom_cardinality(bloom_add(bloom_create(1000), 'a', 2, 0.5, x'00'))", "4"},
      {"Contains", "SELECT sum(bloom_contains(bloom_add(bloom_create(50), 1, 2, 3), i)) >= 3 FROM " + kKeys, "1"},
      {"ContainsUtf16",
       "SELECT sum(bloom_contains(bloom_add(bloom_create(50), 'a1', 'a2'), 'a' || i)) >= 2 FROM " + kKeys, "1"},
      {"Agg", "SELECT bloom_cardinality(bloom_agg(i)) BETWEEN 5 AND 7 FROM " + kKeys, "1"},
      {"AggGroups", "SELECT sum(bloom_valid(f)) FROM (SELECT bloom_agg(i, 10) AS f FROM " + kKeys + " GROUP BY i % 3)",
       "3"},
      {"UnionAgg", "SELECT bloom_valid(bloom_union_agg(bloom_add(bloom_create(100), i))) FROM " + kKeys, "1"},
      {"Info", "SELECT length(bloom_info(bloom_create(100))) > 100", "1"},
      {"RawInEachRow",
       "SELECT sum(bloom_contains(iif(i, bloom_raw(bloom_add(bloom_create(5000), 1, 2)), NULL), i)) >= 2 FROM " + kKeys,
       "1"},
      {"CompressedInEachRow",
       "SELECT sum(bloom_contains(iif(i, bloom_add(bloom_create(5000), 1, 2), NULL), i)) >= 2 FROM " + kKeys, "1"},
      {"Json", R"(SELECT bloom_contains_all(bloom_add_many(bloom_create(50), '["a\n", 2, 0.5]'), '["a\u000a", 0.50]'))",
       "1"},
      {"Each", "SELECT count(*) > 9 FROM bloom_each(bloom_create(100))", "1"},
      {"Layers", "SELECT count(*) FROM bloom_layers(bloom_add(bloom_create(1, 0.01, 'scalable'), 1, 2, 3))", "2"},
      {"Probe", R"(SELECT sum(maybe) FROM bloom_probe(bloom_add(bloom_create(9), 'a\n', 0.5), '["a\\n", 0.50]'))", "2"},
      {"Chunks",
       "SELECT bloom_valid(bloom_load_agg(seq, chunk)) FROM (SELECT * FROM bloom_dump(bloom_raw(bloom_create(99)), 64) "
       "ORDER BY seq DESC)",
       "1"},
      {"AddTimes", "SELECT bloom_count(bloom_add_times(bloom_create(9, 0.01, 'counting'), 1, 7), 1)", "7"},
      {"Forms", "SELECT bloom_valid(bloom_compress(bloom_raw(bloom_create(3000)), 19))", "1"},
      {"BigBlob", "SELECT bloom_valid(zeroblob(100000))", "0"},
      {"InPlace", "SELECT bloom_insert('t', 'f', 'x', 7) + bloom_contains(f, 7) > 0 AND bloom_valid(f) FROM t", "1",
       "CREATE TABLE t(k TEXT PRIMARY KEY, f); INSERT INTO t SELECT 'x', bloom_raw(bloom_create(5000))"},
  };
  return all;
}

class OutOfMemory : public ::testing::TestWithParam<Scenario> {
 protected:
  static void SetUpTestSuite() { install_failing_memory(); }

  /// Fails allocation 1, 2, ... of the scenario, until the scenario ends without a failed allocation.
  void fail_each_allocation(Faults& faults, bool persistent, sqlite3* db) {
    int failures = 0;
    for (std::int64_t nth = 1;; ++nth) {
      faults = {.armed = true, .persistent = persistent, .until_failure = nth};
      int status = SQLITE_OK;
      const std::string answer = ask(db, &status);
      faults.armed = false;
      if (!faults.struck) {
        EXPECT_EQ(status, SQLITE_DONE);
        EXPECT_EQ(answer, GetParam().answer);
        break;
      }
      ASSERT_TRUE(status == SQLITE_NOMEM || (status == SQLITE_DONE && answer == GetParam().answer))
          << "allocation " << nth << " failed: status " << status << ", answer " << answer;
      failures += status == SQLITE_NOMEM;
    }
    EXPECT_GT(failures, 0);
  }

  /// Runs the scenario. Allocates nothing itself.
  static std::string ask(sqlite3* db, int* status) {
    static char answer[64];
    answer[0] = 0;
    sqlite3_stmt* statement = nullptr;
    *status = sqlite3_prepare_v2(db, GetParam().sql.c_str(), -1, &statement, nullptr);
    if (*status == SQLITE_OK) *status = sqlite3_step(statement);
    if (*status == SQLITE_ROW) {
      // The answers are small integers, and reading one allocates nothing.
      sqlite3_snprintf(sizeof answer, answer, "%d", sqlite3_column_int(statement, 0));
      *status = sqlite3_step(statement);
    }
    sqlite3_finalize(statement);
    process_faults.armed = sqlite_faults.armed = false;
    return answer;
  }

  void check(Faults& faults) {
    for (const bool persistent : {false, true}) {
      const sqlite3_int64 before = sqlite3_memory_used();
      {
        Database db;
        // Lookaside memory is disabled, because its allocations would escape the faults.
        sqlite3_db_config(db.get(), SQLITE_DBCONFIG_LOOKASIDE, nullptr, 0, 0);
        if (std::string(GetParam().name) == "ContainsUtf16") db.run("PRAGMA encoding = 'UTF-16le'");
        EXPECT_EQ(sqlite3_exec(db.get(), GetParam().setup.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
        fail_each_allocation(faults, persistent, db.get());
      }
      EXPECT_EQ(sqlite3_memory_used(), before);
    }
  }
};

TEST_P(OutOfMemory, InSqliteIsReported) { check(sqlite_faults); }

#ifdef CRIVO_PROCESS_FAULTS
TEST_P(OutOfMemory, AnywhereIsReportedAndNothingLeaks) {
  check(process_faults);  // the first round makes all one-time allocations
  const std::size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 3; ++i) check(process_faults);
  EXPECT_LT(mallinfo2().uordblks, before + 4096);  // a leak at each failure would be at least one filter per round
}
#endif

INSTANTIATE_TEST_SUITE_P(Scenarios, OutOfMemory, ::testing::ValuesIn(scenarios()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace crivo::testing

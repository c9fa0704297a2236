// The Nth allocation of statements on filter tables fails, for every N in the long tests. Statements and transactions
// are atomic. No earlier or later key is lost, for this connection and for the next.
#include <malloc.h>

#include <algorithm>

#include "failing_memory.h"
#include "table_scripts.h"

namespace crivo::testing {
namespace {

#ifdef CRIVO_PROCESS_FAULTS
Faults& any_faults = process_faults;
#else
Faults& any_faults = sqlite_faults;
#endif

struct Image {
  unsigned char* bytes;
  sqlite3_int64 size;
};

Image image_of(Database& db) {
  Image image{};
  image.bytes = sqlite3_serialize(db.get(), "main", &image.size, 0);
  EXPECT_NE(image.bytes, nullptr);
  return image;
}

/// Replaces the database with the image. The database frees the bytes.
void become(Database& db, Image image) {
  ASSERT_EQ(sqlite3_deserialize(db.get(), "main", image.bytes, image.size, image.size,
                                SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE),
            SQLITE_OK);
}

/// The outcome of a script with sufficient memory.
struct Outcome {
  Outcome(const Script& script, std::vector<unsigned char>& start) {
    Database db;
    make_script_tables(db);
    before = look_at_tables(db);
    const Image image = image_of(db);
    start.assign(image.bytes, image.bytes + image.size);
    sqlite3_free(image.bytes);
    status = run_script(db.get(), script, &answers);
    after = look_at_tables(db);
  }
  std::string before, after;
  std::int64_t answers = 0;
  int status;
};

/// Which allocations fail, and when.
struct Mode {
  Faults& faults;
  bool persistent;
  bool warm;  // the tables have already compiled their statements and read their state
};

/// A connection whose allocations sometimes fail, and a second one that then checks the tables.
class Trial {
 public:
  explicit Trial(const Script& script) : script_(script), outcome_(script, start_) {
    // Lookaside memory is disabled, because its allocations would escape the faults.
    for (Database* each : {&db_, &next_}) sqlite3_db_config(each->get(), SQLITE_DBCONFIG_LOOKASIDE, nullptr, 0, 0);
  }

  /// Runs the script with a fault at the Nth allocation. Returns whether there were N allocations.
  bool fail(const Mode& mode, std::int64_t nth) {
    restore();
    if (mode.warm) {
      EXPECT_EQ(look_at_tables(db_), outcome_.before);
    }
    mode.faults = {.armed = true, .persistent = mode.persistent, .until_failure = nth};
    std::int64_t answers = 0;
    const int status = run_script(db_.get(), script_, &answers);
    mode.faults.armed = false;
    if (sqlite3_get_autocommit(db_.get()) == 0) {
      EXPECT_EQ(db_.run("ROLLBACK"), SQLITE_OK);
    }
    if (status == outcome_.status) {
      EXPECT_EQ(answers, outcome_.answers);
      EXPECT_EQ(look_at_tables(db_), outcome_.after);
    } else {
      EXPECT_EQ(status, SQLITE_NOMEM);
      if (script_.is_atomic) {
        EXPECT_EQ(look_at_tables(db_), outcome_.before);
      }
      ++failures_;
    }
    if (mode.faults.struck) expect_nothing_lost();
    return mode.faults.struck;
  }

  [[nodiscard]] int failures() const { return failures_; }

 private:
  void restore() {
    auto* bytes = static_cast<unsigned char*>(sqlite3_malloc64(start_.size()));
    ASSERT_NE(bytes, nullptr);
    std::ranges::copy(start_, bytes);
    become(db_, {bytes, static_cast<sqlite3_int64>(start_.size())});
  }

  void expect_nothing_lost() {
    const bool grows = db_.run("INSERT INTO scalable(key) SELECT i + 500 FROM fresh") == SQLITE_OK;
    const std::string seen = look_at_tables(db_);
    become(next_, image_of(db_));
    EXPECT_EQ(look_at_tables(next_), seen);
    if (grows) {
      EXPECT_EQ(next_.ask("SELECT count(*) FROM fresh JOIN scalable ON key = i + 500"), "8");
    }
  }

  const Script& script_;
  std::vector<unsigned char> start_;
  Outcome outcome_;
  Database db_, next_;
  int failures_ = 0;
};

class TableOutOfMemory : public ::testing::TestWithParam<Script> {
 protected:
  static void SetUpTestSuite() { install_failing_memory(); }

  static void fail_every(std::int64_t step, const Mode& mode) {
    const sqlite3_int64 before = sqlite3_memory_used();
    {
      Trial trial(GetParam());
      std::int64_t nth = 1;
      while (trial.fail(mode, nth)) {
        ASSERT_FALSE(HasFailure()) << "allocation " << nth << (mode.warm ? ", warm" : ", cold");
        nth += step;
      }
      EXPECT_GT(trial.failures(), 0);
    }
    EXPECT_EQ(sqlite3_memory_used(), before);
  }

  static void fail_each(Faults& faults) {
    for (const bool warm : {false, true}) {
      for (const bool persistent : {false, true}) ASSERT_NO_FATAL_FAILURE(fail_every(1, {faults, persistent, warm}));
    }
  }
};

TEST_P(TableOutOfMemory, NowAndThenDoesAllOrNothing) { fail_every(41, {any_faults, false, true}); }

TEST_P(TableOutOfMemory, LongSeriesInSqliteDoesAllOrNothing) { fail_each(sqlite_faults); }

#ifdef CRIVO_PROCESS_FAULTS
TEST_P(TableOutOfMemory, LongSeriesAnywhereDoesAllOrNothingAndLeaksNothing) {
  ASSERT_NO_FATAL_FAILURE(fail_each(process_faults));  // the first round makes all one-time allocations
  const std::size_t before = mallinfo2().uordblks;
  ASSERT_NO_FATAL_FAILURE(fail_each(process_faults));
  EXPECT_LT(mallinfo2().uordblks, before + 4096);
}
#endif

#ifdef CRIVO_PROCESS_FAULTS
/// The number of allocations outside of SQLite's allocator while the statement runs.
std::int64_t own_allocations(Database& db, const std::string& sql) {
  constexpr std::int64_t kNever = INT64_MAX;
  process_faults = sqlite_faults = {.armed = true, .until_failure = kNever};
  const int status = db.run(sql);
  process_faults.armed = sqlite_faults.armed = false;
  EXPECT_EQ(status, SQLITE_OK) << sql;
  return sqlite_faults.until_failure - process_faults.until_failure;
}

TEST(TableMemory, IsNotAllocatedForEachKey) {
  install_failing_memory();
  Database db;
  db.run("CREATE TABLE s(id INTEGER PRIMARY KEY, c)");
  db.run("CREATE VIRTUAL TABLE followed USING bloom(source=s.c, kind=counting)");
  for (const char* kind : {"blocked", "counting", "growing", "scalable", "spectral"}) {
    const std::string table = kind;
    db.run("CREATE VIRTUAL TABLE " + table + " USING bloom(capacity=10000, kind=" + table + ")");
  }
  const auto difference = [&db](const std::string& before, const std::string& behind) {
    db.run(before + "1" + behind);
    const std::int64_t one = own_allocations(db, before + "2" + behind);
    return own_allocations(db, before + "3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6" + behind) - one;
  };
  for (const char* table : {"blocked(key)", "counting(key)", "scalable(key)", "spectral(key)", "s(c)"}) {
    EXPECT_LE(difference(std::string("INSERT INTO ") + table + " SELECT ", ""), 0) << table;
  }
  EXPECT_LE(difference("DELETE FROM s WHERE c IN (SELECT ", ")"), 0);
}
#endif

INSTANTIATE_TEST_SUITE_P(Scripts, TableOutOfMemory, ::testing::ValuesIn(table_scripts()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace crivo::testing

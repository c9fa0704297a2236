// No memory at the Nth allocation of statements over filter tables, for every N: the statements do all or nothing, and
// no key is lost that was there before or is added later, for this connection and for the next.
#include <malloc.h>

#include <algorithm>
#include <array>

#include "database.h"
#include "failing_memory.h"

namespace crivo::testing {
namespace {

struct Script {
  const char* name;
  bool is_atomic;  // one statement, or one transaction
  std::vector<const char*> statements;
  friend void PrintTo(const Script& script, std::ostream* out) { *out << script.name; }
};

const std::vector<Script>& scripts() {
  static const std::vector<Script> all = {
      {"Create",
       false,
       {"CREATE VIRTUAL TABLE n USING bloom(capacity=50, kind='scalable:4', fpr=1e-9)", "INSERT INTO n(key) VALUES (1)",
        "SELECT key FROM n WHERE key = 1"}},
      {"Insert", true, {"INSERT INTO blocked(key) VALUES (31), ('a'), (0.5), (x'00')"}},
      {"InsertCounting", true, {"INSERT INTO counting(key) VALUES (31)"}},
      {"InsertSpectral", true, {"INSERT INTO spectral(key) VALUES (31), (1)"}},
      {"InsertOrIgnoreReturning", true, {"INSERT OR IGNORE INTO counting(key) VALUES (1), (31) RETURNING key"}},
      {"Probe", true, {"SELECT key FROM blocked WHERE key IN (1, 5, 31, 'a', x'00', 0.5)"}},
      {"Count", true, {"SELECT count FROM spectral WHERE key = 1", "SELECT count FROM counting WHERE key = 'absent'"}},
      {"Join",
       true,
       {"SELECT key FROM fresh JOIN scalable ON key = i",
        "SELECT 1 FROM fresh WHERE i IN (SELECT key FROM "
        "blocked WHERE key = i)"}},
      {"Delete", true, {"DELETE FROM counting WHERE key IN (1, 2, 'absent')"}},
      {"Grow", true, {"INSERT INTO scalable(key) SELECT i FROM fresh"}},
      {"GrowInSteps",
       false,
       {"INSERT INTO scalable(key) VALUES (31)", "INSERT INTO scalable(key) VALUES (32)",
        "INSERT INTO scalable(key) VALUES (33)"}},
      {"Merge", true, {"INSERT INTO blocked(op, arg) SELECT 'merge', f FROM other"}},
      {"Snapshot",
       true,
       {"SELECT bloom_contains(bloom_snapshot('scalable'), 7)", "SELECT length(bloom_snapshot('counting'))"}},
      {"Clear", true, {"INSERT INTO scalable(op) VALUES ('clear')"}},
      {"Rebuild", true, {"INSERT INTO counting(op) VALUES ('rebuild')", "INSERT INTO counting(op) VALUES ('check')"}},
      {"Rename", true, {"ALTER TABLE blocked RENAME TO renamed"}},
      {"Drop", true, {"DROP TABLE scalable"}},
      {"Refused", true, {"SELECT key FROM blocked"}},
      {"Transaction",
       true,
       {"BEGIN", "INSERT INTO scalable(key) SELECT i FROM fresh", "SAVEPOINT s", "DELETE FROM counting WHERE key = 3",
        "INSERT INTO scalable(key) SELECT i + 100 FROM fresh", "ROLLBACK TO s", "SELECT 1 FROM scalable WHERE key = 31",
        "RELEASE s", "COMMIT"}},
  };
  return all;
}

#ifdef CRIVO_PROCESS_FAULTS
Faults& any_faults = process_faults;
#else
Faults& any_faults = sqlite_faults;
#endif

constexpr std::array kTables = {"blocked", "counting", "scalable", "spectral", "renamed", "n"};

/// What can be seen of the tables.
std::string look(Database& db) {
  std::string seen = db.ask("SELECT group_concat(name) FROM sqlite_schema");
  for (const std::string table : kTables) {
    seen += " " + table + ":" +
            db.ask("SELECT total(i) FROM (SELECT i FROM old UNION SELECT i FROM fresh) CROSS JOIN " + table +
                   " ON key = i");
    if (db.ask("SELECT 1 FROM " + table + " WHERE key = 0") == "")
      seen += db.ask("INSERT INTO " + table + "(op) VALUES ('check')");
  }
  return seen;
}

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

/// Makes the database what the image says. The database frees the bytes.
void become(Database& db, Image image) {
  ASSERT_EQ(sqlite3_deserialize(db.get(), "main", image.bytes, image.size, image.size,
                                SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE),
            SQLITE_OK);
}

/// Four tables with the keys 1 .. 20. The scalable one has a page of room for 20 keys and grows with the next.
void make_template(Database& db) {
  db.run("CREATE TABLE old AS SELECT i FROM " + integers(1, 20));
  db.run("CREATE TABLE fresh AS SELECT i FROM " + integers(31, 38));
  db.run("CREATE TABLE other AS SELECT bloom_agg(i, 100, 1e-9) AS f FROM fresh");
  for (const std::string kind : {"blocked", "counting", "scalable", "spectral"}) {
    const std::string capacity = kind == "scalable" ? "20" : "100";
    db.run("CREATE VIRTUAL TABLE " + kind + " USING bloom(capacity=" + capacity + ", fpr=1e-9, kind=" + kind + ")");
    ASSERT_EQ(db.run("INSERT INTO " + kind + "(key) SELECT i FROM old"), SQLITE_OK);
  }
}

/// Runs the statements until one fails, and sums up what they answer. Allocates nothing itself while a fault is armed.
int run_script(sqlite3* db, const Script& script, std::int64_t* answers) {
  int status = SQLITE_DONE;
  for (const char* sql : script.statements) {
    sqlite3_stmt* statement = nullptr;
    status = sqlite3_prepare_v2(db, sql, -1, &statement, nullptr);
    if (status == SQLITE_OK) status = sqlite3_step(statement);
    for (; status == SQLITE_ROW; status = sqlite3_step(statement)) *answers += 1 + sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    if (status != SQLITE_DONE) break;
  }
  process_faults.armed = sqlite_faults.armed = false;
  return status;
}

/// What a script does when there is memory.
struct Outcome {
  Outcome(const Script& script, std::vector<unsigned char>& start) {
    Database db;
    make_template(db);
    before = look(db);
    const Image image = image_of(db);
    start.assign(image.bytes, image.bytes + image.size);
    sqlite3_free(image.bytes);
    status = run_script(db.get(), script, &answers);
    after = look(db);
  }
  std::string before, after;
  std::int64_t answers = 0;
  int status;
};

/// Which runs of a script are made to fail.
struct Mode {
  Faults& faults;
  bool persistent;
  bool warm;  // the tables have their statements and their state at hand
};

/// One connection that has no memory now and then, and another one that then looks at what it has left.
class Trial {
 public:
  explicit Trial(const Script& script) : script_(script), outcome_(script, start_) {
    // Small allocations from a private pool would escape the faults.
    for (Database* each : {&db_, &next_}) sqlite3_db_config(each->get(), SQLITE_DBCONFIG_LOOKASIDE, nullptr, 0, 0);
  }

  /// Runs the script with a fault at the Nth allocation. Tells whether there were so many.
  bool fail(const Mode& mode, std::int64_t nth) {
    restore();
    if (mode.warm) {
      EXPECT_EQ(look(db_), outcome_.before);
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
      EXPECT_EQ(look(db_), outcome_.after);
    } else {
      EXPECT_EQ(status, SQLITE_NOMEM);
      if (script_.is_atomic) {
        EXPECT_EQ(look(db_), outcome_.before);
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
    const std::string seen = look(db_);
    become(next_, image_of(db_));
    EXPECT_EQ(look(next_), seen);
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
  ASSERT_NO_FATAL_FAILURE(fail_each(process_faults));  // first, so that whatever is made once is there
  const std::size_t before = mallinfo2().uordblks;
  ASSERT_NO_FATAL_FAILURE(fail_each(process_faults));
  EXPECT_LT(mallinfo2().uordblks, before + 4096);
}
#endif

INSTANTIATE_TEST_SUITE_P(Scripts, TableOutOfMemory, ::testing::ValuesIn(scripts()),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace crivo::testing

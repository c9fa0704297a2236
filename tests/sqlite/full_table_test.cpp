// Filter tables with more keys than their capacity: an error with on_full=error, otherwise a warning in SQLite's log.

#include "database.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

std::vector<std::string> logged;

// Runs before any database is opened, because SQLite does not accept a log function later.
[[maybe_unused]] const int kIsLogging = sqlite3_config(
    SQLITE_CONFIG_LOG,
    +[](void*, int code, const char* text) {
      if (code == SQLITE_WARNING) logged.emplace_back(text);
    },
    nullptr);

class FullTable : public FilterTableTest {
 protected:
  FullTable() { logged.clear(); }
  /// Inserts keys from `first` until one is rejected, or until `most` keys. Returns the number of inserted keys.
  std::int64_t insert_until_full(std::int64_t first, std::int64_t most) {
    run("BEGIN");
    Statement insert(db_.get(), "INSERT INTO t(key) VALUES (?)");
    std::int64_t keys = 0;
    for (; keys < most; ++keys) {
      sqlite3_bind_int64(insert.get(), 1, first + keys);
      const int status = sqlite3_step(insert.get());
      message_ = status == SQLITE_DONE ? "" : sqlite3_errmsg(db_.get());
      sqlite3_reset(insert.get());
      if (status != SQLITE_DONE) break;
    }
    run("COMMIT");
    return keys;
  }
  std::string message_;  // of the last insert
};

// A page's share is 3,300 keys for blocked and 400 for spectral; six standard deviations are 10% and 30% of it.
TEST_F(FullTable, ANewKeyIsAnErrorSoonBehindTheCapacity) {
  for (const std::string kind : {"blocked", "counting", "spectral"}) {
    make("capacity=20000, on_full=error, kind=" + kind);
    const std::int64_t keys = insert_until_full(1, 40000);
    EXPECT_GE(keys, 20000) << kind;
    EXPECT_LE(keys, kind == "blocked" ? 22000 : 26000) << kind;
    EXPECT_EQ(message_, "t: keys must be at most 20000 (on_full=error), got more; create a larger table");
    EXPECT_EQ(found(1, keys), keys) << kind;
    run("INSERT OR IGNORE INTO t(key) VALUES (1)");
    EXPECT_EQ(table_info("t", "on_full"), "error");
    run("INSERT INTO t(op) VALUES ('clear')");
    run("INSERT INTO t(key) VALUES (1)");
    run("DROP TABLE t");
  }
  EXPECT_THAT(logged, ::testing::IsEmpty());
}

TEST_F(FullTable, ATableOfOnePageTakesItsCapacityExactly) {
  make("capacity=20, fp_rate=1e-9, on_full='ERROR'");
  EXPECT_EQ(insert_until_full(1, 100), 20);
  EXPECT_EQ(insert_until_full(1, 20), 20) << "old keys are no more";
  EXPECT_EQ(found(1, 100), 20);
}

TEST_F(FullTable, RepeatedKeysDoNotFillIt) {
  for (const std::string kind : {"counting", "spectral"}) {
    make("capacity=2000, fp_rate=1e-6, on_full=error, kind=" + kind);
    run("INSERT INTO t(key) SELECT i % 10 FROM " + integers(1, 20000));
    EXPECT_EQ(insert_until_full(1, 2000), 2000) << kind << ": " << message_;
    EXPECT_LT(insert_until_full(2001, 20000), 4000) << kind;
    run("DROP TABLE t");
  }
}

TEST_F(FullTable, RepeatedKeysDoNotFillASinglePage) {
  for (int seed = 1; seed <= 10; ++seed) {
    make("capacity=100, on_full=error, kind=counting, seed=" + std::to_string(seed));
    EXPECT_EQ(insert_until_full(1, 50), 50);
    EXPECT_EQ(insert_until_full(1, 100), 100) << seed << ": " << message_;
    run("DROP TABLE t");
  }
}

TEST_F(FullTable, APaneOfAWindowHasItsShare) {
  make("capacity=60000, window=60, panes=6, clock=manual, on_full=error");
  run("INSERT INTO t(op, arg) VALUES ('advance', 1000)");
  const std::int64_t keys = insert_until_full(1, 60000);
  EXPECT_GE(keys, 10000);
  EXPECT_LE(keys, 15000);
  EXPECT_THAT(message_, HasSubstr("keys must be at most 10000 in a pane (on"));
  run("INSERT INTO t(op, arg) VALUES ('advance', 1010)");
  EXPECT_EQ(insert_until_full(100000, 10000), 10000);
  EXPECT_EQ(found(1, keys), keys);
}

TEST_F(FullTable, AUnionIsRefused) {
  make("capacity=1000, on_full=error");
  const std::string filter = "(op, arg) SELECT 'union', bloom_agg(i, 1000) FROM ";
  run("INSERT INTO t" + filter + integers(1, 900));
  EXPECT_THAT(ask("INSERT INTO t" + filter + integers(901, 1800)), HasSubstr("keys must be at most 1000"));
  EXPECT_EQ(found(1, 900), 900);
}

TEST_F(FullTable, IsLoggedOnceInEachConnection) {
  const std::string path = new_database("full.db");
  for (int connection = 0; connection < 2; ++connection) {
    Database db(path.c_str());
    ASSERT_EQ(db.run("CREATE VIRTUAL TABLE IF NOT EXISTS seen USING bloom(capacity=1000, on_full=warn)"), SQLITE_OK);
    ASSERT_EQ(db.run("INSERT INTO seen(key) SELECT i FROM " + integers(1, connection == 0 ? 1000 : 1)), SQLITE_OK);
    EXPECT_THAT(logged, ::testing::SizeIs(connection));
    for (int i = 2 + connection * 2; i < 4 + connection * 2; ++i) {
      ASSERT_EQ(db.run("INSERT INTO seen(key) SELECT i FROM " + integers(i * 1000, i * 1000 + 900)), SQLITE_OK);
      EXPECT_THAT(logged, ::testing::SizeIs(connection + 1));
    }
    EXPECT_EQ(logged.back(),
              "crivo: main.seen has more keys than its capacity of 1000; its false-positive rate exceeds fp_rate");
  }
}

TEST_F(FullTable, IsNotLoggedWithinItsCapacityOrWhereItGrows) {
  for (const char* arguments : {"capacity=20000", "capacity=20000, kind=counting", "capacity=1000, kind=scalable",
                                "kind=growing", "capacity=20000, kind=spectral"}) {
    make(arguments);
    insert(1, 20000);
    EXPECT_THAT(logged, ::testing::IsEmpty()) << arguments;
    run("DROP TABLE t");
  }
}

TEST_F(FullTable, TheOptionIsKeptAndRefusedWhereItCannotBe) {
  make("capacity=10");
  EXPECT_THAT(ask("SELECT value FROM t_meta"), Not(HasSubstr("on_full")));
  run("DROP TABLE t");
  make("capacity=10, on_full=error");
  EXPECT_THAT(ask("SELECT value FROM t_meta"), HasSubstr(" on_full=error check="));
  run("CREATE TABLE source(key)");
  const auto wrong = [this](const std::string& arguments) {
    return ask("CREATE VIRTUAL TABLE wrong USING bloom(" + arguments + ")");
  };
  EXPECT_EQ(wrong("capacity=10, on_full=stop"), "error: wrong: on_full must be warn or error, got 'stop'");
  EXPECT_THAT(wrong("source='source.key', on_full=error"), HasSubstr("on_full must be warn if source is set"));
  for (const char* kind : {"scalable", "growing"}) {
    EXPECT_THAT(wrong(std::string("capacity=10, on_full=error, kind=") + kind),
                HasSubstr(std::string("on_full must be warn for a kind that grows, got 'error' with ") + kind));
  }
}

}  // namespace
}  // namespace crivo::testing

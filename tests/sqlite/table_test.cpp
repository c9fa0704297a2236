// Filters as tables: CREATE VIRTUAL TABLE ... USING bloom.
#include "database.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

using Table = FilterTableTest;

class TableOfKind : public Table, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override { make(std::string("capacity=1000, fp_rate=1e-6, kind=") + GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Kinds, TableOfKind,
                         ::testing::Values("blocked", "counting", "growing", "scalable", "'scalable:4'", "spectral",
                                           "'spectral:32'"));

TEST_P(TableOfKind, FindsItsKeysInEveryFormOfQuestion) {
  run("INSERT INTO t(key) VALUES (1), (2.5), ('three'), (x'04'), ('')");
  EXPECT_EQ(ask("SELECT key FROM t WHERE key = 'three'"), "three");
  EXPECT_EQ(ask("SELECT EXISTS (SELECT 1 FROM t WHERE key = ?)", {"absent"}), "0");
  EXPECT_EQ(ask("SELECT count(*) FROM t WHERE key IN (1, 2.5, 'three', x'04', '', 'absent')"), "5");
  EXPECT_EQ(ask("SELECT group_concat(i) FROM " + integers(0, 9) + " WHERE i IN (SELECT key FROM t WHERE key = i)"),
            "1");
  EXPECT_EQ(ask("SELECT count(*) FROM t WHERE key IN (SELECT i FROM " + integers(0, 9) + ")"), "1");
  EXPECT_EQ(ask("SELECT group_concat(n.i) FROM t JOIN " + integers(0, 9) + " ON n.i = t.key"), "1");
  EXPECT_EQ(ask("SELECT count(*) FROM " + integers(0, 9) + " WHERE NOT EXISTS (SELECT 1 FROM t WHERE key = i)"), "9");
  EXPECT_EQ(ask("SELECT count(*) FROM t WHERE key IS 1"), "1");
  EXPECT_EQ(ask("SELECT key FROM t WHERE key = 1.0"), "1.0");
  EXPECT_EQ(ask("SELECT key FROM t WHERE key = 'absent' OR key = 'three'"), "three");
}

TEST_P(TableOfKind, TellsWhetherAKeyWasNew) {
  run("INSERT INTO t(key) VALUES ('a')");
  run("INSERT OR IGNORE INTO t(key) VALUES ('a'), ('b'), ('c'), ('b')");
  EXPECT_EQ(sqlite3_changes(db_.get()), 2);
  run("INSERT OR IGNORE INTO t(key) VALUES (NULL)");
  EXPECT_EQ(sqlite3_changes(db_.get()), 0);
  // SQLite evaluates RETURNING before it inserts the row.
  const std::string is_new = " RETURNING key || NOT EXISTS (SELECT 1 FROM t AS old WHERE old.key = t.key)";
  EXPECT_EQ(ask("INSERT OR IGNORE INTO t(key) VALUES ('d'), ('a')" + is_new), "d1");
  EXPECT_EQ(ask("INSERT OR IGNORE INTO t(key) VALUES ('d'), ('e')" + is_new), "d0");
  EXPECT_EQ(ask("INSERT INTO t(key) VALUES ('d')" + is_new), "d0");
  insert(1, 3000);  // a scalable table has some of them in older layers
  run("INSERT OR IGNORE INTO t(key) SELECT i FROM " + integers(1, 3000));
  EXPECT_EQ(sqlite3_changes(db_.get()), 0);
}

TEST_P(TableOfKind, TakesNoNullAsAKey) {
  run("INSERT INTO t(key) VALUES (NULL)");
  EXPECT_EQ(ask("SELECT count(*) FROM t_pages"), "0");
  run("INSERT INTO t(key) VALUES ('a')");
  EXPECT_EQ(ask("SELECT 1 FROM t WHERE key = NULL"), "");
  EXPECT_EQ(ask("SELECT 1 FROM t WHERE key IS NULL"),
            "error: t: query must compare key with = or IN, as in EXISTS (SELECT 1 FROM t WHERE key = x), got one "
            "without: a filter cannot list its keys");
}

TEST_P(TableOfKind, RefusesToListItsKeys) {
  for (const char* query : {"SELECT * FROM t", "SELECT count(*) FROM t", "SELECT * FROM t WHERE key > 1",
                            "SELECT * FROM t WHERE key = 'A' COLLATE NOCASE", "DELETE FROM t",
                            "SELECT * FROM t WHERE rowid = 1", "SELECT 1 IN t", "SELECT * FROM t WHERE key LIKE 'a'"}) {
    EXPECT_THAT(ask(query), StartsWith("error: t: query must compare key with = or IN")) << query;
  }
}

TEST_P(TableOfKind, TakesBackWhatARollbackTakesBack) {
  insert(1, 10);
  run("BEGIN");
  insert(1001, 3000);  // a scalable table grows
  run("SAVEPOINT inner");
  insert(4001, 9000);
  EXPECT_EQ(found(1, 10) + found(1001, 3000) + found(4001, 9000), 10 + 2000 + 5000);
  run("ROLLBACK TO inner");
  EXPECT_EQ(found(1001, 3000), 2000);
  EXPECT_LT(found(4001, 9000), 100);
  insert(4001, 4100);
  run("ROLLBACK");
  EXPECT_EQ(found(1, 10), 10);
  EXPECT_EQ(found(1001, 9000), 0);
  insert(20, 5000);
  EXPECT_EQ(found(20, 5000), 4981);
}

TEST_P(TableOfKind, IsTheSnapshotThatItGives) {
  insert(1, 900);
  const Blob snapshot = blob("SELECT bloom_snapshot('t')");
  EXPECT_EQ(ask("SELECT sum(bloom_contains(?, i)) FROM " + integers(1, 900), {snapshot}), "900");
  EXPECT_EQ(info(snapshot, "keys"), "900");
  EXPECT_EQ(info(snapshot, "capacity"), "1000");
  EXPECT_EQ(info(snapshot, "fp_rate"), "1.0e-06");
  EXPECT_EQ(blob("SELECT bloom_snapshot('t', 'main')").bytes, snapshot.bytes);
  const std::string kind = GetParam();
  // The layers of scalable are larger, because they have whole pages. The groups of growing are split in another order.
  if (kind.find("scalable") != std::string::npos || kind == "growing") return;
  run("CREATE TABLE same AS SELECT bloom_raw(bloom_agg(i, 1000, 1e-6, replace(?, '''', ''))) AS f FROM " +
          integers(1, 900),
      {kind});
  EXPECT_EQ(ask("SELECT f = bloom_raw(?) FROM same", {snapshot}), "1");
}

TEST_P(TableOfKind, ReportsTheRateOfItsSnapshot) {
  const auto shown = [this](const std::string& field) {
    return ask("SELECT bloom_table_info('t') ->> '" + field + "'");
  };
  EXPECT_EQ(shown("current_fp_rate"), "0");
  for (const int last : {900, 2500, 8000}) {
    insert(1, last);
    const Blob snapshot = blob("SELECT bloom_snapshot('t')");
    const double rate = std::stod(info(snapshot, "current_fp_rate"));
    EXPECT_NEAR(std::stod(shown("current_fp_rate")) / rate, 1, 1e-6) << last;
    EXPECT_EQ(shown("over_capacity"), info(snapshot, "over_capacity")) << last;
  }
}

TEST_P(TableOfKind, IsSeenByOtherConnections) {
  const std::string path = new_database("table_of_kind.db");
  Database writer(path.c_str());
  Database reader(path.c_str());
  ASSERT_EQ(writer.ask("PRAGMA journal_mode = WAL"), "wal");
  writer.run(std::string("CREATE VIRTUAL TABLE t USING bloom(capacity=100, fpr=1e-6, kind=") + GetParam() + ")");
  for (int round = 0; round < 5; ++round) {
    const std::string keys = integers(round * 1000, round * 1000 + 999);
    ASSERT_EQ(writer.run("INSERT INTO t(key) SELECT i FROM " + keys), SQLITE_OK);
    EXPECT_EQ(reader.ask("SELECT count(*) FROM " + keys + " JOIN t ON key = i"), "1000");
    ASSERT_EQ(reader.run("INSERT INTO t(key) VALUES ('from the reader')"), SQLITE_OK);
    EXPECT_EQ(writer.ask("SELECT count(*) FROM t WHERE key = 'from the reader'"), "1");
    if (round == 2) {
      ASSERT_EQ(reader.run("INSERT INTO t(op) VALUES ('clear')"), SQLITE_OK);
      EXPECT_EQ(writer.ask("SELECT count(*) FROM " + keys + " JOIN t ON key = i"), "0");
    }
  }
}

// Tests P1 of table/filter_table.h.
TEST_F(Table, GivesNoLayerMoreKeysThanItIsSizedFor) {
  make("capacity=30000, fpr=1e-4, kind=scalable");  // a layer of several pages
  insert(1, 30000);
  EXPECT_THAT(ask("SELECT value FROM t_meta"), HasSubstr(" layers=2 "));
  const std::int64_t first = std::stoll(ask("SELECT json_extract(bloom_info(bloom_snapshot('t')), '$.keys')"));
  EXPECT_GE(first, 29990);
  run("INSERT INTO t(op) VALUES ('clear')");
  insert(1, 26000);
  EXPECT_THAT(ask("SELECT value FROM t_meta"), HasSubstr(" layers=1 ")) << "a layer should be nearly full";
}

TEST_F(Table, GivesALayerOfSeveralPagesTheFewestThatAreWhole) {
  for (int capacity = 5000; capacity < 8000; capacity += 23) {
    const std::string asked = std::to_string(capacity) + ", 0.01, 'scalable'";
    const int blocks = std::stoi(ask("SELECT bits / 512 FROM bloom_layers(bloom_create(" + asked + "))"));
    run("CREATE VIRTUAL TABLE s USING bloom(kind=scalable, capacity=" + std::to_string(capacity) + ")");
    const int whole = (blocks + 62) / 63 * 63;  // with pages of 4096 bytes, a row has 63 blocks
    EXPECT_THAT(ask("SELECT value FROM s_meta"), HasSubstr(" units=" + std::to_string(whole) + " ")) << blocks;
    run("DROP TABLE s");
  }
}

TEST_F(Table, GrowsWithTheFirstKeyBeyondItsCapacity) {
  make("capacity=100, fpr=1e-9, kind=scalable");  // one page, with all of the layer's keys
  insert(1, 100);
  EXPECT_THAT(ask("SELECT value FROM t_meta"), HasSubstr(" layers=1 "));
  insert(101, 101);
  EXPECT_THAT(ask("SELECT value FROM t_meta"), HasSubstr(" layers=2 "));
}

TEST_F(Table, CountsAndRemoves) {
  make("capacity=1000, fpr=1e-6, kind=counting");
  run("INSERT INTO t(key) VALUES ('a'), ('a'), ('b')");
  run("DELETE FROM t WHERE key = 'a'");
  EXPECT_EQ(ask("SELECT group_concat(key) FROM t WHERE key IN ('a', 'b', 'c')"), "a,b");
  run("DELETE FROM t WHERE key IN ('a', 'b', 'absent')");
  EXPECT_EQ(sqlite3_changes(db_.get()), 2);
  EXPECT_EQ(ask("SELECT count(*) FROM t WHERE key IN ('a', 'b')"), "0");
  EXPECT_EQ(ask("SELECT json_extract(bloom_info(bloom_snapshot('t')), '$.keys')"), "0");
  run("INSERT INTO t(op) VALUES ('rebuild')");
  EXPECT_EQ(ask("SELECT count(*) FROM t_pages"), "0");
}

// INSERT OR IGNORE also counts a false positive: otherwise, deleting the keys that cause it would lose the key.
TEST_F(Table, DeletingAKeyKeepsItsFalsePositives) {
  make("capacity=1000, fpr=0.2, kind=counting");
  run("INSERT OR IGNORE INTO t(key) SELECT i FROM " + integers(1, 1000));
  EXPECT_LT(sqlite3_changes(db_.get()), 1000);  // some keys were false positives
  run("DELETE FROM t WHERE key IN (SELECT i FROM " + integers(1, 500) + ")");
  EXPECT_EQ(ask("SELECT count(*) FROM t WHERE key IN (SELECT i FROM " + integers(501, 1000) + ")"), "500");
}

TEST_F(Table, CountsHowOftenAKeyCame) {
  make("capacity=1000, fpr=1e-6, kind='spectral:16'");
  run("INSERT INTO t(key) SELECT i % 3 FROM " + integers(1, 300));
  EXPECT_EQ(ask("SELECT group_concat(key || ':' || count) FROM t WHERE key IN (0, 1, 7)"), "0:100,1:100");
  run("INSERT OR IGNORE INTO t(key) VALUES (0), (7)");
  EXPECT_EQ(ask("SELECT group_concat(key || ':' || count) FROM t WHERE key IN (0, 1, 7)"), "0:100,1:100,7:1");
}

TEST_F(Table, RemovesOnlyWhereItCan) {
  make("capacity=1000");
  run("INSERT INTO t(key) VALUES ('a')");
  EXPECT_EQ(ask("DELETE FROM t WHERE key = 'a'"),
            "error: t: kind must be counting or growing to delete keys, got blocked (to remove all keys, "
            "insert 'clear' as "
            "op)");
  EXPECT_EQ(ask("DELETE FROM t WHERE key = 'absent'"), "");
  EXPECT_THAT(ask("UPDATE t SET key = 'b' WHERE key = 'a'"), HasSubstr("must be INSERT, DELETE or SELECT, got UPDATE"));
  EXPECT_THAT(ask("INSERT INTO t(rowid, key) VALUES (5, 'b')"), HasSubstr("rowid must be omitted"));
}

TEST_F(Table, MergesAFilterOfTheSameShape) {
  make("capacity=5000, fpr=0.001, seed=-7");
  insert(1, 100);
  run("INSERT INTO t(op, arg) SELECT 'union', bloom_agg(i, 5000, 0.001, 'blocked', -7) FROM " + integers(101, 4000));
  EXPECT_EQ(found(1, 4000), 4000);
  EXPECT_EQ(ask("SELECT json_extract(bloom_info(bloom_snapshot('t')), '$.keys')"), "4000");
  const std::string merge = "INSERT INTO t(op, arg) SELECT 'union', ";
  EXPECT_THAT(ask(merge + "bloom_create(5000, 0.001)"), StartsWith("error: t: seed must equal the table's -7, got 0"));
  EXPECT_THAT(ask(merge + "bloom_create(6000, 0.001, 'blocked', -7)"),
              HasSubstr("number of blocks must equal the table's"));
  EXPECT_THAT(ask(merge + "bloom_create(5000, 0.01, 'blocked', -7)"), HasSubstr("k must equal the table's"));
  EXPECT_THAT(ask(merge + "bloom_create(5, 0.01, 'counting', -7)"), HasSubstr("kind must equal the table's blocked"));
  EXPECT_THAT(ask(merge + "x'00'"), HasSubstr("blob size must be at least 64 bytes, got 1"));
  EXPECT_THAT(ask("INSERT INTO t(op) VALUES ('union')"), HasSubstr("t: arg must be a filter if op is union, got NULL"));
  EXPECT_THAT(ask("INSERT INTO t(op, arg) VALUES ('union', 't')"), HasSubstr("t: arg must be a filter"));
}

TEST_F(Table, RefusesAnArgumentThatAnOperationDoesNotTake) {
  make("capacity=100");
  insert(1, 10);
  EXPECT_EQ(ask("INSERT INTO t(op, arg) VALUES ('rebuild', 10000)"),
            "error: t: arg must be NULL if op is rebuild, got 10000");
  EXPECT_THAT(ask("INSERT INTO t(op, arg) VALUES ('clear', 1)"), HasSubstr("arg must be NULL if op is clear, got 1"));
  EXPECT_THAT(ask("INSERT INTO t(op, arg) VALUES ('check', 1)"), HasSubstr("arg must be NULL if op is check, got 1"));
  EXPECT_EQ(found(1, 10), 10);
}

TEST_F(Table, CountsTheKeysOfAMergeWhereTheyLie) {
  make("capacity=20000, fpr=1e-4, kind=counting");
  run("INSERT INTO t(op, arg) SELECT 'union', bloom_agg(i, 20000, 1e-4, 'counting') FROM " + integers(1, 20000));
  run("DELETE FROM t WHERE key IN (SELECT i FROM " + integers(1, 15000) + ")");
  EXPECT_EQ(ask("SELECT json_extract(bloom_info(bloom_snapshot('t')), '$.keys')"), "5000");
}

TEST_F(Table, NamesWhatIsWrongWithItsArguments) {
  const auto error = [this](const std::string& arguments) {
    return ask("CREATE VIRTUAL TABLE e USING bloom(" + arguments + ")");
  };
  EXPECT_EQ(error(""), "error: e: capacity must be set, got nothing");
  EXPECT_EQ(error("kind=blocked"), "error: e: capacity must be set, got nothing");
  EXPECT_EQ(error("capacity=0"), "error: e: capacity must be an integer from 1 to 1099511627776, got 0");
  EXPECT_EQ(error("capacity=many"), "error: e: capacity must be an integer from 1 to 1099511627776, got 'many'");
  EXPECT_EQ(error("capacity=10, fpr=1"), "error: e: fp_rate must be in (0, 1), got 1");
  EXPECT_EQ(error("capacity=10, seed=x"), "error: e: seed must be a 64-bit integer, got 'x'");
  EXPECT_EQ(error("capacity=10, size=4"),
            "error: e: argument must be one of capacity, fp_rate, kind, seed, window, panes, clock, source, on_full, "
            "got size");
  EXPECT_EQ(error("capacity=10, capacity=20"), "error: e: argument capacity must be set once, got two values");
  EXPECT_EQ(error("1000"), "error: e: argument must be name=value, got 1000");
  const std::string kinds =
      "error: e: kind must be one that tables support (blocked, counting, growing, scalable[:growth: 2 to 16], "
      "spectral[:counter bits: 4, 8, 16 or 32]), got ";
  EXPECT_EQ(error("capacity=10, kind=ribbon"), kinds + "ribbon");
  EXPECT_EQ(error("kind=map"), kinds + "map") << "and not that it has no capacity";
  const std::string hint = "; set window= instead";
  EXPECT_EQ(error("capacity=10, kind='window:7 days'"), kinds + "window:604800/8" + hint);
  EXPECT_EQ(error("capacity=10, kind='window:soon'"), kinds + "'window:soon'" + hint);
  for (const std::string kind : {"Blocked", "Bloom", "5", ""}) {
    EXPECT_THAT(error("capacity=10, kind='" + kind + "'"),
                AllOf(StartsWith("error: e: kind must be one that tables support"), EndsWith(", got '" + kind + "'")));
  }
  EXPECT_EQ(ask("SELECT count(*) FROM sqlite_schema"), "0") << "nothing may be left behind";
  EXPECT_EQ(error(" CAPACITY = 1e3 , fpr = '0.5', kind = \"blocked\", seed = -1"), "");
}

TEST_F(Table, OpensATableOfTheLargestCapacityAgain) {
  const std::string path = new_database("table_of_2_to_40.db");
  Database writer(path.c_str());
  ASSERT_EQ(writer.run("CREATE VIRTUAL TABLE t USING bloom(capacity=1099511627776)"), SQLITE_OK);
  ASSERT_EQ(writer.run("INSERT INTO t(key) VALUES ('a')"), SQLITE_OK);
  Database reader(path.c_str());
  EXPECT_EQ(reader.ask("SELECT group_concat(key) FROM t WHERE key IN ('a', 'b')"), "a");
}

class PageSize : public Table, public ::testing::WithParamInterface<int> {};

INSTANTIATE_TEST_SUITE_P(Bytes, PageSize, ::testing::Values(512, 1024, 2048, 4096, 8192, 65536));

TEST_P(PageSize, ChangesOnePagePerKey) {
  const std::string path = temp_file("page_size.db");
  for (const char* kind : {"blocked", "counting", "scalable"}) {
    remove_database(path);
    int frames = 0;
    Database db(path.c_str());
    db.run("PRAGMA page_size = " + std::to_string(GetParam()));
    ASSERT_EQ(db.ask("PRAGMA journal_mode = WAL"), "wal");
    db.run("PRAGMA wal_autocheckpoint = 0");
    ASSERT_EQ(db.run(std::string("CREATE VIRTUAL TABLE t USING bloom(capacity=3000, kind=") + kind + ")"), SQLITE_OK);
    ASSERT_EQ(db.run("INSERT INTO t(key) SELECT i FROM " + integers(1, 2000)), SQLITE_OK);
    count_frames(db, &frames);
    ASSERT_EQ(db.run("INSERT OR IGNORE INTO t(key) VALUES (100001), (100002), (100003)"), SQLITE_OK);
    for (int i = 200001; i < 200051; ++i) {
      const int before = frames;
      ASSERT_EQ(db.run("INSERT OR IGNORE INTO t(key) VALUES (" + std::to_string(i) + ")"), SQLITE_OK);
      EXPECT_LE(frames - before, 1) << kind << " " << i;
    }
    EXPECT_EQ(db.ask("PRAGMA page_size"), std::to_string(GetParam()));
    EXPECT_EQ(db.ask("SELECT count(*) FROM " + integers(1, 2000) + " JOIN t ON key = i"), "2000");
    EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
  }
}

/// How often SQLite has run the connection's statements that contain these words.
int runs(sqlite3* db, std::string_view words) {
  int found = 0;
  for (sqlite3_stmt* at = sqlite3_next_stmt(db, nullptr); at != nullptr; at = sqlite3_next_stmt(db, at)) {
    const bool is_one = std::string_view(sqlite3_sql(at)).find(words) != std::string_view::npos;
    if (is_one) found += sqlite3_stmt_status(at, SQLITE_STMTSTATUS_RUN, 0);
  }
  return found;
}

/// The numbers of page lookups and page writes of a statement, such as "1 1".
std::string visits(Database& db, const std::string& sql) {
  const auto both = [&db](const char* look_up) {
    return std::pair(runs(db.get(), look_up),
                     runs(db.get(), R"(INSERT INTO "main"."t_pages")") + runs(db.get(), R"(UPDATE "main"."t_pages")"));
  };
  const auto before = both("SELECT bits FROM");
  EXPECT_EQ(db.run(sql), SQLITE_OK) << sql;
  const auto after = both("SELECT bits FROM");
  return std::to_string(after.first - before.first) + " " + std::to_string(after.second - before.second);
}

TEST_F(Table, LooksAPageUpOnceToAskAndToChangeIt) {
  for (const char* arguments : {"kind=blocked", "kind=counting", "kind=scalable", "window=60, clock=manual"}) {
    run(std::string("CREATE VIRTUAL TABLE t USING bloom(capacity=10000, ") + arguments + ")");
    run("INSERT INTO t(key) VALUES ('a')");
    EXPECT_EQ(visits(db_, "INSERT INTO t(key) VALUES ('b')"), "1 1") << arguments;
    EXPECT_EQ(visits(db_, "INSERT OR IGNORE INTO t(key) VALUES ('b')"),
              std::string_view(arguments) == "kind=counting" ? "1 1" : "1 0");
    EXPECT_EQ(visits(db_, "SELECT 1 FROM t WHERE key = 'b'"), "1 0") << arguments;
    run("DROP TABLE t");
  }
}

TEST_F(Table, LooksEachPageOfASpectralKeyUpOnce) {
  run("CREATE VIRTUAL TABLE t USING bloom(capacity=10, kind=spectral)");  // one page
  run("INSERT INTO t(key) VALUES ('a')");
  EXPECT_EQ(visits(db_, "INSERT INTO t(key) VALUES ('a')"), "1 1");
  EXPECT_EQ(visits(db_, "INSERT OR IGNORE INTO t(key) VALUES ('a')"), "1 0");
  run("DROP TABLE t");
  run("CREATE VIRTUAL TABLE t USING bloom(capacity=1000000, kind=spectral)");  // seven positions in seven pages
  run("INSERT INTO t(key) VALUES ('a')");
  EXPECT_EQ(visits(db_, "INSERT INTO t(key) VALUES ('a')"), "7 7");
  EXPECT_EQ(ask("SELECT count FROM t WHERE key = 'a'"), "2");
}

TEST_F(Table, LooksAPageUpOnceForAChangeOfAColumnThatItFollows) {
  run("CREATE TABLE s(id INTEGER PRIMARY KEY, c, d)");
  run("INSERT INTO s VALUES (1, 'a', 0), (2, 'b', 0)");
  run("CREATE VIRTUAL TABLE t USING bloom(source=s.c, kind=counting)");
  run("INSERT INTO s VALUES (3, 'c', 0)");
  EXPECT_EQ(visits(db_, "INSERT INTO s VALUES (4, 'd', 0)"), "1 1");
  EXPECT_EQ(visits(db_, "DELETE FROM s WHERE id = 1"), "1 1");
  EXPECT_EQ(visits(db_, "UPDATE s SET c = 'e' WHERE id = 2"), "2 2");
  EXPECT_EQ(visits(db_, "UPDATE s SET d = 1"), "0 0");
}

// Tests T4 of table/filter_table.h.
TEST_F(Table, StoresNoPageWithoutAKey) {
  make("capacity=1000000000000, fpr=1e-6");
  insert(1, 100);
  EXPECT_EQ(ask("SELECT count(*) FROM t_pages"), "100");
  EXPECT_EQ(found(1, 100), 100);
  EXPECT_EQ(found(1000, 2000), 0);
  EXPECT_THAT(ask("SELECT bloom_snapshot('t')"), HasSubstr("payload must fit SQLITE_LIMIT_LENGTH"));
}

}  // namespace
}  // namespace crivo::testing

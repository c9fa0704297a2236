// A filter table in various environments: page sizes and encodings, SQLite's ways to copy and restore, and the modes
// that protect against a hostile schema (T2).

#include "database.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

/// Makes a filter table of each kind, named after the kind, with the keys 1 .. 500. The scalable table grows.
void make_tables(Database& db, const std::string& schema = "main") {
  db.run("PRAGMA " + schema + ".synchronous = OFF");  // for speed; the tests simulate no power failure
  for (const std::string kind : kTableKinds) {
    const std::string capacity = kind == "scalable" ? "50" : "500";
    const std::string table = schema + "." + kind;
    const std::string arguments = "(capacity=" + capacity + ", fpr=1e-9, kind=" + kind + ")";
    ASSERT_EQ(db.ask("CREATE VIRTUAL TABLE " + table + " USING bloom" + arguments), "");
    ASSERT_EQ(db.ask("INSERT INTO " + table + "(key) SELECT i FROM " + integers(1, 500)), "");
  }
}

/// Expects every key, no other key, and a successful insert.
void expect_working(Database& db, const std::string& schema = "main") {
  for (const std::string kind : kTableKinds) {
    const std::string table = schema + "." + kind;
    EXPECT_EQ(db.ask("SELECT sum(i) FROM " + integers(-100, 1000) + " JOIN " + table + " AS t ON t.key = n.i"),
              std::to_string(500 * 501 / 2))
        << kind;
    EXPECT_EQ(db.run("INSERT INTO " + table + "(key) VALUES ('ä')"), SQLITE_OK) << kind;
    EXPECT_EQ(db.ask("SELECT key FROM " + table + " WHERE key = 'ä'"), "ä") << kind;
    EXPECT_EQ(db.ask("INSERT INTO " + table + "(op) VALUES ('check')"), "") << kind;
  }
  EXPECT_EQ(db.ask("PRAGMA " + schema + ".integrity_check"), "ok");
}

class EveryPageSize : public ::testing::TestWithParam<std::tuple<int, const char*>> {};

TEST_P(EveryPageSize, AndEncodingHoldsATable) {
  const auto& [page_size, encoding] = GetParam();
  Database db;
  db.run("PRAGMA page_size = " + std::to_string(page_size));
  db.run(std::string("PRAGMA encoding = '") + encoding + "'");
  make_tables(db);
  ASSERT_EQ(db.ask("PRAGMA page_size"), std::to_string(page_size));
  ASSERT_EQ(db.ask("PRAGMA encoding"), encoding);
  expect_working(db);
}

INSTANTIATE_TEST_SUITE_P(Pages, EveryPageSize,
                         ::testing::Combine(::testing::Values(512, 1024, 4096, 65536),
                                            ::testing::Values("UTF-8", "UTF-16le", "UTF-16be")));

// SQLite can reserve bytes of each page, for instance for encryption or checksums.
TEST(PageRoom, IsFilledByARowThatNeedsNoSecondPage) {
  for (const int page_size : {512, 1024, 4096, 65536}) {
    for (int reserved : {0, 8, 32}) {
      SCOPED_TRACE(std::to_string(page_size) + " bytes, reserved " + std::to_string(reserved));
      Database db;
      db.run("PRAGMA page_size = " + std::to_string(page_size));
      const int room = page_size - reserved - 35 - 5;  // minus SQLite's reserve in a leaf, and the record's header
      sqlite3_file_control(db.get(), "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
      ASSERT_EQ(db.ask("CREATE VIRTUAL TABLE t USING bloom(capacity=500000)"), "");
      const int row = std::stoi(db.ask("SELECT json_extract(bloom_table_info('t'), '$.row_bytes')"));
      EXPECT_LE(row, room);
      EXPECT_GT(row + 64, room) << "a block more would not fit";
    }
  }
}

class TablePlaces : public ::testing::Test {
 protected:
  static std::string copy_to(const std::string& name) { return new_database("copy_" + name); }
};

TEST_F(TablePlaces, VacuumKeepsIt) {
  Database db(new_database("table_places_vacuum.db").c_str());
  make_tables(db);
  db.run("DELETE FROM counting WHERE key = 1");
  db.run("INSERT INTO counting(key) VALUES (1)");
  EXPECT_EQ(db.ask("VACUUM"), "");
  expect_working(db);
  for (const char* page_size : {"512", "65536"}) {
    EXPECT_EQ(db.ask(std::string("PRAGMA page_size = ") + page_size), "");
    EXPECT_EQ(db.ask("VACUUM"), "");
    EXPECT_EQ(db.ask("PRAGMA page_size"), page_size);
    expect_working(db);
  }
}

TEST_F(TablePlaces, VacuumIntoRestoresIt) {
  Database db(new_database("table_places_vacuum_into.db").c_str());
  make_tables(db);
  const std::string copy = copy_to("vacuum_into");
  EXPECT_EQ(db.ask("VACUUM INTO ?", {copy}), "");
  Database restored(copy.c_str());
  expect_working(restored);
  expect_working(db);
}

TEST_F(TablePlaces, ABackupDuringInsertsRestoresIt) {
  Database db(new_database("table_places_backup.db").c_str());
  make_tables(db);
  Database restored(copy_to("backup").c_str());
  EXPECT_EQ(restored.ask("SELECT count(*) FROM sqlite_schema"), "0");  // opened before the table exists
  sqlite3_backup* backup = sqlite3_backup_init(restored.get(), "main", db.get(), "main");
  ASSERT_NE(backup, nullptr);
  int status = SQLITE_OK;
  for (int i = 0; status == SQLITE_OK; ++i) {
    status = sqlite3_backup_step(backup, 3);
    for (const std::string kind : kTableKinds)
      db.run("INSERT INTO " + kind + "(key) VALUES (?)", {std::int64_t{2000} + i});
  }
  EXPECT_EQ(status, SQLITE_DONE);
  EXPECT_EQ(sqlite3_backup_finish(backup), SQLITE_OK);
  expect_working(restored);
  EXPECT_EQ(restored.ask("SELECT count(*) FROM blocked WHERE key IN (2000, 2001, 2002)"), "3");
}

// The connection's table has read the state. Another database then replaces this one.
TEST_F(TablePlaces, ARestoredDatabaseReplacesWhatTheTableRemembers) {
  Database db(new_database("table_places_replaced.db").c_str());
  make_tables(db);
  Database other;
  other.run("CREATE VIRTUAL TABLE blocked USING bloom(capacity=70000, seed=5)");
  other.run("INSERT INTO blocked(key) VALUES ('other')");
  EXPECT_EQ(db.ask("SELECT count(*) FROM blocked WHERE key IN (1, 'other')"), "1");
  sqlite3_backup* backup = sqlite3_backup_init(db.get(), "main", other.get(), "main");
  ASSERT_EQ(sqlite3_backup_step(backup, -1), SQLITE_DONE);
  sqlite3_backup_finish(backup);
  EXPECT_EQ(db.ask("SELECT key FROM blocked WHERE key IN (1, 'other')"), "other");
}

TEST_F(TablePlaces, SerializeAndDeserializeRestoreIt) {
  Database db;
  make_tables(db);
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(db.get(), "main", &size, 0);
  ASSERT_NE(bytes, nullptr);
  Database restored;
  EXPECT_EQ(sqlite3_deserialize(restored.get(), "main", bytes, size, size,
                                SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE),
            SQLITE_OK);
  expect_working(restored);
}

TEST_F(TablePlaces, TemporaryAndAttachedDatabasesHoldTablesOfTheSameName) {
  Database db(new_database("table_places_main.db").c_str());
  const std::string attached = new_database("table_places_attached.db");
  db.run("ATTACH ? AS aux1", {attached});
  for (const char* schema : {"main", "temp", "aux1"}) {
    db.run(std::string("CREATE VIRTUAL TABLE ") + schema + ".t USING bloom(capacity=1000, fpr=1e-9)");
  }
  for (const char* schema : {"main", "temp", "aux1"}) {
    db.run(std::string("INSERT INTO ") + schema + ".t(key) VALUES (?)", {schema});
  }
  for (const char* schema : {"main", "temp", "aux1"}) {
    EXPECT_EQ(db.ask(std::string("SELECT key FROM ") + schema + ".t WHERE key IN ('main', 'temp', 'aux1')"), schema);
    EXPECT_EQ(db.ask("SELECT bloom_contains(bloom_snapshot('t', ?1), ?1)", {schema}), "1");
  }
  make_tables(db, "aux1");
  expect_working(db, "aux1");
  EXPECT_EQ(db.ask("DETACH aux1"), "");
  db.run("ATTACH ? AS renamed", {attached});
  expect_working(db, "renamed");
  EXPECT_EQ(db.ask("SELECT key FROM renamed.t WHERE key IN ('main', 'temp', 'aux1')"), "aux1");
  EXPECT_EQ(db.ask("DROP TABLE renamed.t"), "");
  EXPECT_EQ(db.ask("SELECT count(*) FROM renamed.sqlite_schema WHERE name IN ('t', 't_meta', 't_pages')"), "0");
  EXPECT_EQ(db.ask("SELECT key FROM main.t WHERE key = 'main'"), "main");
}

TEST_F(TablePlaces, ARenameKeepsTheKeysAndARollbackTakesItBack) {
  Database db;
  make_tables(db);
  db.run("BEGIN");
  EXPECT_EQ(db.ask(R"(ALTER TABLE blocked RENAME TO "it's ""new"" %s")"), "");
  db.run(R"(INSERT INTO "it's ""new"" %s"(key) VALUES ('later'))");
  EXPECT_EQ(db.ask(R"(SELECT count(*) FROM "it's ""new"" %s" WHERE key IN (1, 'later'))"), "2");
  db.run("ROLLBACK");
  EXPECT_EQ(db.ask("SELECT count(*) FROM blocked WHERE key IN (1, 'later')"), "1");
  expect_working(db);
  EXPECT_EQ(db.ask("ALTER TABLE blocked RENAME TO moved"), "");
  EXPECT_EQ(db.ask("ALTER TABLE scalable RENAME TO blocked"), "");
  EXPECT_EQ(db.ask("ALTER TABLE moved RENAME TO scalable"), "");
  expect_working(db);
}

TEST_F(TablePlaces, DefensiveModeKeepsStatementsFromTheShadowTables) {
  Database db;
  make_tables(db);
  db.run("CREATE TABLE blocked_other(x)");
  ASSERT_EQ(sqlite3_db_config(db.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr), SQLITE_OK);
  for (const char* statement :
       {"UPDATE blocked_pages SET bits = x''", "DELETE FROM blocked_pages", "INSERT INTO blocked_pages VALUES (9, x'')",
        "UPDATE blocked_meta SET value = ''", "DROP TABLE blocked_meta", "ALTER TABLE blocked_pages RENAME TO p"}) {
    EXPECT_THAT(db.ask(statement), AllOf(StartsWith("error: table blocked_"), HasSubstr(" may not be "))) << statement;
  }
  EXPECT_EQ(db.ask("INSERT INTO blocked_other VALUES (1)"), "") << "which is no shadow table";
  expect_working(db);
  EXPECT_EQ(db.ask("ALTER TABLE blocked RENAME TO moved"), "");
  EXPECT_EQ(db.ask("INSERT INTO moved(op) VALUES ('clear')"), "");
  EXPECT_EQ(db.ask("DROP TABLE moved"), "");
  EXPECT_EQ(db.ask("CREATE VIRTUAL TABLE moved USING bloom(capacity=10)"), "");
}

TEST_F(TablePlaces, AnUntrustedSchemaMayUseIt) {
  Database db;
  db.run("PRAGMA trusted_schema = 0");
  make_tables(db);
  db.run("CREATE TABLE words(word)");
  db.run("CREATE TRIGGER added AFTER INSERT ON words BEGIN INSERT INTO counting(key) VALUES (new.word); END");
  db.run("CREATE TRIGGER gone AFTER DELETE ON words BEGIN DELETE FROM counting WHERE key = old.word; END");
  db.run("CREATE VIEW known AS SELECT word FROM words WHERE EXISTS (SELECT 1 FROM counting WHERE key = word)");
  EXPECT_EQ(db.ask("INSERT INTO words VALUES ('a'), ('b')"), "");
  EXPECT_EQ(db.ask("SELECT count(*) FROM known"), "2");
  EXPECT_EQ(db.ask("DELETE FROM words WHERE word = 'a'"), "");
  EXPECT_EQ(db.ask("SELECT group_concat(key) FROM counting WHERE key IN ('a', 'b')"), "b");
}

// If a table left its own statements open, they would hold a lock, and VACUUM, COMMIT, DETACH and other connections
// would fail.
TEST_F(TablePlaces, NoStatementIsLeftOpen) {
  const std::string path = new_database("table_places_open.db");
  Database db(path.c_str());
  Database other(path.c_str());
  make_tables(db);
  for (const char* statement :
       {"SELECT key FROM blocked WHERE key = 1", "SELECT count FROM spectral WHERE key = 1",
        "SELECT key FROM blocked WHERE key = 'absent'", "INSERT INTO scalable(key) VALUES ('a')",
        "DELETE FROM counting WHERE key = 1", "DELETE FROM blocked WHERE key = 1", "SELECT * FROM blocked",
        "INSERT INTO blocked(op) VALUES ('check')", "INSERT INTO counting(op) VALUES ('rebuild')",
        "INSERT INTO blocked(op, arg) SELECT 'union', bloom_snapshot('blocked')",
        "INSERT INTO blocked(op, arg) VALUES ('union', 1)", "SELECT length(bloom_snapshot('scalable'))",
        "INSERT INTO spectral(op) VALUES ('clear')"}) {
    (void)db.ask(statement);
    for (sqlite3_stmt* s = sqlite3_next_stmt(db.get(), nullptr); s != nullptr; s = sqlite3_next_stmt(db.get(), s)) {
      EXPECT_EQ(sqlite3_stmt_busy(s), 0) << statement << " left open: " << sqlite3_sql(s);
    }
    EXPECT_EQ(other.ask("BEGIN EXCLUSIVE"), "") << statement;
    EXPECT_EQ(other.ask("COMMIT"), "");
    EXPECT_EQ(db.ask("VACUUM"), "") << statement;
  }
}

// A query that ends early, by the application or by LIMIT, leaves no statement open.
TEST_F(TablePlaces, AQuestionHalfAnsweredLeavesNothingOpen) {
  Database db(new_database("table_places_half.db").c_str());
  make_tables(db);
  Statement half(db.get(), "SELECT i FROM " + integers(1, 100) + " JOIN blocked ON key = i");
  ASSERT_EQ(sqlite3_step(half.get()), SQLITE_ROW);
  int busy = 0;
  for (sqlite3_stmt* s = sqlite3_next_stmt(db.get(), nullptr); s != nullptr; s = sqlite3_next_stmt(db.get(), s)) {
    busy += sqlite3_stmt_busy(s) != 0;
  }
  EXPECT_EQ(busy, 1);  // the query itself
  sqlite3_reset(half.get());
  EXPECT_EQ(db.ask("VACUUM"), "");
}

TEST_F(TablePlaces, AFunctionThatMeetsALockSaysSoWithItsCode) {
  const std::string path = new_database("locked.db");
  Database db(path.c_str());
  make_tables(db);
  Database other(path.c_str());
  ASSERT_EQ(other.ask("SELECT length(bloom_snapshot('blocked')) > 64"), "1");
  ASSERT_EQ(db.run("BEGIN EXCLUSIVE"), SQLITE_OK);
  for (const char* function : {"bloom_snapshot", "bloom_table_info"}) {
    EXPECT_EQ(other.run(std::string("SELECT ") + function + "('blocked')"), SQLITE_BUSY);
    EXPECT_EQ(other.run(std::string("SELECT ") + function + "('blocked', 'main')"), SQLITE_BUSY);
  }
  db.run("COMMIT");
}

TEST_F(TablePlaces, IntegrityCheckLooksAtThePagesWhereSqliteAsksTables) {
  Database db;
  make_tables(db);
  EXPECT_EQ(db.ask("PRAGMA integrity_check"), "ok");
  db.run("UPDATE blocked_pages SET bits = bits || x'00'");
  const bool asks = sqlite3_libversion_number() >= 3044000;
  EXPECT_THAT(db.ask("PRAGMA integrity_check"), HasSubstr(asks ? "blocked: page 0 in table _pages must" : "ok"));
  EXPECT_THAT(db.ask("INSERT INTO blocked(op) VALUES ('check')"), HasSubstr("page 0 in table _pages must"));
}

}  // namespace
}  // namespace crivo::testing

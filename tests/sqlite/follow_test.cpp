// Filter tables that follow a column: CREATE VIRTUAL TABLE ... USING bloom(source='table.column'). table/filter_table.h
// defines F1 to F4 and P2.
#include "follow_support.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

class Follow : public FollowTest {};

TEST_F(Follow, FollowsDeletesIfItCounts) {
  run("CREATE TABLE s(id INTEGER PRIMARY KEY, c)");
  run("INSERT INTO s(c) VALUES ('a'), ('a'), ('b'), (NULL)");
  follow("s.c", ", kind=counting");
  run("INSERT OR IGNORE INTO s(c) VALUES ('b'), ('c')");  // the filter must count the second 'b'
  run("DELETE FROM s WHERE id IN (1, 3)");
  EXPECT_EQ(found("'a'") + found("'b'") + found("'c'"), "111");
  run("UPDATE s SET c = 'd' WHERE c = 'a'");
  run("UPDATE s SET c = NULL WHERE c = 'b'");
  EXPECT_EQ(found("'a'") + found("'b'") + found("'c'") + found("'d'"), "0011");
  run("DELETE FROM s");
  EXPECT_EQ(info("keys"), "0");
  EXPECT_EQ(info("stale"), "0");
}

// Between the filter's BEFORE and AFTER triggers of a row, a trigger of the application changes or inserts other rows.
TEST_F(Follow, CountsARowOnceWhateverATriggerWritesInBetween) {
  for (const char* kind : {"counting", "growing"}) {
    for (const char* trigger : {"UPDATE s SET c = lower(c) WHERE id = new.id",
                                "INSERT INTO s(c, depth) SELECT new.c, new.depth + 1 WHERE new.depth < 5",
                                "INSERT INTO s(c, depth) SELECT new.c || '!', new.depth + 1 WHERE new.depth < 5"}) {
      SCOPED_TRACE(std::string(kind) + ": " + trigger);
      run("DROP TABLE IF EXISTS f");
      run("DROP TABLE IF EXISTS s");
      run("CREATE TABLE s(id INTEGER PRIMARY KEY, c, depth DEFAULT 0)");
      follow("s.c", std::string(", kind=") + kind);
      run(std::string("CREATE TRIGGER t AFTER INSERT ON s BEGIN ") + trigger + "; END");
      run("INSERT INTO s(c) VALUES ('Ann'), ('Ann'), ('bob'), (NULL)");
      EXPECT_EQ(denied(), "");
      run("DELETE FROM s WHERE id = (SELECT min(id) FROM s WHERE c = 'Ann')");
      EXPECT_EQ(denied(), "");
      run("DELETE FROM s");
      EXPECT_EQ(info("keys"), "0");
      EXPECT_EQ(info("stale"), "0");
    }
  }
}

TEST_F(Follow, CountsARowOnceDespiteManySkippedRows) {
  for (const int skipped : {0, 999, 2500}) {
    run("DROP TABLE IF EXISTS f");
    run("DROP TABLE IF EXISTS s");
    run("CREATE TABLE s(id INTEGER PRIMARY KEY, c, depth DEFAULT 0)");
    run("INSERT INTO s(id) VALUES (1)");
    follow("s.c", ", kind=counting");
    run("INSERT OR IGNORE INTO s(id, c) SELECT 1, i FROM " + integers(1, skipped));
    run("CREATE TRIGGER t AFTER INSERT ON s WHEN new.depth = 0 BEGIN INSERT INTO s(c, depth) VALUES ('bob', 1);"
        "INSERT OR IGNORE INTO s(id, c, depth) SELECT 1, i, 1 FROM " +
        integers(1, skipped) + "; END");
    run("INSERT INTO s(c) VALUES ('Ann')");
    run("DELETE FROM s");
    EXPECT_EQ(found("'Ann'") + found("'bob'"), "00") << skipped;
  }
}

TEST_F(Follow, CountsStaleKeysIfItCannotRemove) {
  run("CREATE TABLE s(id INTEGER PRIMARY KEY, c, other)");
  run("INSERT INTO s(c) SELECT i FROM " + integers(1, 100));
  follow("s.c");
  run("DELETE FROM s WHERE c <= 30");
  run("UPDATE s SET c = c + 1000 WHERE c <= 40");
  run("UPDATE s SET other = c, c = c");
  EXPECT_EQ(info("stale"), "40");
  EXPECT_EQ(found("1") + found("40") + found("1040"), "111");
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(info("stale"), "0");
  EXPECT_EQ(info("keys"), "70");
  EXPECT_EQ(found("1") + found("40") + found("1040"), "001");
}

TEST_F(Follow, LosesNothingToAReplaceThatFiresNoTrigger) {
  run("CREATE TABLE s(id INTEGER PRIMARY KEY, c)");
  run("INSERT INTO s VALUES (1, 'a'), (2, 'b')");
  follow("s.c", ", kind=counting");
  run("REPLACE INTO s VALUES (1, 'b')");
  EXPECT_EQ(found("'a'"), "1") << "SQLite runs no delete trigger for a replaced row";
  run("PRAGMA recursive_triggers = 1");
  run("REPLACE INTO s VALUES (1, 'c')");
  EXPECT_EQ(found("'b'") + found("'c'"), "11");
  run("REPLACE INTO s VALUES (2, 'c')");
  EXPECT_EQ(found("'b'"), "0") << "with recursive_triggers, it does";
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(found("'a'") + found("'c'"), "01");
}

TEST_F(Follow, IsSizedForTwiceTheValuesAndGrowsWhenRebuilt) {
  run("CREATE TABLE s(c)");
  follow("s.c");
  EXPECT_EQ(info("capacity"), "10000");
  run("DROP TABLE f");
  run("INSERT INTO s SELECT i FROM " + integers(1, 30000));
  follow("s.c");
  EXPECT_EQ(info("capacity"), "60000");
  run("INSERT INTO s SELECT i FROM " + integers(30001, 60000));
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(info("capacity"), "60000");
  run("INSERT INTO s VALUES ('one more')");
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(info("capacity"), "120002");
  EXPECT_EQ(info("keys"), "60001");
  EXPECT_EQ(denied(), "");
}

/// The SQL function "fragile" fails after `most_calls` calls.
std::int64_t calls = 0;
std::int64_t most_calls = INT64_MAX;
void fragile(sqlite3_context* context, int, sqlite3_value** args) {
  if (++calls > most_calls) return sqlite3_result_error(context, "no more", -1);
  sqlite3_result_value(context, args[0]);
}

// Tests P2 of table/filter_table.h.
TEST_F(Follow, KeepsItsKeysIfARebuildFailsHalfway) {
  sqlite3_create_function(db_.get(), "fragile", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
                          fragile, nullptr, nullptr);
  run("CREATE TABLE s(id, c AS (fragile(id)))");
  run("INSERT INTO s SELECT i FROM " + integers(1, 140000));  // more than one batch
  follow("s.c");
  run("BEGIN");  // inside BEGIN, a failed statement is not rolled back as a whole
  run("DELETE FROM s WHERE id = 1");
  calls = 0;
  run("INSERT INTO f(op) VALUES ('rebuild')");
  most_calls = calls - 1000;
  calls = 0;
  EXPECT_THAT(ask("INSERT INTO f(op) VALUES ('rebuild')"), HasSubstr("no more"));
  EXPECT_NE(sqlite3_get_autocommit(db_.get()), 1);
  most_calls = INT64_MAX;
  EXPECT_NE(ask("SELECT count(*) FROM f_pages WHERE page_no < 64 << 46"), "0") << "it must fail in the middle";
  EXPECT_EQ(denied(), "");
  EXPECT_EQ(ask("INSERT INTO f(op) VALUES ('check')"), "");
  run("INSERT INTO s VALUES (200000)");
  EXPECT_EQ(found("200000"), "1");
  run("COMMIT");
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(ask("SELECT count(*) FROM f_pages WHERE page_no >= 64 << 46"), "0");
  EXPECT_EQ(denied(), "");
}

TEST_F(Follow, RefusesTheStateOfATableWithoutASource) {
  run("CREATE TABLE s(c)");
  run("INSERT INTO s VALUES (1)");
  follow("s.c", ", capacity=1000");
  run("CREATE VIRTUAL TABLE g USING bloom(fpr=1e-9, capacity=1000)");
  const std::string swapped = "row 'source' in table _meta must exist if, and only if, the state has a source";
  const auto with_state_of = [this](const std::string& table, const std::string& other) {
    run("BEGIN");
    run("UPDATE " + table + "_meta SET value = (SELECT value FROM " + other +
        "_meta WHERE name = 'state') WHERE name = 'state'");
  };
  with_state_of("f", "g");
  for (const char* sql : {"INSERT INTO s VALUES (2)", "INSERT INTO f(key) VALUES (2)", "SELECT 1 FROM f WHERE key = 1",
                          "INSERT INTO f(op) VALUES ('clear')", "SELECT bloom_table_info('f')"}) {
    EXPECT_THAT(ask(sql), HasSubstr(swapped)) << sql;
  }
  run("ROLLBACK");
  EXPECT_EQ(found("1") + found("2"), "10");
  with_state_of("g", "f");
  for (const char* sql :
       {"INSERT INTO g(key) VALUES (2)", "SELECT 1 FROM g WHERE key = 1", "SELECT bloom_snapshot('g')"}) {
    EXPECT_THAT(ask(sql), HasSubstr(swapped)) << sql;
  }
  EXPECT_EQ(ask("DROP TABLE g"), "");
  run("ROLLBACK");
}

TEST_F(Follow, DoesNotListItsKeys) {
  run("CREATE TABLE s(c)");
  follow("s.c");
  for (const char* sql : {"DELETE FROM f", "SELECT * FROM f"}) {
    EXPECT_THAT(ask(sql), HasSubstr("got one without: a filter cannot list its keys"));
  }
}

TEST_F(Follow, ReportsItsOwnDamagedRow) {
  run("CREATE TABLE s(c)");
  run("INSERT INTO s VALUES (1), (2)");
  follow("s.c");
  for (const char* damage : {"'x'", "''", "'-1'", "'1x'", "x'31'", "1", "NULL"}) {
    run(std::string("REPLACE INTO f_meta VALUES ('stale', ") + damage + ")");
    for (const char* statement :
         {"SELECT bloom_table_info('f')", "DELETE FROM s", "INSERT INTO f(op) VALUES ('check')"}) {
      EXPECT_THAT(ask(statement), AllOf(HasSubstr("table _meta must have a "), HasSubstr(" as its row 'stale'")))
          << damage << ": " << statement;
    }
  }
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(info("stale"), "0");
}

TEST_F(Follow, ReportsWrongSources) {
  run("CREATE TABLE s(c)");
  run("CREATE VIEW v AS SELECT c FROM s");
  run("CREATE VIRTUAL TABLE b USING bloom(capacity=10)");
  run("CREATE TEMP TABLE elsewhere(c)");
  const auto error = [this](const std::string& source) {
    return ask("CREATE VIRTUAL TABLE e USING bloom(source='" + source + "')");
  };
  const std::string wanted = "error: e: source must be a column of a table in the schema main, got ";
  EXPECT_EQ(error("v.c"), wanted + "the view 'v'");
  EXPECT_EQ(error("b.key"), wanted + "the virtual table 'b'");
  EXPECT_EQ(error("nowhere.c"), wanted + "no table 'nowhere'");
  EXPECT_EQ(error("elsewhere.c"), wanted + "no table 'elsewhere'");
  EXPECT_EQ(error("main.s.c"), wanted + "no table 'main.s' (name it without its schema)");
  run("CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT)");
  EXPECT_EQ(error("sqlite_sequence.seq"), wanted + "SQLite's own table 'sqlite_sequence', which has no triggers");
  EXPECT_EQ(error("s.d"), wanted + "no column 'd' in the table 's'");
  EXPECT_EQ(error("s.rowid"), wanted + "no column 'rowid' in the table 's'");
  for (const char* text : {"s", "", ".", "s.", ".c", "\"s.c", "\"s\"c", R"("s"."c"x)", "\"a\".b.c"}) {
    EXPECT_THAT(error(text), StartsWith("error: e: source must be table.column, got '")) << text;
  }
  EXPECT_EQ(ask("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'e%'"), "0") << "nothing may be left behind";
}

// Tests F3 of table/filter_table.h.
TEST_F(Follow, GetsItsKeysFromTheColumnOnly) {
  run("CREATE TABLE s(c)");
  run("INSERT INTO s VALUES (1)");
  follow("s.c", ", kind=counting");
  const std::string rest =
      " must not be used on a table with a source; change the source's column, and the filter follows";
  EXPECT_EQ(ask("INSERT INTO f(key) VALUES (2)"), "error: f: key" + rest);
  EXPECT_EQ(ask("DELETE FROM f WHERE key = 1"), "error: f: DELETE" + rest);
  EXPECT_EQ(ask("INSERT INTO f(op) VALUES ('clear')"), "error: f: op clear" + rest);
  EXPECT_EQ(ask("INSERT INTO f(op, arg) SELECT 'union', bloom_create(10000, 1e-9, 'counting')"),
            "error: f: op union" + rest);
  EXPECT_EQ(found("1"), "1");
  run("CREATE VIRTUAL TABLE other USING bloom(capacity=10)");
  EXPECT_EQ(ask("INSERT INTO other(op, key) VALUES ('follow', 1)"),
            "error: other: table must have a source for op follow, got no source");
}

TEST_F(Follow, LeavesNothingBehindIfItCannotBeCreated) {
  run("CREATE TABLE s(c)");
  run("INSERT INTO s SELECT i FROM " + integers(1, 1000));
  const auto names = [this] { return ask("SELECT group_concat(name) FROM sqlite_schema"); };
  for (const std::string trigger : {"f_follow_insert", "f_follow_delete"}) {  // the first and the last one's name
    run("CREATE TRIGGER " + trigger + " AFTER INSERT ON s BEGIN SELECT 1; END");
    run("BEGIN");
    EXPECT_THAT(ask("CREATE VIRTUAL TABLE f USING bloom(source='s.c')"),
                HasSubstr("trigger \"" + trigger + "\" already exists"));
    run("INSERT INTO s VALUES (1001)");
    run("COMMIT");
    EXPECT_EQ(names(), "s," + trigger);
    EXPECT_EQ(ask("DELETE FROM s WHERE c = 1001 RETURNING c"), "1001");
    run("CREATE VIRTUAL TABLE f USING bloom(capacity=10)");
    run("DROP TABLE f");
    EXPECT_EQ(names(), "s," + trigger) << "another's trigger must stay";
    run("DROP TRIGGER " + trigger);
  }
}

TEST_F(Follow, WorksInEveryEncoding) {
  for (const char* encoding : {"UTF-16le", "UTF-16be"}) {
    Database db;
    db.run(std::string("PRAGMA encoding = '") + encoding + "'");
    ASSERT_EQ(db.run("CREATE TABLE \"\u00e4\"(\"\u00f6\" TEXT)"), SQLITE_OK);
    ASSERT_EQ(db.run("INSERT INTO \"\u00e4\" VALUES ('\u00fc')"), SQLITE_OK);
    ASSERT_EQ(db.ask("CREATE VIRTUAL TABLE f USING bloom(source='\u00e4.\u00f6', kind=counting)"), "");
    ASSERT_EQ(db.run("INSERT INTO \"\u00e4\" VALUES ('\u00e9'), ('\u00e8')"), SQLITE_OK);
    ASSERT_EQ(db.run("DELETE FROM \"\u00e4\" WHERE \"\u00f6\" = '\u00e9'"), SQLITE_OK);
    EXPECT_EQ(db.ask("SELECT count(*) FROM f WHERE key IN ('\u00fc', '\u00e9', '\u00e8')"), "2");
    EXPECT_EQ(db.ask("SELECT json_extract(bloom_table_info('f'), '$.source')"), "\"\u00e4\".\"\u00f6\"");
    EXPECT_EQ(db.ask("INSERT INTO f(op) VALUES ('rebuild')"), "");
  }
}

TEST_F(Follow, WorksInEverySchema) {
  run("ATTACH ':memory:' AS \"other one\"");
  for (const std::string schema : {"main", "temp", "\"other one\""}) {
    run("CREATE TABLE " + schema + ".s(c)");
    run("INSERT INTO " + schema + ".s VALUES ('before')");
    run("CREATE VIRTUAL TABLE " + schema + ".f USING bloom(source='s.c')");
    run("INSERT INTO " + schema + ".s VALUES ('in ' || '" + schema + "')");
  }
  for (const std::string schema : {"main", "temp", "\"other one\""}) {
    EXPECT_EQ(ask("SELECT group_concat(key) FROM " + schema +
                  ".f WHERE key IN ('before', 'in main', 'in temp', 'in \"other one\"')"),
              "before,in " + schema);
    run("INSERT INTO " + schema + ".f(op) VALUES ('rebuild')");
    run("ALTER TABLE " + schema + ".f RENAME TO g");
    run("INSERT INTO " + schema + ".s VALUES ('after')");
    EXPECT_EQ(ask("SELECT count(*) FROM " + schema + ".g WHERE key IN ('before', 'after')"), "2") << schema;
  }
  EXPECT_EQ(ask("SELECT json_extract(bloom_table_info('g', 'other one'), '$.source', '$.follows')"), R"(["s.c",1])");
  EXPECT_EQ(ask("SELECT json_extract(bloom_table_info('G'), '$.keys')"), "3");
  for (const std::string schema : {"main", "temp", "\"other one\""}) {
    run("DROP TABLE " + schema + ".g");
    EXPECT_EQ(ask("SELECT group_concat(name) FROM " + schema + ".sqlite_schema"), "s");
  }
}

TEST_F(Follow, WorksInDefensiveModeAndUntrustedSchemas) {
  run("CREATE TABLE s(c)");
  sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  follow("s.c");
  run("INSERT INTO s VALUES (1), (2)");
  run("DELETE FROM s WHERE c = 1");
  EXPECT_EQ(info("stale"), "1");
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(found("1") + found("2"), "01");
  run("ALTER TABLE f RENAME TO g");
  run("INSERT INTO s VALUES (3)");
  EXPECT_EQ(ask("SELECT key FROM g WHERE key IN (1, 3)"), "3");
  run("DROP TABLE g");
}

TEST_F(Follow, RefusesShadowTables) {
  run("CREATE VIRTUAL TABLE words USING fts5(word)");
  run("CREATE VIRTUAL TABLE seen USING bloom(capacity=10)");
  for (const int defensive : {0, 1}) {
    sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_DEFENSIVE, defensive, nullptr);
    EXPECT_THAT(ask("CREATE VIRTUAL TABLE f USING bloom(source='words_content.c0')"),
                HasSubstr("got the shadow table 'words_content'"));
    EXPECT_THAT(ask("CREATE VIRTUAL TABLE f USING bloom(source='seen_pages.bits')"),
                HasSubstr("got the shadow table 'seen_pages'"));
  }
  EXPECT_EQ(ask("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'"), "0");
  run("INSERT INTO words VALUES ('word')");
  run("INSERT INTO seen(key) VALUES ('key')");
}

TEST_F(Follow, KeepsLastInsertRowidAndChanges) {
  run("CREATE TABLE s(id INTEGER PRIMARY KEY, c)");
  follow("s.c");
  run("INSERT INTO s VALUES (77, 'a'), (78, 'b')");
  EXPECT_EQ(sqlite3_last_insert_rowid(db_.get()), 78);
  EXPECT_EQ(sqlite3_changes(db_.get()), 2);
  run("DELETE FROM s");
  EXPECT_EQ(sqlite3_changes(db_.get()), 2);
  EXPECT_EQ(sqlite3_last_insert_rowid(db_.get()), 78);
}

TEST_F(Follow, WorksInACopy) {
  const std::string path = new_database("follow_copy.db");
  run("CREATE TABLE s(c)");
  run("INSERT INTO s VALUES (1), (2), (3)");
  follow("s.c", ", kind=counting");
  run("DELETE FROM s WHERE c = 1");
  run("VACUUM INTO '" + path + "'");
  Database copy(path.c_str());
  EXPECT_EQ(copy.run("DELETE FROM s WHERE c = 2"), SQLITE_OK);
  EXPECT_EQ(copy.run("INSERT INTO s VALUES (4)"), SQLITE_OK);
  EXPECT_EQ(copy.ask("SELECT group_concat(key) FROM f WHERE key IN (1, 2, 3, 4)"), "3,4");
  EXPECT_EQ(copy.ask("INSERT INTO f(op) VALUES ('check')"), "");
  EXPECT_EQ(copy.run("VACUUM"), SQLITE_OK);
  EXPECT_EQ(copy.ask("PRAGMA integrity_check"), "ok");
}

}  // namespace
}  // namespace crivo::testing

// Filter tables that follow a column: CREATE VIRTUAL TABLE ... USING bloom(source='table.column'). table/filter_table.h
// defines F1 to F4 and P2.
#include "database.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

class Follow : public SqliteTest {
 protected:
  void follow(const std::string& source, const std::string& others = "") {
    run("CREATE VIRTUAL TABLE f USING bloom(fpr=1e-9, source='" + source + "'" + others + ")");
  }
  std::string info(const std::string& field) { return table_info("f", field); }
  /// The number of values of a column that the filter lacks.
  std::string missing(const std::string& table = "s", const std::string& column = "c") {
    return ask("SELECT count(*) FROM " + table + " WHERE " + column +
               " IS NOT NULL AND NOT EXISTS (SELECT 1 FROM f WHERE key = " + column + ")");
  }
  std::string found(const std::string& key) { return ask("SELECT count(*) FROM f WHERE key = " + key); }
};

TEST_F(Follow, FollowsDeletesWhereItCounts) {
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

TEST_F(Follow, TellsHowStaleItIsWhereItCannotRemove) {
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
  EXPECT_EQ(found("'a'"), "1") << "SQLite does not tell of the row that is replaced";
  run("PRAGMA recursive_triggers = 1");
  run("REPLACE INTO s VALUES (1, 'c')");
  EXPECT_EQ(found("'b'") + found("'c'"), "11");
  run("REPLACE INTO s VALUES (2, 'c')");
  EXPECT_EQ(found("'b'"), "0") << "now it does tell";
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(found("'a'") + found("'c'"), "01");
}

TEST_F(Follow, IsMadeForTwiceTheValuesAndGrowsWhenItIsRebuilt) {
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
  EXPECT_EQ(missing(), "0");
}

/// The SQL function "fragile" fails after `most_calls` calls.
std::int64_t calls = 0;
std::int64_t most_calls = INT64_MAX;
void fragile(sqlite3_context* context, int, sqlite3_value** args) {
  if (++calls > most_calls) return sqlite3_result_error(context, "no more", -1);
  sqlite3_result_value(context, args[0]);
}

// Tests P2 of table/filter_table.h.
TEST_F(Follow, HasItsOldKeysWhenARebuildFailsHalfWay) {
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
  EXPECT_EQ(missing(), "0");
  EXPECT_EQ(ask("INSERT INTO f(op) VALUES ('check')"), "");
  run("INSERT INTO s VALUES (200000)");
  EXPECT_EQ(found("200000"), "1");
  run("COMMIT");
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(ask("SELECT count(*) FROM f_pages WHERE page_no >= 64 << 46"), "0");
  EXPECT_EQ(missing(), "0");
}

TEST_F(Follow, FollowsItsSourceToNewNames) {
  run("CREATE TABLE s(c, d)");
  run("INSERT INTO s(c) VALUES ('old')");
  follow("s.c");
  run(R"(ALTER TABLE s RENAME TO "a new. ""name""")");
  run(R"(ALTER TABLE "a new. ""name""" RENAME COLUMN c TO "new.it's (")");
  run(R"(ALTER TABLE "a new. ""name""" ADD COLUMN e)");
  run(R"(ALTER TABLE "a new. ""name""" DROP COLUMN d)");
  const std::string insert = R"(INSERT INTO "a new. ""name"""("new.it's (") VALUES )";
  run(insert + "('new')");
  EXPECT_EQ(found("'old'") + found("'new'"), "11");
  EXPECT_EQ(info("source"), R"("a new. ""name"""."new.it's (")");
  run(R"(DELETE FROM "a new. ""name""" WHERE 1)");
  run(insert + "('newest')");
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(found("'old'") + found("'new'") + found("'newest'"), "001");
  EXPECT_EQ(ask("INSERT INTO f(op) VALUES ('check')"), "");
}

TEST_F(Follow, TakesItsTriggersAlongWhenItIsRenamedOrDropped) {
  for (const char* legacy : {"0", "1"}) {
    run(std::string("PRAGMA legacy_alter_table = ") + legacy);
    run("CREATE TABLE s(c)");
    follow("s.c", ", kind=counting");
    run(R"(ALTER TABLE f RENAME TO "g's ""name""")");
    run("INSERT INTO s VALUES ('a'), ('b')");
    run("DELETE FROM s WHERE c = 'b'");
    EXPECT_EQ(ask("SELECT group_concat(key) FROM \"g's \"\"name\"\"\" WHERE key IN ('a', 'b')"), "a");
    follow("s.c");  // the old name is free
    run("DROP TABLE f");
    run(R"(DROP TABLE "g's ""name""")");
    run("INSERT INTO s VALUES ('c')");
    EXPECT_EQ(ask("SELECT group_concat(name) FROM sqlite_schema"), "s");
    run("DROP TABLE s");
  }
}

TEST_F(Follow, LeavesTriggersOfOthersAlone) {
  run("CREATE TABLE s(c)");
  run("CREATE TRIGGER f_follow_insert AFTER INSERT ON s BEGIN SELECT 1; END");
  EXPECT_THAT(ask("CREATE VIRTUAL TABLE f USING bloom(source='s.c')"),
              HasSubstr("trigger \"f_follow_insert\" already exists"));
  EXPECT_EQ(ask("SELECT group_concat(name) FROM sqlite_schema"), "s,f_follow_insert") << "nothing may be left behind";
  run("CREATE VIRTUAL TABLE f USING bloom(capacity=10)");
  run("DROP TABLE f");
  EXPECT_EQ(ask("SELECT group_concat(name) FROM sqlite_schema"), "s,f_follow_insert");
}

TEST_F(Follow, NamesASourceThatIsGone) {
  run("CREATE TABLE s(c, d)");
  run("INSERT INTO s VALUES (1, 1)");
  follow("s.c");
  EXPECT_THAT(ask("ALTER TABLE s DROP COLUMN c"), HasSubstr("error in trigger f_follow_insert after drop column"));
  run("DROP TABLE s");
  EXPECT_EQ(info("follows"), "0");
  EXPECT_EQ(ask("INSERT INTO f(op) VALUES ('rebuild')"),
            "error: f: source must be a column of a table in the schema main, got no table 's'");
  EXPECT_EQ(found("1"), "1");
  EXPECT_THAT(found("2"), HasSubstr("source s.c must have the triggers of this table, got a change without them"));
  run("CREATE TABLE s(d)");
  EXPECT_EQ(ask("INSERT INTO f(op) VALUES ('rebuild')"),
            "error: f: source must be a column of a table in the schema main, got no column 'c' in the table 's'");
  run("ALTER TABLE s ADD COLUMN c");
  run("INSERT INTO s(c) VALUES (2)");
  EXPECT_THAT(found("2"), HasSubstr("source s.c must have the triggers of this table"));
  EXPECT_THAT(ask("INSERT INTO f(op) VALUES ('check')"),
              HasSubstr("value of s.c must be in the filter, got an absent one"));
  run("INSERT INTO f(op) VALUES ('rebuild')");  // creates the triggers on the new table
  run("INSERT INTO s(c) VALUES (3)");
  EXPECT_EQ(found("1") + found("2") + found("3"), "011");
  EXPECT_EQ(info("follows"), "1");
  run("DROP TRIGGER f_follow_delete");
  EXPECT_EQ(info("follows"), "0");
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(info("follows"), "1");
}

// Programs create a new table for changes that ALTER TABLE does not support. Both orders drop the triggers.
TEST_F(Follow, NeverSaysNoForASourceThatWasMadeAnew) {
  const char* const orders[][4] = {
      {"CREATE TABLE fresh(c, d)", "INSERT INTO fresh(c) SELECT c FROM s", "DROP TABLE s",
       "ALTER TABLE fresh RENAME TO s"},
      {"ALTER TABLE s RENAME TO old", "CREATE TABLE s(c, d)", "INSERT INTO s(c) SELECT c FROM old", "DROP TABLE old"}};
  for (const auto& order : orders) {
    run("CREATE TABLE s(c)");
    run("INSERT INTO s VALUES ('old')");
    follow("s.c");
    EXPECT_EQ(found("'new'"), "0");  // later answers must not depend on this one
    run("SAVEPOINT before");
    for (const char* statement : order) run(statement);
    run("INSERT INTO s(c) VALUES ('new')");
    for (int twice = 0; twice < 2; ++twice) {
      EXPECT_EQ(found("'new'"),
                "error: f: source s.c must have the triggers of this table, got a change without them; insert "
                "'rebuild' as op once the source exists");
      EXPECT_EQ(found("'old'"), "1");
      EXPECT_THAT(ask("SELECT bloom_snapshot('f')"), HasSubstr("source s.c must have the triggers of this table"));
    }
    run("SAVEPOINT rebuilt");
    run("INSERT INTO f(op) VALUES ('rebuild')");
    EXPECT_EQ(found("'new'") + found("'other'"), "10");
    run("ROLLBACK TO rebuilt");
    EXPECT_THAT(found("'new'"), HasSubstr("source s.c must have the triggers of this table"));
    run("ROLLBACK TO before");
    EXPECT_EQ(found("'new'"), "0");
    run("RELEASE before");
    run("DROP TABLE f");
    run("DROP TABLE s");
  }
}

TEST_F(Follow, ReadsOddNames) {
  run(R"(CREATE TABLE "a b"("x'y", "p.q", "say ""hi""", [a] TEXT))");
  run("CREATE TABLE \"t.u\"(c)");
  run("INSERT INTO \"a b\" VALUES (1, 2, 3, 4)");
  run("INSERT INTO \"t.u\" VALUES (5)");
  const std::pair<const char*, const char*> sources[] = {
      {"a b.x''y", "1"},    {"A B.X''Y", "1"},       {R"("a b"."x''y")", "1"},     {"[a b].[p.q]", "2"},
      {"`a b`.`p.q`", "2"}, {"a b.say \"hi\"", "3"}, {R"(a b."say ""hi""")", "3"}, {"t.u.c", "5"},
      {"\"t.u\".c", "5"}};
  for (const auto& [source, key] : sources) {
    follow(source);
    EXPECT_EQ(found(key), "1") << source;
    EXPECT_EQ(info("keys"), "1") << source;
    run("INSERT INTO f(op) VALUES ('rebuild')");
    EXPECT_EQ(found(key), "1") << source;
    run("DROP TABLE f");
  }
}

// A filter of a generated column needs a rebuild if its table's definition changes, except for the table's name.
TEST_F(Follow, SaysNoAfterATableWithAnOddNameIsRenamed) {
  const std::pair<const char*, const char*> names[] = {{"plain", "plain.g"}, {"'a b'", "a b.g"},
                                                       {"\"a b\"", "a b.g"}, {"[a b]", "a b.g"},
                                                       {"`a b`", "a b.g"},   {"'a'' b'", "a'' b.g"}};
  for (const auto& [name, source] : names) {
    run("CREATE TABLE " + std::string(name) + "(c, g AS (c || 'x'))");
    follow(source);
    run("ALTER TABLE " + std::string(name) + " RENAME TO t");
    EXPECT_EQ(found("'nobody'"), "0") << name;
    run("DROP TABLE f");
    run("DROP TABLE t");
  }
}

// If the table has ON CONFLICT REPLACE, an old value is counted as stale. Similar text must not have this effect.
TEST_F(Follow, RecognizesOnlyRealConflictClauses) {
  const std::pair<const char*, const char*> definitions[] = {
      {"c, replaced_at, on_conflict_replace DEFAULT 'ON CONFLICT REPLACE', 'conflict' /* */, replace", "0"},
      {"c, d DEFAULT (replace('a', 'b', 'c')), -- ON CONFLICT REPLACE\n [on conflict replace]", "0"},
      {"c, d UNIQUE ON CONFLICT REPLACE", "1"},
      {"c, d UNIQUE oN/**/cOnflict--\n\t \vrePlace", "1"},
      {"c, d UNIQUE ON CONFLICT \xEF\xBB\xBFREPLACE", "1"}};
  for (const auto& [definition, stale] : definitions) {
    run(std::string("CREATE TABLE s(") + definition + ")");
    follow("s.c", ", kind=counting");
    run("INSERT INTO s(c) VALUES ('a')");
    run("UPDATE s SET c = 'b'");
    EXPECT_EQ(info("stale") + found("'a'"), std::string(stale) + stale) << definition;
    run("DROP TABLE f");
    run("DROP TABLE s");
  }
}

TEST_F(Follow, TakesNoOtherWordForAWrite) {
  const std::pair<const char*, const char*> triggers[] = {
      {"BEFORE UPDATE OF c, updated_at ON s WHEN new.c <> 'insert into' BEGIN SELECT new.updated_at, \"delete\" FROM "
       "s; "
       "SELECT replace('x', 'y', 'z') -- update\n; END",
       "0"},
      {"AFTER UPDATE ON s BEGIN UPDATE s SET updated_at = 1; END", "0"},
      {"BEFORE UPDATE ON s BEGIN INSERT INTO log VALUES (1); END", "1"},
      {"UPDATE ON s BEGIN REPLACE/**/INTO log VALUES (1); END", "1"},
      {"BEFORE UPDATE ON s BEGIN SELECT 1; DELETE FROM log; END", "1"},
      {"BEFORE UPDATE ON s BEGIN SELECT 'it''s';\xEF\xBB\xBFUPDATE log SET l = 1; END", "1"}};
  for (const char* name : {"u ", "\"a after \"", "main.u ", R"("main"."u" )", "'before'--\n"}) {
    for (const auto& [trigger, stale] : triggers) {
      run("CREATE TABLE s(id INTEGER PRIMARY KEY, c, updated_at, \"delete\")");
      run("CREATE TABLE log(l)");
      run(std::string("CREATE TRIGGER ") + name + trigger);
      follow("s.c", ", kind=counting");
      run("INSERT INTO s(c) VALUES ('a')");
      run("UPDATE s SET c = 'b' WHERE id = 1");
      EXPECT_EQ(info("stale"), stale) << name << trigger;
      for (const char* table : {"f", "s", "log"}) run(std::string("DROP TABLE ") + table);
    }
  }
}

TEST_F(Follow, SeesAWriteOfAnyTrigger) {
  const std::string writes = "BEFORE UPDATE ON s BEGIN INSERT INTO log VALUES (1); END";
  const std::string reads = "AFTER UPDATE ON s BEGIN SELECT 1; END";
  for (const auto& [first, second] : {std::pair(writes, reads), std::pair(reads, writes)}) {
    run("CREATE TABLE s(c)");
    run("CREATE TABLE log(l)");
    run("CREATE TRIGGER u " + first);
    run("CREATE TRIGGER v " + second);
    follow("s.c", ", kind=counting");
    run("INSERT INTO s(c) VALUES ('a')");
    run("UPDATE s SET c = 'b'");
    EXPECT_EQ(info("stale"), "1") << first;
    for (const char* table : {"f", "s", "log"}) run(std::string("DROP TABLE ") + table);
  }
}

TEST_F(Follow, KeepsThePresentNameOfItsSourceWhenTheFirstChangeIsRolledBack) {
  const std::string name = "SELECT value FROM f_meta WHERE name = 'source'";
  run("CREATE TABLE s(c)");
  follow("s.c");
  run("ALTER TABLE s RENAME TO t");
  for (const char* sql : {"BEGIN", "INSERT INTO t VALUES ('a')", "INSERT INTO t VALUES ('b')"}) run(sql);
  EXPECT_EQ(ask(name), "t.c");
  run("ROLLBACK");
  EXPECT_EQ(ask(name), "s.c");
  run("INSERT INTO t VALUES ('c')");
  EXPECT_EQ(ask(name), "t.c");
  for (const char* sql : {"INSERT INTO t VALUES ('d')", "INSERT INTO t VALUES ('e')"}) run(sql);
  run("DROP TABLE t");
  EXPECT_EQ(info("source"), "t.c");
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

TEST_F(Follow, CallsARowOfItsOwnThatIsDamagedAnError) {
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

TEST_F(Follow, NamesWhatIsWrongWithItsSource) {
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
TEST_F(Follow, TakesItsKeysFromTheColumnOnly) {
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

TEST_F(Follow, LeavesNothingBehindWhenItCannotBeMadeInATransaction) {
  run("CREATE TABLE s(c)");
  run("INSERT INTO s SELECT i FROM " + integers(1, 1000));
  run("CREATE TRIGGER f_follow_delete AFTER DELETE ON s BEGIN SELECT 1; END");  // the last trigger's name
  run("BEGIN");
  EXPECT_THAT(ask("CREATE VIRTUAL TABLE f USING bloom(source='s.c')"), HasSubstr("already exists"));
  run("INSERT INTO s VALUES (1001)");
  run("COMMIT");
  EXPECT_EQ(ask("SELECT group_concat(name) FROM sqlite_schema"), "s,f_follow_delete");
  EXPECT_EQ(ask("SELECT count(*) FROM s"), "1001");
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

TEST_F(Follow, LivesInEverySchema) {
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

TEST_F(Follow, LeavesTheTablesInWhichVirtualTablesLiveAlone) {
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

TEST_F(Follow, LeavesWhatTheConnectionTellsOfTheSourceAlone) {
  run("CREATE TABLE s(id INTEGER PRIMARY KEY, c)");
  follow("s.c");
  run("INSERT INTO s VALUES (77, 'a'), (78, 'b')");
  EXPECT_EQ(sqlite3_last_insert_rowid(db_.get()), 78);
  EXPECT_EQ(sqlite3_changes(db_.get()), 2);
  run("DELETE FROM s");
  EXPECT_EQ(sqlite3_changes(db_.get()), 2);
  EXPECT_EQ(sqlite3_last_insert_rowid(db_.get()), 78);
}

TEST_F(Follow, IsTheSamePairInACopy) {
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

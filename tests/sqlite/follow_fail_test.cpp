// A filter that follows a column has the column's values, even if a statement ends in the middle of a row, or a query
// runs at that time. (F1 and F3 of table/filter_table.h.)
#include "follow_support.h"

namespace crivo::testing {
namespace {

class FollowFail : public FollowTest {
 protected:
  FollowFail() { add_run(db_); }
  void follow(const std::string& kind = "counting", const std::string& column = "e") {
    FollowTest::follow("s." + column, ", kind=" + kind);
  }
  std::string denied(const std::string& column = "e") { return FollowTest::denied(column); }
  std::string values() { return ask("SELECT group_concat(e) FROM s"); }
};

TEST_F(FollowFail, CountsARowInWhoseCheckAFunctionRunsStatements) {
  add_eval(db_);
  const std::string check = "INSERT INTO f(op) VALUES ('check');";
  // SQLite undoes both rows.
  const std::string undone = "INSERT INTO s VALUES (10, 'Ann', NULL), (1, 'bob', NULL);";
  const std::string insert = "INSERT INTO s VALUES (10, 'bob', NULL);";
  const std::string create = "CREATE TRIGGER t AFTER INSERT ON s BEGIN SELECT 1; END;";
  const std::string skip = "INSERT OR IGNORE INTO s VALUES (1, 'Ann', NULL);";
  for (const char* kind : {"counting", "growing"}) {
    for (const std::string& job : {insert + create, create + insert, insert, skip, undone, check}) {
      SCOPED_TRACE(kind + job);
      run("DROP TABLE IF EXISTS f");
      run("DROP TABLE IF EXISTS s");
      run("CREATE TABLE s(id INTEGER PRIMARY KEY, e, job, CHECK(job IS NULL OR eval(job) IS NOT NULL))");
      follow(kind);
      run("INSERT INTO s VALUES (1, 'Ann', NULL)");
      run("INSERT INTO s VALUES (2, 'Ann', ?)", {job});
      run("DELETE FROM s WHERE id = 2");
      EXPECT_EQ(denied(), "");
    }
  }
}

TEST_F(FollowFail, KnowsItsOwnTriggersByMoreThanAWord) {
  run("CREATE TABLE s(id INTEGER PRIMARY KEY, e)");
  run("CREATE TABLE log(x)");
  follow();
  run("CREATE TRIGGER u AFTER INSERT ON s WHEN new.id = 2 BEGIN INSERT INTO log VALUES('follow up');"
      " SELECT RAISE(FAIL, 'no'); END");
  run("INSERT INTO s VALUES (1, 'a')");
  EXPECT_EQ(ask("INSERT INTO s VALUES (2, 'a')"), "error: no");
  run("DELETE FROM s WHERE id = 1");
  EXPECT_EQ(denied(), "");
}

TEST_F(FollowFail, DistrustsATriggerOfAnotherFilterThatMayEndTheStatement) {
  for (const std::string end : {"RAISE(FAIL, 'no')", "RAISE(IGNORE)"}) {
    run("CREATE TABLE s(id INTEGER PRIMARY KEY, e)");
    follow();
    run("CREATE VIRTUAL TABLE g USING bloom(source='s.e', kind=counting)");
    run("CREATE TRIGGER u AFTER INSERT ON s BEGIN INSERT INTO \"g\"(op, key) VALUES ('follow inserted', new.\"e\"); "
        "SELECT " +
        end + " WHERE new.id = 2; END");
    run("INSERT INTO s VALUES (1, 'a')");
    (void)ask("INSERT INTO s VALUES (2, 'a')");
    run("DELETE FROM s WHERE id = 1");
    EXPECT_EQ(values(), "a");
    EXPECT_EQ(denied(), "") << end;
    for (const char* table : {"f", "g", "s"}) run(std::string("DROP TABLE ") + table);
  }
}

TEST_F(FollowFail, CountsTheKeyOfARowWhoseCheckChangesAnotherRow) {
  run("CREATE TABLE s(id INTEGER PRIMARY KEY, e, n, CHECK (n IS NULL OR run(n) IS NULL))");
  follow();
  run("INSERT INTO s VALUES (1, 'X', NULL), (7, 'o', NULL)");
  run("INSERT INTO s VALUES (2, 'X', 'UPDATE s SET e = ''X'' WHERE id = 7')");
  run("DELETE FROM s WHERE id IN (1, 7)");
  EXPECT_EQ(values(), "X");
  EXPECT_EQ(denied(), "");
}

TEST_F(FollowFail, KnowsThePartsOfAGeneratedColumnByAnyName) {
  for (const char* part : {"\" \"", "\"\t\"", "[ ]"}) {
    run(std::string("CREATE TABLE s(id INTEGER PRIMARY KEY, a, ") + part + ", e AS (a || " + part + "))");
    follow("blocked");
    run(std::string("INSERT INTO s(a, ") + part + ") VALUES ('x', 'y')");
    run("UPDATE s SET a = 'k'");
    EXPECT_EQ(values(), "ky");
    EXPECT_EQ(denied(), "") << part;
    run("DROP TABLE f");
    run("DROP TABLE s");
  }
}

TEST_F(FollowFail, ReadsADefinitionThatEndsInAComment) {
  for (const char* options : {"STRICT -- c", "WITHOUT ROWID -- c", "WITHOUT ROWID /* c"}) {
    run(std::string("CREATE TABLE s(id INTEGER PRIMARY KEY, e TEXT) ") + options);
    run("INSERT INTO s VALUES (1, 'a')");
    follow();
    EXPECT_EQ(denied(), "") << options;
    run("DROP TABLE f");
    run("DROP TABLE s");
  }
}

// A trigger that was created later fires earlier. If it fails, SQLite keeps the row.
TEST_F(FollowFail, HasTheRowsThatAFailureKeeps) {
  struct Case {
    const char* trigger;
    const char* statement;
    const char* kept;
  };
  const Case cases[] = {
      {"AFTER INSERT ON s BEGIN SELECT RAISE(FAIL, 'no'); END", "INSERT INTO s(e) VALUES ('c'), ('d')", "a,b,c"},
      {"AFTER INSERT ON s WHEN new.e = 'd' BEGIN SELECT RAISE(FAIL, 'no'); END",
       "INSERT INTO s(e) VALUES ('c'), ('d'), ('e')", "a,b,c,d"},
      {"AFTER UPDATE ON s BEGIN SELECT RAISE(FAIL, 'no'); END", "UPDATE s SET e = e || '1'", "a1,b"},
      {"AFTER UPDATE ON s BEGIN SELECT RAISE(FAIL, 'no'); END",
       "INSERT INTO s(id, e) VALUES (2, 'c') ON CONFLICT DO UPDATE SET e = 'd'", "a,d"},
      {"AFTER DELETE ON s BEGIN SELECT RAISE(FAIL, 'no'); END", "DELETE FROM s WHERE id = 1", "b"},
      {"AFTER DELETE ON s BEGIN SELECT RAISE(FAIL, 'no'); END", "REPLACE INTO s VALUES (1, 'c')", "b"},
      {"AFTER INSERT ON s BEGIN SELECT RAISE(FAIL, 'no'); END", "REPLACE INTO s VALUES (1, 'c')", "c,b"},
      {"AFTER INSERT ON s BEGIN SELECT RAISE(IGNORE); END", "INSERT INTO s(e) VALUES ('c')", "a,b,c"},
      {"AFTER INSERT ON s BEGIN INSERT INTO once VALUES (1); END", "INSERT INTO s(e) VALUES ('c')", "a,b,c"},
      {"AFTER INSERT ON s BEGIN INSERT OR FAIL INTO twice VALUES (1); END", "INSERT INTO s(e) VALUES ('c')", "a,b,c"},
      {"AFTER INSERT ON s BEGIN INSERT INTO twice VALUES (1); END", "INSERT OR FAIL INTO s(e) VALUES ('c')", "a,b,c"},
      {"AFTER UPDATE ON child BEGIN SELECT RAISE(FAIL, 'no'); END", "UPDATE s SET id = 7, e = 'c' WHERE id = 1", "b,c"},
  };
  run("PRAGMA recursive_triggers = 1");
  run("PRAGMA foreign_keys = 1");
  run("CREATE TABLE once(x UNIQUE ON CONFLICT FAIL)");
  run("CREATE TABLE twice(x UNIQUE)");
  run("INSERT INTO once VALUES (1)");
  run("INSERT INTO twice VALUES (1)");
  for (const char* kind : kTableKinds) {
    for (const char* lifetime : {"", "TEMP "}) {
      for (const Case& c : cases) {
        SCOPED_TRACE(std::string(kind) + ": " + lifetime + c.trigger + ": " + c.statement);
        run("CREATE TABLE s(id INTEGER PRIMARY KEY, e UNIQUE)");
        run("CREATE TABLE child(s REFERENCES s ON UPDATE CASCADE ON DELETE CASCADE)");
        run("INSERT INTO s(e) VALUES ('a'), ('b')");
        run("INSERT INTO child VALUES (1)");
        follow(kind);
        run(std::string("CREATE ") + lifetime + "TRIGGER u " + c.trigger);
        if (std::string_view(c.trigger).find("IGNORE") == std::string_view::npos) {
          EXPECT_THAT(ask(c.statement), StartsWith("error: "));
        } else {
          run(c.statement);
        }
        EXPECT_EQ(values(), c.kept);
        EXPECT_EQ(denied(), "");
        EXPECT_EQ(info("follows"), "1");
        run("DROP TABLE child");
        run("DROP TABLE s");
        run("DROP TABLE f");
      }
    }
  }
}

TEST_F(FollowFail, AnswersInTheMiddleOfAStatement) {
  const std::string question = "EXISTS (SELECT 1 FROM f WHERE key = ";
  for (const char* kind : {"counting", "growing", "blocked"}) {
    run("PRAGMA foreign_keys = 1");
    run("PRAGMA recursive_triggers = 1");
    run("CREATE TABLE words(w PRIMARY KEY)");
    run("CREATE TABLE log(answer)");
    run("CREATE TABLE s(id INTEGER PRIMARY KEY, e REFERENCES words ON UPDATE CASCADE)");
    run("INSERT INTO words VALUES ('a'), ('b')");
    run("INSERT INTO s(e) VALUES ('a')");
    follow(kind);
    EXPECT_EQ(ask("INSERT INTO s(e) VALUES ('b') RETURNING " + question + "e)"), "1");
    EXPECT_EQ(ask("UPDATE s SET e = 'b' WHERE e = 'a' RETURNING " + question + "'b')"), "1");
    EXPECT_EQ(ask("REPLACE INTO s VALUES (1, 'b') RETURNING " + question + "e)"), "1");
    run("DELETE FROM s WHERE id = 2");
    EXPECT_EQ(ask("REPLACE INTO s VALUES (1, 'b') RETURNING " + question + "e)"), "1") << "the only row that had it";
    run("CREATE TRIGGER i AFTER INSERT ON s BEGIN INSERT INTO log SELECT " + question + "new.e); END");
    run("CREATE TRIGGER u AFTER UPDATE ON s BEGIN INSERT INTO log SELECT " + question + "new.e); END");
    run("UPDATE words SET w = 'c' WHERE w = 'b'");
    run("INSERT INTO s(e) VALUES ('a')");
    EXPECT_EQ(ask("SELECT group_concat(answer) FROM log"), "1,1") << kind;
    for (const char* table : {"f", "s", "words", "log"}) run(std::string("DROP TABLE ") + table);
  }
}

// SQLite reports the same old value for a nested change of a row and for the outer change. It must be removed once.
TEST_F(FollowFail, RemovesNoKeyTwice) {
  struct Case {
    const char* trigger;
    const char* statement;
  };
  const Case cases[] = {
      {"BEFORE UPDATE OF id ON s BEGIN UPDATE s SET e = 'b' WHERE rowid = old.rowid; END",
       "UPDATE s SET id = 11, e = 'c' WHERE id = 1"},
      {"UPDATE OF id ON s BEGIN UPDATE s SET e = 'b' WHERE rowid = old.rowid; END",
       "UPDATE s SET id = 11 WHERE id = 1"},
      {"/* AFTER */ BEFORE DELETE ON s BEGIN UPDATE s SET e = 'b' WHERE rowid = old.rowid; END",
       "DELETE FROM s WHERE id = 1"},
      {"BEFORE DELETE ON s BEGIN INSERT INTO v VALUES (1); END", "DELETE FROM s WHERE id = 1"},
      {"AFTER DELETE ON s BEGIN SELECT 1; END",
       "UPDATE s SET e = run('UPDATE s SET e = ''b'' WHERE id = 1') WHERE id = 1"},
      {"BEFORE UPDATE OF id ON s BEGIN SELECT run('UPDATE s SET e = ''b'' WHERE id = 1'); END",
       "UPDATE s SET id = 11, e = 'c' WHERE id = 1"},
      // REPLACE deletes a row. The delete trigger then changes the value of the row that replaces it.
      {"AFTER DELETE ON s BEGIN UPDATE s SET e = 'b' WHERE id = 1; END", "UPDATE OR REPLACE s SET id = 2 WHERE id = 1"},
  };
  run("PRAGMA recursive_triggers = 1");
  for (const bool is_older : {false, true}) {
    for (const char* lifetime : {"", "TEMP "}) {
      for (const Case& c : cases) {
        SCOPED_TRACE(std::string(lifetime) + c.trigger + ": " + c.statement);
        run("CREATE TABLE s(id INTEGER PRIMARY KEY, e)");
        run("CREATE VIEW v AS SELECT id FROM s");
        run("CREATE TRIGGER i INSTEAD OF INSERT ON v BEGIN UPDATE s SET e = 'b' WHERE id = new.id; END");
        run("INSERT INTO s(e) VALUES ('a'), ('a')");
        run("INSERT INTO s(id, e) VALUES (9, 'a')");
        if (is_older) run(std::string("CREATE ") + lifetime + "TRIGGER u " + c.trigger);
        follow();
        if (!is_older) run(std::string("CREATE ") + lifetime + "TRIGGER u " + c.trigger);
        run(c.statement);
        EXPECT_EQ(denied(), "");
        run("DROP TRIGGER u");
        run("DELETE FROM s WHERE id < 9");
        EXPECT_EQ(denied(), "");
        for (const char* drop : {"VIEW v", "TABLE s", "TABLE f"}) run(std::string("DROP ") + drop);
      }
    }
  }
}

// REPLACE deletes a row, and its cascade changes the row that is being written. SQLite then writes the earlier values.
TEST_F(FollowFail, CountsARowThatACascadeChangesWhileItIsWritten) {
  run("PRAGMA foreign_keys = 1");
  for (const char* conflict : {"", " ON CONFLICT REPLACE"}) {
    run(std::string("CREATE TABLE s(id INTEGER PRIMARY KEY") + conflict + ", e REFERENCES s ON DELETE SET NULL)");
    run("INSERT INTO s VALUES (2, NULL), (1, 2)");
    follow();
    run(std::string("UPDATE ") + (*conflict == '\0' ? "OR REPLACE " : "") + "s SET id = 2 WHERE id = 1");
    EXPECT_EQ(denied(), "");
    run("DROP TABLE f");
    run("DROP TABLE s");
  }
}

TEST_F(FollowFail, CountsNoRowThatIsPassedOver) {
  run("CREATE TABLE s(id INTEGER PRIMARY KEY, e UNIQUE)");
  follow();
  for (int i = 0; i < 20; ++i) {
    run("INSERT INTO s(e) VALUES ('a') ON CONFLICT(e) DO UPDATE SET e = excluded.e");
    run("INSERT OR IGNORE INTO s(e) VALUES ('a'), ('b')");
    run("INSERT INTO s(e) VALUES ('b') ON CONFLICT DO NOTHING");
    ask("INSERT OR FAIL INTO s(e) VALUES ('a')");
  }
  EXPECT_EQ(info("keys"), "2");
  run("DELETE FROM s");
  EXPECT_EQ(info("keys") + info("stale"), "00");
  // If a trigger can end the statement, the BEFORE trigger counts every key, even that of a skipped row.
  run("CREATE TRIGGER u AFTER INSERT ON s WHEN new.id > 1 BEGIN SELECT RAISE(FAIL, 'no'); END");
  run("INSERT INTO s(e) VALUES ('a')");
  run("INSERT OR IGNORE INTO s(e) VALUES ('a')");
  EXPECT_EQ(info("keys"), "2");
  run("DROP TRIGGER u");
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(info("keys"), "1");
}

TEST_F(FollowFail, CountsEachRowOfAKindThatRemovesNone) {
  run("CREATE TABLE s(e)");
  follow("spectral");
  run("INSERT INTO s VALUES ('a'), ('a'), ('a')");
  EXPECT_EQ(ask("SELECT count FROM f WHERE key = 'a'"), "3");
}

TEST_F(FollowFail, IsToldOfEachPartOfAGeneratedColumn) {
  for (const char* kind : {"counting", "growing", "blocked"}) {
    for (const char* storage : {"", " STORED"}) {
      run(std::string("CREATE TABLE s(id INTEGER PRIMARY KEY, a, [b c], d, e AS (a || \"b c\")") + storage +
          ", g AS (upper(e))" + storage + ")");
      run("INSERT INTO s(a, \"b c\") VALUES ('a', 'b')");
      follow(kind, "g");
      run("CREATE TRIGGER u AFTER UPDATE ON s BEGIN SELECT RAISE(FAIL, 'no'); END");
      for (const char* change : {"a = 'c'", "\"b c\" = 'd'", "d = 1", "a = 'e', \"b c\" = 'f'"}) {
        EXPECT_EQ(ask(std::string("UPDATE s SET ") + change), "error: no");
        EXPECT_EQ(denied("g"), "") << change;
      }
      EXPECT_EQ(ask("SELECT g FROM s"), "EF");
      run("DROP TRIGGER u");
      // A BEFORE trigger changes another column of the same row.
      run("CREATE TRIGGER u BEFORE UPDATE OF a ON s BEGIN UPDATE s SET \"b c\" = 'x'; END");
      run("UPDATE s SET a = 'h'");
      EXPECT_EQ(ask("SELECT g FROM s") + denied("g"), "HX");
      run("ALTER TABLE s DROP COLUMN d");
      run("DROP TABLE f");
      run("DROP TABLE s");
    }
  }
}

TEST_F(FollowFail, TakesNoColumnOfWhichNoTriggerIsTold) {
  run("CREATE TABLE s(id INTEGER PRIMARY KEY, a, b AS (a || 'id'), c AS (a || [ID]), d AS (c) STORED)");
  run("CREATE TABLE plain(id INTEGER PRIMARY KEY, a CHECK (CAST(id AS TEXT) > 0), b AS (a /* id */ || 'id'))");
  run("CREATE TABLE keyed(id INTEGER PRIMARY KEY, a) WITHOUT ROWID");
  run("CREATE TABLE down(id INTEGER PRIMARY KEY DESC, a)");
  for (const char* source : {"s.id", "s.b", "s.c", "s.d"}) {
    EXPECT_THAT(ask(std::string("CREATE VIRTUAL TABLE f USING bloom(source='") + source + "')"),
                HasSubstr("the INTEGER PRIMARY KEY or derived from it"))
        << source;
  }
  for (const char* source : {"s.a", "plain.b", "keyed.id", "down.id"}) {
    run(std::string("CREATE VIRTUAL TABLE f USING bloom(source='") + source + "')");
    run("DROP TABLE f");
  }
}

TEST_F(FollowFail, RefusesANullForWhichADefaultIsTaken) {
  const std::string error =
      "error: f: column of the source must not be NULL in REPLACE: triggers do not see the default that replaces it";
  for (const char* column : {"e", "g"}) {
    run("CREATE TABLE s(id INTEGER PRIMARY KEY, e NOT NULL DEFAULT 'x', d NOT NULL DEFAULT 1, g AS (e || '!'))");
    follow("counting", column);
    run("INSERT INTO s(d) VALUES (1)");
    run("INSERT INTO s(e) VALUES ('a')");
    EXPECT_EQ(ask("INSERT OR REPLACE INTO s(e) VALUES (NULL)"), error);
    EXPECT_EQ(ask("UPDATE OR REPLACE s SET e = NULL"), error);
    EXPECT_EQ(ask("INSERT INTO s(e) VALUES (NULL)"), "error: NOT NULL constraint failed: s.e");
    run("INSERT OR IGNORE INTO s(e) VALUES (NULL)");
    run("INSERT OR REPLACE INTO s(e, d) VALUES ('b', NULL)");
    EXPECT_EQ(ask("SELECT group_concat(e || d) FROM s") + denied(column), "x1,a1,b1");
    run("DROP TABLE f");
    run("DROP TABLE s");
  }
  run("CREATE TABLE s(e DEFAULT 'x' NOT NULL ON CONFLICT REPLACE)");
  follow();
  EXPECT_EQ(ask("INSERT INTO s VALUES (NULL)"), error);
}

// Filters of an older version, whose triggers all fired after the change.
TEST_F(FollowFail, DoesNotFollowWithTheTriggersThatOlderFiltersHave) {
  run("CREATE TABLE s(id INTEGER PRIMARY KEY, e)");
  follow();
  drop_triggers(db_);
  run("DROP TABLE f_seal");
  for (const char* event : {"insert", "update", "delete"}) {
    run(std::string("CREATE TRIGGER f_follow_") + event + " AFTER " + event + " ON s BEGIN INSERT INTO f(op, " +
        (*event == 'i'   ? R"(key) VALUES ('follow', new."e"); END)"
         : *event == 'u' ? R"(key, arg) VALUES ('follow', new."e", old."e"); END)"
                         : R"(arg) VALUES ('follow', old."e"); END)"));
  }
  run("CREATE VIRTUAL TABLE f_seal USING bloom_seal(3244421341483603138)");  // XXH3-64 of no bytes, with the seed 0
  run("INSERT INTO s(e) VALUES ('a'), ('b')");
  run("UPDATE s SET e = 'c' WHERE e = 'b'");
  run("DELETE FROM s WHERE e = 'a'");
  EXPECT_EQ(info("follows"), "0");
  EXPECT_THAT(ask("SELECT count(*) FROM f WHERE key = 'nobody'"), HasSubstr("insert 'rebuild' as op"));
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(info("follows") + info("keys"), "11");
  EXPECT_EQ(ask("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'"), "5");
}

TEST_F(FollowFail, IsNotWrittenPastByBloomInsert) {
  run("CREATE TABLE s(id INTEGER PRIMARY KEY, e, other)");
  run("INSERT INTO s VALUES (1, bloom_raw(bloom_create(1000)), bloom_raw(bloom_create(1000)))");
  EXPECT_EQ(ask("SELECT bloom_insert('s', 'e', 1, 'before')"), "1");
  follow();
  EXPECT_EQ(ask("SELECT bloom_insert('s', 'E', 1, 'after')"),
            "error: bloom_insert: column must have no trigger on UPDATE, got main.s.E with f_follow_update");
  EXPECT_EQ(ask("SELECT bloom_insert('s', 'other', 1, 'after')"), "1");
  EXPECT_EQ(denied(), "");
  run(R"(ALTER TABLE s RENAME COLUMN e TO "a ""name""")");
  EXPECT_THAT(ask("SELECT bloom_insert('s', 'a \"NAME\"', 1, 'after')"), HasSubstr("must have no trigger on UPDATE"));
  run("DROP TABLE f");
  EXPECT_EQ(ask("SELECT bloom_insert('s', 'a \"NAME\"', 1, 'after')"), "1");
}

}  // namespace
}  // namespace crivo::testing

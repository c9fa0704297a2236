// A filter that follows a column reads the schema: names, triggers and conflict clauses, also after they change.
#include "follow_support.h"

namespace crivo::testing {
namespace {

class FollowSchema : public FollowTest {};

TEST_F(FollowSchema, FollowsRenamesOfItsSource) {
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

TEST_F(FollowSchema, RenamesAndDropsItsTriggers) {
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

TEST_F(FollowSchema, ReportsADroppedSource) {
  run("CREATE TABLE s(c, d)");
  run("INSERT INTO s VALUES (1, 1)");
  follow("s.c");
  EXPECT_THAT(ask("ALTER TABLE s DROP COLUMN c"), HasSubstr("error in trigger f_follow_insert after drop column"));
  run("DROP TABLE s");
  EXPECT_EQ(info("follows"), "0");
  EXPECT_EQ(ask("INSERT INTO f(op) VALUES ('rebuild')"),
            "error: f: source must be a column of a table in the schema main, got no table 's'");
  EXPECT_EQ(found("1"), "1");
  EXPECT_THAT(found("2"), HasSubstr("source s.c must have kept this table's triggers, got dropped or changed ones"));
  run("CREATE TABLE s(d)");
  EXPECT_EQ(ask("INSERT INTO f(op) VALUES ('rebuild')"),
            "error: f: source must be a column of a table in the schema main, got no column 'c' in the table 's'");
  run("ALTER TABLE s ADD COLUMN c");
  run("INSERT INTO s(c) VALUES (2)");
  EXPECT_THAT(found("2"), HasSubstr("source s.c must have kept this table's triggers"));
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
TEST_F(FollowSchema, RefusesToSayNoForARecreatedSource) {
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
                "error: f: source s.c must have kept this table's triggers, got dropped or changed ones; insert "
                "'rebuild' as op once the source exists");
      EXPECT_EQ(found("'old'"), "1");
      EXPECT_THAT(ask("SELECT bloom_snapshot('f')"), HasSubstr("source s.c must have kept this table's triggers"));
    }
    run("SAVEPOINT rebuilt");
    run("INSERT INTO f(op) VALUES ('rebuild')");
    EXPECT_EQ(found("'new'") + found("'other'"), "10");
    run("ROLLBACK TO rebuilt");
    EXPECT_THAT(found("'new'"), HasSubstr("source s.c must have kept this table's triggers"));
    run("ROLLBACK TO before");
    EXPECT_EQ(found("'new'"), "0");
    run("RELEASE before");
    run("DROP TABLE f");
    run("DROP TABLE s");
  }
}

TEST_F(FollowSchema, ReadsOddNames) {
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
TEST_F(FollowSchema, SaysNoAfterATableWithAnOddNameIsRenamed) {
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
TEST_F(FollowSchema, RecognizesOnlyRealConflictClauses) {
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

TEST_F(FollowSchema, RecognizesOnlyRealWritesInTriggers) {
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

TEST_F(FollowSchema, FindsWritesInEveryTrigger) {
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

TEST_F(FollowSchema, RecordsTheNewNameAgainAfterARollback) {
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

}  // namespace
}  // namespace crivo::testing

// A filter that follows a column says "no" only if it got every change. Existing triggers do not prove this, and
// neither does their text. (F2 and F4 of table/filter_table.h.)
#include "follow_support.h"
#include "temp_folder.h"

namespace crivo::testing {
namespace {

constexpr const char* kUnproven = "source s.c must have kept this table's triggers";

class FollowProof : public FollowTest {
 protected:
  FollowProof() {
    run("CREATE TABLE s(id INTEGER PRIMARY KEY, c)");
    run("INSERT INTO s(c) VALUES ('a'), ('a'), ('b')");
    add_run(db_);
  }
  void follow(const std::string& kind = "counting") { FollowTest::follow("s.c", ", kind=" + kind); }
  std::string found(const std::string& key, const std::string& filter = "f") {
    return FollowTest::found("'" + key + "'", filter);
  }
  void expect_unproven() {
    EXPECT_THAT(found("nobody"), HasSubstr(kUnproven));
    EXPECT_THAT(ask("SELECT bloom_snapshot('f')"), HasSubstr(kUnproven));
    EXPECT_EQ(info("follows"), "0");
  }
  void expect_rebuild_refused(const std::string& statement, const std::string& where) {
    EXPECT_THAT(ask(statement),
                HasSubstr("op rebuild of a table with a source must be a separate statement, got one in a " + where))
        << statement;
  }
};

// The triggers' text has the table's name before the column. The name may contain the text for which Crivo searches.
TEST_F(FollowProof, DoesNotConfuseANameWithTriggerText) {
  const std::string name = "x('follow', new.id)";
  run("CREATE VIRTUAL TABLE \"" + name + "\" USING bloom(source=s.c)");
  run("ALTER TABLE s RENAME COLUMN c TO \"" + name + "\"");
  run("ALTER TABLE s RENAME TO \"of " + name + "\"");
  run("INSERT INTO \"" + name + "\"(op) VALUES ('rebuild')");
  EXPECT_EQ(ask("SELECT count(*) FROM \"" + name + "\" WHERE key IN ('a', 'b')"), "2");
  EXPECT_EQ(ask("SELECT bloom_table_info(?) ->> 'follows'", {name}), "1");
}

// The user's newer trigger fires first. After a rebuild in it, the filter's trigger would remove a deleted key again.
TEST_F(FollowProof, IsNotRebuiltWhileARowIsChangedByHalf) {
  follow();
  for (const char* event : {"INSERT", "UPDATE", "DELETE"}) {
    run(std::string("CREATE TRIGGER u AFTER ") + event + " ON s BEGIN INSERT INTO f(op) VALUES ('rebuild'); END");
    const std::string statement = event == std::string("INSERT")   ? "INSERT INTO s(c) VALUES ('d')"
                                  : event == std::string("UPDATE") ? "UPDATE s SET c = 'd' WHERE id = 1"
                                                                   : "DELETE FROM s WHERE id = 1";
    expect_rebuild_refused(statement, "trigger");
    run("DROP TRIGGER u");
    expect_rebuild_refused(statement + " RETURNING run('INSERT INTO f(op) VALUES (''rebuild'')')", "function");
    EXPECT_EQ(found("a") + found("b") + found("d"), "110") << event;
  }
  EXPECT_EQ(info("keys"), "3");
}

TEST_F(FollowProof, IsRebuiltByAnyStatementOfItsOwn) {
  follow();
  Statement reads(db_.get(), "SELECT c FROM s");
  Statement has_written(db_.get(), "INSERT INTO s(c) VALUES ('c'), ('d') RETURNING c");
  ASSERT_EQ(sqlite3_step(reads.get()), SQLITE_ROW);
  ASSERT_EQ(sqlite3_step(has_written.get()), SQLITE_ROW) << "both stand still in the middle of their rows";
  run("DELETE FROM s WHERE id = 1");
  run("INSERT INTO f(op) VALUES ('rebuild')");
  run("/* also */ INSERT INTO main.f(op) SELECT lower('REBUILD') FROM s WHERE id = 2");
  run("INSERT OR REPLACE INTO f(op) VALUES (?) RETURNING op", {"rebuild"});
  run("SELECT run('INSERT INTO f(op) VALUES (''rebuild'')')");
  EXPECT_EQ(found("a") + found("c") + found("d"), "111");
  EXPECT_EQ(info("keys"), "4");
}

// A statement that was compiled before the triggers were created runs without them.
TEST_F(FollowProof, AWritingStatementCannotForgeTheProof) {
  EXPECT_THAT(ask("INSERT INTO s(c) SELECT 'x' || run('CREATE VIRTUAL TABLE f USING bloom(source=s.c)') || i FROM " +
                  integers(1, 3)),
              HasSubstr("CREATE VIRTUAL TABLE with a source must be a separate statement, got one in a function"));
  EXPECT_EQ(ask("SELECT count(*) FROM s, sqlite_schema"), "3");
  follow();
  run("CREATE TABLE t(c)");
  run("CREATE TRIGGER u AFTER INSERT ON t BEGIN INSERT INTO f(op) VALUES ('rebuild'); "
      "INSERT INTO s(c) VALUES (new.c); END");
  run("DROP TRIGGER f_follow_insert");
  expect_rebuild_refused("INSERT INTO t VALUES ('x')", "trigger");
  expect_unproven();
}

TEST_F(FollowProof, IsNoRenameOfAFilterThatLostATrigger) {
  follow();
  run("ALTER TABLE f RENAME TO g");
  EXPECT_EQ(found("nobody", "g"), "0");
  for (const char* event : kFollowEvents) {
    run("ALTER TABLE s RENAME COLUMN c TO other");  // the name is in the triggers, and must not be lost
    run(std::string("DROP TRIGGER g_follow_") + event);
    run("INSERT INTO s(other) VALUES ('missed')");
    run("ALTER TABLE g RENAME TO f");
    EXPECT_EQ(info("source"), "s.other");
    run("ALTER TABLE s RENAME COLUMN other TO c");
    EXPECT_THAT(found("nobody"), HasSubstr("must have kept this table's triggers"));
    run("ALTER TABLE s RENAME COLUMN c TO other");
    run("INSERT INTO f(op) VALUES ('rebuild')");
    run("ALTER TABLE s RENAME COLUMN other TO c");
    EXPECT_EQ(found("missed") + found("nobody"), "10");
    run("ALTER TABLE f RENAME TO g");
  }
}

// sqlite.org/lang_altertable.html, 7: programs recreate triggers from their text.
TEST_F(FollowProof, IsNoTextOfTriggersThatWasRunAgain) {
  const std::string path = new_database("follow_proof.db");
  run("VACUUM INTO '" + path + "'");
  Database db(path.c_str());
  Database plain(path.c_str(), nullptr, false);  // a program without the extension can do this too
  const auto question = [&db] { return db.ask("SELECT count(*) FROM f WHERE key = 'missed'"); };
  ASSERT_EQ(db.ask("CREATE VIRTUAL TABLE f USING bloom(fpr=1e-9, source=s.c, kind=counting)"), "");
  const auto run_all = [](Database& on, std::initializer_list<const char*> statements) {
    for (const char* sql : statements) ASSERT_EQ(on.ask(sql), "") << sql;
  };
  for (Database* changed_by : {&db, &plain}) {
    for (const bool all_triggers : {false, true}) {
      ASSERT_EQ(question(), "0");
      std::vector<std::string> saved;
      Statement texts(changed_by->get(), "SELECT sql FROM sqlite_schema WHERE type = 'trigger'");
      while (sqlite3_step(texts.get()) == SQLITE_ROW) saved.push_back(texts.column_bytes());
      sqlite3_reset(texts.get());
      ASSERT_EQ(saved.size(), 5U);
      if (all_triggers) {
        drop_triggers(*changed_by);
        run_all(*changed_by, {"INSERT INTO s(c) VALUES ('missed')"});
      } else {
        run_all(*changed_by, {"BEGIN", "CREATE TABLE fresh(id INTEGER PRIMARY KEY, c, more)",
                              "INSERT INTO fresh(id, c) SELECT id, c FROM s", "INSERT INTO fresh(c) VALUES ('missed')",
                              "DROP TABLE s", "ALTER TABLE fresh RENAME TO s"});
      }
      for (const std::string& trigger : saved) ASSERT_EQ(changed_by->ask(trigger), "");
      if (!all_triggers) run_all(*changed_by, {"COMMIT"});
      EXPECT_THAT(question(), HasSubstr(kUnproven));
      ASSERT_EQ(changed_by->ask("VACUUM"), "") << "VACUUM renumbers the rows of sqlite_schema";
      EXPECT_THAT(question(), HasSubstr(kUnproven));
      ASSERT_EQ(db.ask("INSERT INTO f(op) VALUES ('rebuild')"), "");
      EXPECT_EQ(question(), "1");
      ASSERT_EQ(db.ask("DELETE FROM s WHERE c = 'missed'"), "");
    }
  }
}

// A column's values can change without a write to the rows: if the column is dropped and added again, with a default or
// as a generated column.
TEST_F(FollowProof, IsNoColumnThatWasMadeAnewOrIsComputedAnew) {
  for (const char* added : {"c DEFAULT 'zzz'", "c AS ('zzz')"}) {
    follow();
    ASSERT_EQ(found("nobody"), "0");
    run("PRAGMA legacy_alter_table = 1");
    run("ALTER TABLE s DROP COLUMN c");
    expect_unproven();
    run(std::string("ALTER TABLE s ADD COLUMN ") + added);
    expect_unproven();
    run("INSERT INTO f(op) VALUES ('rebuild')");
    EXPECT_EQ(found("zzz") + found("nobody"), "10") << added;
    run("DROP TABLE f");
  }
  run("DROP TABLE s");
  run("CREATE TABLE s(id INTEGER PRIMARY KEY, a, c AS (a || \"x\"))");
  run("INSERT INTO s(a) VALUES ('1')");
  for (const char* change :
       {"ALTER TABLE s ADD COLUMN x DEFAULT 'y'",
        "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'a ||', '3 ||') WHERE name = 's'; "
        "PRAGMA writable_schema = RESET"}) {
    follow();
    ASSERT_EQ(found("nobody"), "0");
    run("ALTER TABLE s RENAME TO t");
    EXPECT_EQ(found("nobody"), "0");
    run("ALTER TABLE t RENAME TO s");
    EXPECT_EQ(found("nobody"), "0");
    sqlite3_exec(db_.get(), change, nullptr, nullptr, nullptr);
    expect_unproven();
    run("INSERT INTO f(op) VALUES ('rebuild')");
    EXPECT_EQ(found(ask("SELECT c FROM s")) + found("nobody"), "10") << change;
    run("DROP TABLE f");
  }
}

// REPLACE writes the default to a NOT NULL column. Only the triggers of such a column reject this.
TEST_F(FollowProof, IsNoColumnThatBecameNotNull) {
  run("DROP TABLE s");
  run("CREATE TABLE s(id INTEGER PRIMARY KEY, c DEFAULT 'x')");
  follow();
  ASSERT_EQ(found("nobody"), "0");
  run("PRAGMA legacy_alter_table = 1");
  run("ALTER TABLE s DROP COLUMN c");
  run("ALTER TABLE s ADD COLUMN c NOT NULL DEFAULT 'x'");
  expect_unproven();
}

TEST_F(FollowProof, IsRebuiltFromTheTableThatItHeardOfLast) {
  follow();
  run("ALTER TABLE s RENAME TO t");
  run("ALTER TABLE t RENAME COLUMN c TO d");
  run("INSERT INTO t(d) VALUES ('c')");
  drop_triggers(db_);
  run("INSERT INTO t(d) VALUES ('missed')");
  run("CREATE TABLE s(c)");
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(info("source"), "t.d");
  EXPECT_EQ(found("missed") + found("nobody"), "10");
}

TEST_F(FollowProof, OutlivesWhateverLeavesTheTriggersAlone) {
  const std::string copy = new_database("follow_proof_copy.db");
  follow();
  for (const std::string sql :
       {"CREATE TABLE other(x)", "DROP TABLE other", "ALTER TABLE s ADD COLUMN d", "CREATE INDEX i ON s(c)", "VACUUM",
        "ALTER TABLE s RENAME TO t", "ALTER TABLE t RENAME TO s", "ALTER TABLE s DROP COLUMN d",
        "CREATE TRIGGER u AFTER INSERT ON s BEGIN SELECT 1; END", "DROP TRIGGER u", "ALTER TABLE f RENAME TO g",
        "VACUUM", "ALTER TABLE g RENAME TO f", "BEGIN", "DROP TRIGGER f_follow_insert", "ROLLBACK"}) {
    run(sql);
    if (sql == "DROP TRIGGER f_follow_insert") continue;
    EXPECT_EQ(found("nobody", ask("SELECT name FROM sqlite_schema WHERE name IN ('f', 'g')")), "0") << sql;
  }
  run("VACUUM INTO '" + copy + "'");
  run("ATTACH '" + copy + "' AS elsewhere");
  EXPECT_EQ(found("nobody", "elsewhere.f"), "0");
  run("INSERT INTO elsewhere.s(c) VALUES ('new')");
  EXPECT_EQ(found("new", "elsewhere.f") + found("nobody", "elsewhere.f"), "10");
}

TEST_F(FollowProof, IsGoneWithItsSealAndComesBackWithARebuild) {
  follow();
  run("SAVEPOINT before");
  run("DROP TABLE f_seal");
  expect_unproven();
  run("ROLLBACK TO before");
  EXPECT_EQ(found("nobody"), "0");
  run("DROP TABLE f_seal");
  run("CREATE TABLE f_seal(somebody_elses)");
  expect_unproven();
  EXPECT_THAT(ask("INSERT INTO f(op) VALUES ('rebuild')"), HasSubstr("table \"f_seal\" already exists"));
  expect_unproven();
  run("DROP TABLE f_seal");
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(found("nobody"), "0");
  EXPECT_EQ(ask("SELECT count(*) FROM f_seal"), "0");
  run("DROP TABLE f");
  EXPECT_EQ(ask("SELECT group_concat(name) FROM sqlite_schema"), "s");
}

TEST_F(FollowProof, CountsAsStaleWhatAFullCounterKeeps) {
  run("DELETE FROM s");
  run("INSERT INTO s(c) SELECT 'often' FROM " + integers(1, 20));
  run("INSERT INTO s(c) SELECT 'fourteen' FROM " + integers(1, 14));
  follow();
  run("DELETE FROM s");
  EXPECT_EQ(found("often") + found("fourteen"), "10");
  EXPECT_EQ(info("stale"), "20");
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(found("often") + info("stale"), "00");
}

TEST_F(FollowProof, HasRoomForTheDifferentValues) {
  run("INSERT INTO s(c) SELECT i % 8000 FROM " + integers(1, 20000));
  for (const std::string kind : {"blocked", "counting", "growing", "scalable", "spectral"}) {
    const std::string capacity = kind == "growing" ? "4294967296" : "16004";
    follow(kind);
    EXPECT_EQ(info("capacity"), capacity) << kind;
    run("INSERT INTO f(op) VALUES ('rebuild')");
    EXPECT_EQ(info("capacity"), capacity) << kind;
    run("DROP TABLE f");
  }
  // More than 65536 distinct values are estimated. The standard error is 0.4%, and the keys are always the same.
  run("INSERT INTO s(c) SELECT i FROM " + integers(100000, 299999));
  follow();
  EXPECT_NEAR(std::stod(info("capacity")), 2 * 208002, 2 * 208002 * 0.02);
}

// A virtual table's callback has no savepoint, so inside BEGIN a failed rebuild leaves its changes.
TEST_F(FollowProof, KnowsItsSourceAfterARebuildThatFailedHalfway) {
  follow();
  run("ALTER TABLE s RENAME TO s2");
  run("DROP TRIGGER f_follow_insert");
  run("BEGIN");
  sqlite3_set_authorizer(
      db_.get(), [](void*, int action, auto...) { return action == SQLITE_CREATE_TRIGGER ? SQLITE_DENY : SQLITE_OK; },
      nullptr);
  EXPECT_THAT(ask("INSERT INTO f(op) VALUES ('rebuild')"), HasSubstr("not authorized"));
  sqlite3_set_authorizer(db_.get(), nullptr, nullptr);
  run("COMMIT");
  EXPECT_EQ(ask("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'"), "0") << "it must fail halfway";
  EXPECT_THAT(found("nobody"), HasSubstr("source s2.c must have kept this table's triggers"));
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(found("a"), "1");
  EXPECT_EQ(found("nobody"), "0");
}

TEST_F(FollowProof, KeepsItsTriggersWhereARebuildFindsANameTaken) {
  follow();
  run("DROP TRIGGER f_follow_insert");
  run("CREATE TRIGGER f_follow_insert AFTER INSERT ON s BEGIN SELECT 1; END");
  const std::string triggers = "SELECT group_concat(name) FROM sqlite_schema WHERE type = 'trigger'";
  const std::string before = ask(triggers);
  run("BEGIN");
  EXPECT_THAT(ask("INSERT INTO f(op) VALUES ('rebuild')"),
              HasSubstr("trigger f_follow_insert must not exist, got one that f did not create"));
  run("COMMIT");
  EXPECT_EQ(ask(triggers), before);
  run("ALTER TABLE s RENAME TO s2");
  EXPECT_EQ(info("source"), "s2.c") << "which only the triggers know";
  run("DROP TRIGGER f_follow_insert");
  run("INSERT INTO f(op) VALUES ('rebuild')");
  EXPECT_EQ(info("follows"), "1");
}

// A running statement continues with the table that it opened. Another table may have its name by now.
TEST_F(FollowProof, IsNotAnotherTableWithTheSameName) {
  run("CREATE VIRTUAL TABLE p USING bloom(capacity=100)");
  run("INSERT INTO p(key) SELECT c FROM s");
  sqlite3_stmt* query = nullptr;
  ASSERT_EQ(
      sqlite3_prepare_v2(db_.get(), "SELECT c, EXISTS (SELECT 1 FROM p WHERE key = c) FROM s", -1, &query, nullptr),
      SQLITE_OK);
  ASSERT_EQ(sqlite3_step(query), SQLITE_ROW);
  run("ALTER TABLE p RENAME TO old");
  run("CREATE VIRTUAL TABLE p USING bloom(capacity=100)");
  EXPECT_EQ(sqlite3_step(query), SQLITE_ERROR);
  EXPECT_THAT(sqlite3_errmsg(db_.get()), HasSubstr("p: table must not be renamed while a statement uses it"));
  sqlite3_finalize(query);
  EXPECT_EQ(found("a", "old"), "1");
  EXPECT_EQ(found("a", "p"), "0");
}

TEST_F(FollowProof, IsNotRenamedByAFunctionOfAStatementThatWrites) {
  follow();
  EXPECT_THAT(ask("INSERT INTO s(c) VALUES ('d' || run('ALTER TABLE f RENAME TO g'))"),
              HasSubstr("ALTER TABLE RENAME of a virtual table must be a separate statement"));
  run("BEGIN");
  run("ALTER TABLE f RENAME TO g");
  run("ROLLBACK");
  EXPECT_EQ(found("a"), "1");
}

}  // namespace
}  // namespace crivo::testing

// bloom_insert while other statements write the table or depend on the column: it fails, or the key stays.

#include "database.h"

namespace crivo::testing {
namespace {

class InPlaceRefusals : public SqliteTest {
 protected:
  InPlaceRefusals() {
    run("CREATE TABLE a(name TEXT PRIMARY KEY, f BLOB, news INT DEFAULT 0)");
    run("INSERT INTO a(name, f) VALUES ('today', bloom_raw(bloom_create(1000, 1e-9)))");
  }
  std::string insert(const std::string& key) { return ask("SELECT bloom_insert('a', 'f', 'today', ?)", {key}); }
  std::string keys() { return ask("SELECT bloom_info(f) ->> 'keys' FROM a WHERE name = 'today'"); }
  std::string contains(const std::string& key) {
    return ask("SELECT bloom_contains(f, ?) FROM a WHERE name = 'today'", {key});
  }
  void expect_refused(const std::string& statement) {
    EXPECT_THAT(ask(statement), HasSubstr("table must not be written by a running statement, got main.a")) << statement;
  }
};

TEST_F(InPlaceRefusals, ARunningStatementThatWritesTheTableLosesNoKey) {
  run("CREATE TABLE extra(name TEXT, k TEXT)");
  run("INSERT INTO extra VALUES ('today', 'k'), ('today', 'l')");
  const std::string call = "bloom_insert('a', 'f', 'today', 'k')";
  for (const std::string& statement : {
           "UPDATE a SET news = news + " + call + " WHERE name = 'today'",
           "UPDATE a SET news = 1 WHERE " + call,
           "UPDATE OR REPLACE main.A SET news = " + call,
           std::string("UPDATE a SET news = (SELECT sum(bloom_insert('a', 'f', 'today', k)) FROM extra)"),
           std::string("UPDATE a SET news = bloom_insert('a', 'f', 'today', k) FROM extra WHERE extra.name = a.name"),
           "INSERT INTO a(name) VALUES ('today') ON CONFLICT DO UPDATE SET news = news + " + call,
           "INSERT INTO a SELECT name || 2, f, " + call + " FROM a",
           "REPLACE INTO a SELECT name, f, " + call + " FROM a",
           "REPLACE INTO a(name, f, news) VALUES ('today', (SELECT f FROM a), " + call + ")",
           "DELETE FROM a WHERE " + call + " > 1",
           "DELETE FROM a WHERE name <> 'today' OR " + call + " > 1 RETURNING name",
           "UPDATE a SET news = 1 RETURNING " + call,
           "WITH n(x) AS MATERIALIZED (SELECT " + call + ") UPDATE a SET news = (SELECT x FROM n)",
       }) {
    expect_refused(statement);
  }
  EXPECT_EQ(keys(), "0");
  EXPECT_EQ(insert("k"), "1");
  EXPECT_EQ(contains("k"), "1");
}

TEST_F(InPlaceRefusals, TriggersAndForeignKeysThatWriteTheTableCount) {
  run("CREATE TABLE log(x)");
  run("CREATE TABLE copy(x, g)");
  run("INSERT INTO copy VALUES (1, NULL)");
  run("CREATE TRIGGER counts AFTER INSERT ON log BEGIN UPDATE a SET news = news + 1; END");
  run("CREATE TRIGGER restores AFTER UPDATE ON copy BEGIN UPDATE a SET f = new.g; END");
  expect_refused("INSERT INTO log SELECT bloom_insert('a', 'f', 'today', 'k')");
  expect_refused("UPDATE copy SET g = a.f, x = bloom_insert('a', 'f', 'today', 'k') FROM a");
  run("PRAGMA foreign_keys = ON");
  run("CREATE TABLE parent(id INTEGER PRIMARY KEY)");
  run("ALTER TABLE a ADD COLUMN parent REFERENCES parent ON UPDATE CASCADE");
  run("INSERT INTO parent VALUES (1)");
  run("UPDATE a SET parent = 1");
  expect_refused("UPDATE parent SET id = id + 1 + bloom_insert('a', 'f', 'today', 'k')");
  EXPECT_EQ(keys(), "0");
}

TEST_F(InPlaceRefusals, FunctionsThatRunStatementsCount) {
  add_run(db_);
  const std::string nested = "run('SELECT bloom_insert(''a'', ''f'', ''today'', ''k'')')";
  run("CREATE TABLE log(x)");
  expect_refused("UPDATE a SET news = " + nested);
  run("CREATE TRIGGER calls AFTER UPDATE OF news ON a BEGIN INSERT INTO log VALUES (" + nested + "); END");
  expect_refused("UPDATE a SET news = 1");
  EXPECT_EQ(keys(), "0");
  EXPECT_EQ(ask("INSERT INTO log VALUES (" + nested + ") RETURNING x"), "1");
  EXPECT_EQ(contains("k"), "1");
}

/// A SELECT begins before the writer, and continues inside it.
TEST_F(InPlaceRefusals, AStatementThatBeganEarlierIsRefusedInsideOfAWriter) {
  Statement inserts(db_.get(), "SELECT bloom_insert('a', 'f', 'today', i) FROM " + integers(1, 9));
  const auto step = [](sqlite3_context* context, int, sqlite3_value**) {
    sqlite3_result_int(context, sqlite3_step(static_cast<sqlite3_stmt*>(sqlite3_user_data(context))));
  };
  sqlite3_create_function(db_.get(), "step", 0, SQLITE_UTF8, inserts.get(), step, nullptr, nullptr);
  run("BEGIN");
  ASSERT_EQ(sqlite3_step(inserts.get()), SQLITE_ROW);
  EXPECT_EQ(ask("UPDATE a SET news = step() RETURNING news"), std::to_string(SQLITE_ERROR));
  run("COMMIT");
  EXPECT_EQ(contains("1") + contains("2"), "10");
}

TEST_F(InPlaceRefusals, AWriterOfAnotherTableKeepsTheKeys) {
  run("CREATE TABLE log(x UNIQUE)");
  run("CREATE TABLE audit(x)");
  run("CREATE TRIGGER audits AFTER INSERT ON log BEGIN INSERT INTO audit SELECT name FROM a; END");
  run("CREATE VIRTUAL TABLE words USING fts5(word)");
  run("ATTACH ':memory:' AS other");
  run("CREATE TABLE other.b(name TEXT PRIMARY KEY, f BLOB, news INT)");  // with the same root page as main.a
  run("INSERT INTO other.b SELECT * FROM a");
  run(" ;; INSERT INTO log SELECT bloom_insert('a', 'f', 'today', 1)");
  run("INSERT INTO words SELECT bloom_insert('a', 'f', 'today', 2)");
  run("CREATE TABLE made AS SELECT bloom_insert('a', 'f', 'today', 3) AS x");
  run("UPDATE other.b SET news = bloom_insert('a', 'f', 'today', 4)");
  run("UPDATE a SET news = bloom_insert('other', 'b', 'f', 'today', 5)");
  EXPECT_THAT(ask("UPDATE other.b SET news = bloom_insert('other', 'b', 'f', 'today', 6)"),
              HasSubstr("got other.b; insert the key in a SELECT of its own"));
  EXPECT_EQ(ask("SELECT sum(bloom_contains(f, i)) FROM a, " + integers(1, 4)), "4");
  EXPECT_EQ(ask("SELECT bloom_contains(f, 5) + bloom_contains(f, 6) FROM other.b"), "1");
  EXPECT_EQ(ask("PRAGMA integrity_check"), "ok");
}

TEST_F(InPlaceRefusals, AWriterOfAVirtualTableMayWriteItsShadowTables) {
  run("CREATE VIRTUAL TABLE words USING fts5(word, note)");
  run("INSERT INTO words SELECT f, 'x' FROM a");
  const std::string call = "bloom_insert('words_content', 'c0', 1, 'k')";
  EXPECT_THAT(ask("UPDATE words SET note = " + call), HasSubstr("got main.words_content"));
  EXPECT_EQ(ask("SELECT " + call), "1");
  EXPECT_EQ(ask("SELECT bloom_contains(word, 'k') FROM words"), "1");
}

TEST_F(InPlaceRefusals, IndexesOnTheColumnAreNamed) {
  for (const char* index : {"a(f)", "a(news) WHERE bloom_contains(f, 'k')", "a(news) WHERE \"F\" IS NOT NULL",
                            "a(bloom_contains(f, 'k'))", "a(news, f)"}) {
    run(std::string("CREATE INDEX has_k ON ") + index);
    EXPECT_EQ(insert("k"), "error: bloom_insert: column must be in no index, got main.a.f in has_k") << index;
    run("DROP INDEX has_k");
  }
  run("CREATE INDEX is_new ON a(news) WHERE news > 0 AND name <> 'f'");
  EXPECT_EQ(insert("k"), "1");
  EXPECT_EQ(ask("PRAGMA integrity_check"), "ok");
}

TEST_F(InPlaceRefusals, AnIndexThatIsMadeWhileTheRowIsOpenIsNoticed) {
  run("BEGIN");
  Statement inserts(db_.get(), "SELECT bloom_insert('a', 'f', 1, i) FROM " + integers(1, 9));
  ASSERT_EQ(sqlite3_step(inserts.get()), SQLITE_ROW);
  run("CREATE INDEX has_2 ON a(news) WHERE bloom_contains(f, 2)");
  EXPECT_EQ(sqlite3_step(inserts.get()), SQLITE_ERROR);
  EXPECT_THAT(sqlite3_errmsg(db_.get()), HasSubstr("got main.a.f in has_2"));
  sqlite3_reset(inserts.get());
  run("COMMIT");
  EXPECT_EQ(contains("1") + contains("2"), "10");
  EXPECT_EQ(ask("PRAGMA integrity_check"), "ok");
}

TEST_F(InPlaceRefusals, TriggersThatAnUpdateOfTheColumnFiresAreNamed) {
  run("CREATE TABLE mirror(f)");
  for (const char* trigger : {"TRIGGER fires AFTER UPDATE OF f ON a", "TRIGGER fires BEFORE UPDATE ON a",
                              "TEMP TRIGGER fires AFTER UPDATE OF name, \"F\" ON main.a WHEN new.news"}) {
    run(std::string("CREATE ") + trigger + " BEGIN UPDATE mirror SET f = new.f; END");
    EXPECT_EQ(insert("k"), "error: bloom_insert: column must have no trigger on UPDATE, got main.a.f with fires")
        << trigger;
    run("DROP TRIGGER fires");
  }
  run("CREATE TRIGGER other AFTER UPDATE OF news ON a BEGIN UPDATE mirror SET f = new.f; END");
  run("CREATE TRIGGER inserts AFTER INSERT ON a BEGIN UPDATE mirror SET f = new.f; END");
  run("CREATE TRIGGER deletes AFTER DELETE ON a BEGIN UPDATE mirror SET f = old.f; END");
  EXPECT_EQ(insert("k"), "1");
}

TEST_F(InPlaceRefusals, ATemporaryTriggerIsNotTakenForThatOfAFilterTable) {
  run("CREATE VIRTUAL TABLE seen USING bloom(capacity=10, source='a.news')");
  EXPECT_EQ(insert("k"), "1");
  const std::string ours = ask("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND sql LIKE '%BEFORE UPDATE%'");
  run("CREATE TABLE mirror(f)");
  run("CREATE TEMP TRIGGER \"" + ours + "\" AFTER UPDATE ON a BEGIN UPDATE mirror SET f = new.f; END");
  EXPECT_EQ(insert("l"), "error: bloom_insert: column must have no trigger on UPDATE, got main.a.f with " + ours);
}

TEST_F(InPlaceRefusals, ADefaultThatNoRowStoresIsNamed) {
  const std::string filter = ask("SELECT hex(f) FROM a");
  run("ALTER TABLE a ADD COLUMN g BLOB DEFAULT x'" + filter + "'");
  EXPECT_EQ(ask("SELECT bloom_insert('a', 'g', 'today', 'k')"),
            "error: bloom_insert: filter must be in main.a, column g, row 'today', got the column's DEFAULT, which the "
            "row does not store; UPDATE the row first");
  run("UPDATE a SET g = g");
  EXPECT_EQ(ask("SELECT bloom_insert('a', 'g', 'today', 'k')"), "1");
  run("UPDATE a SET g = NULL");
  EXPECT_THAT(ask("SELECT bloom_insert('a', 'g', 'today', 'k')"), EndsWith("row 'today', got NULL"));
}

TEST_F(InPlaceRefusals, AChecksOutcomeDoesNotDependOnTheKeys) {
  const auto make = [this](const std::string& check) {
    run("DROP TABLE IF EXISTS checked");
    run("CREATE TABLE checked(f BLOB, n INT DEFAULT 1, " + check + ")");
    run("INSERT INTO checked(f) SELECT f FROM a");
    return ask("SELECT bloom_insert('checked', 'f', 1, 'k')");
  };
  for (const char* check :
       {"CHECK (NOT bloom_contains(f, 'k'))", "CHECK (bloom_info(F) ->> 'keys' < 1)", "CONSTRAINT empty CHECK (f <> n)",
        "CHECK (bloom_valid(f) AND length(hex(f)) > n)", "CHECK (length(f || 'x') > n)",
        "CONSTRAINT \"length(f)\" CHECK (NOT bloom_contains(f, 'k'))", "CHECK (\"length\"(f) > n AND f <> n)",
        "CHECK (length(f) > 0 AND NOT bloom_contains(checked.'f', 'k'))"}) {
    EXPECT_THAT(make(check), HasSubstr("column must have no CHECK except bloom_valid(f), length(f) or typeof(f), got "
                                       "main.checked.f with "))
        << check;
  }
  for (const char* check :
       {"CHECK (bloom_valid(f))", "CHECK (n > 0)", "CHECK (typeof(\"f\") = 'blob' AND LENGTH(f /* bytes */) > n)",
        "UNIQUE (n)", "CONSTRAINT good CHECK (bloom_valid(f)) CHECK (n >= length(n))",
        R"(CHECK ("length"("checked".[f]) > n AND bloom_valid(checked . 'f')))", "CHECK (typeof(f) <> 'f')"}) {
    EXPECT_EQ(make(check), "1") << check;
    EXPECT_EQ(ask("PRAGMA integrity_check"), "ok") << check;
  }
}

TEST_F(InPlaceRefusals, ForeignKeysOfTheColumnAreRefused) {
  run("PRAGMA foreign_keys = ON");
  run("CREATE TABLE parent(f UNIQUE)");
  run("INSERT INTO parent SELECT f FROM a");
  run("CREATE TABLE child(f REFERENCES parent(f) ON UPDATE CASCADE)");
  run("INSERT INTO child SELECT f FROM a");
  EXPECT_THAT(ask("SELECT bloom_insert('child', 'f', 1, 'k')"), HasSubstr("cannot open foreign key column"));
  EXPECT_THAT(ask("SELECT bloom_insert('parent', 'f', 1, 'k')"), HasSubstr("must have no trigger on UPDATE"));
  EXPECT_EQ(ask("SELECT sum(bloom_contains(child.f, 'k') + bloom_contains(parent.f, 'k')) FROM child, parent"), "0");
}

}  // namespace
}  // namespace crivo::testing

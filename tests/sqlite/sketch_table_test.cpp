// Tables that keep the sketch of a column. follow_random_test.cpp has random statements for them.
#include "database.h"

namespace crivo::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class SketchTables : public SqliteTest {
 protected:
  void SetUp() override {
    SqliteTest::SetUp();
    run("CREATE TABLE note(id INTEGER PRIMARY KEY, name TEXT UNIQUE, version INT, "
        "uuid AS (CAST(printf('%016d', id) AS BLOB)))");
    run("INSERT INTO note(name, version) SELECT 'name ' || i, 1 FROM " + integers(1, 3000));
  }
  void make(const std::string& table, const std::string& arguments) {
    run("CREATE VIRTUAL TABLE " + table + " USING bloom_sketch(" + arguments + ")");
  }
  /// Whether a table has the sketch that these arguments make of the rows that are there now.
  bool is_sketch_of(const std::string& table, const std::string& arguments) {
    return ask("SELECT sketch = (SELECT bloom_sketch_agg(" + arguments + ") FROM note) FROM " + table) == "1";
  }
  std::string error(const std::string& sql) {
    const std::string answer = ask(sql);
    return answer.starts_with("error: ") ? answer.substr(7) : "no error, but " + answer;
  }
  void change_rows() {
    run("INSERT INTO note(name, version) VALUES ('new', 0), ('newer', 0), (NULL, NULL)");
    run("UPDATE note SET version = version + 1, name = name || '!' WHERE id % 7 = 0");
    run("UPDATE note SET id = id + 10000 WHERE id BETWEEN 20 AND 40");
    run("DELETE FROM note WHERE id % 5 = 0");
    run("INSERT INTO note(id, name, version) VALUES (1, 'one', 9) ON CONFLICT (id) DO UPDATE SET name = excluded.name");
    run("INSERT OR IGNORE INTO note(id, name, version) VALUES (1, 'two', 9), (50000, 'one', 9), (50001, 'three', 9)");
  }
};

TEST_F(SketchTables, KeepTheSketchOfTheirColumn) {
  make("ids", "source='note.id', symbols=2000, keys=integers, seed=5");
  make("names", "source='note.name', symbols=40");
  make("uuids", "source='note.uuid', symbols=3000, keys='bytes:16'");
  change_rows();
  EXPECT_TRUE(is_sketch_of("ids", "id, 2000, 'integers', 0, 5"));
  EXPECT_TRUE(is_sketch_of("names", "name, 40"));
  EXPECT_TRUE(is_sketch_of("uuids", "uuid, 3000, 'bytes:16'"));
  for (const char* table : {"ids", "names", "uuids"}) {
    run("INSERT INTO " + std::string(table) + "(op) VALUES ('check')");
  }
  EXPECT_EQ(ask("SELECT json_extract(bloom_table_info('ids'), '$.kind', '$.symbols', '$.key_type', '$.keys', '$.seed', "
                "'$.source', '$.follows') FROM note GROUP BY 1"),
            "[\"sketch\",2000,\"integers\"," + ask("SELECT count(*) FROM note") + ",5,\"note.id\",1]");
}

TEST_F(SketchTables, GoWithTransactionsAndSavepoints) {
  make("ids", "source='note.id', symbols=500, keys=integers");
  run("BEGIN");
  change_rows();
  EXPECT_TRUE(is_sketch_of("ids", "id, 500, 'integers'"));
  run("SAVEPOINT s");
  run("DELETE FROM note");
  EXPECT_EQ(ask("SELECT sketch = bloom_sketch(500, 'integers') FROM ids"), "1");
  run("ROLLBACK TO s");
  EXPECT_TRUE(is_sketch_of("ids", "id, 500, 'integers'"));
  run("ROLLBACK");
  EXPECT_TRUE(is_sketch_of("ids", "id, 500, 'integers'"));
}

TEST_F(SketchTables, GiveAnyPart) {
  make("ids", "source='note.id', symbols=1000, keys=integers");
  for (const int first : {0, 1, 251, 252, 999}) {
    for (const int symbols : {1, 252, 505, 1000 - first}) {
      if (first + symbols > 1000) continue;
      const std::string from = std::to_string(first), some = std::to_string(symbols);
      EXPECT_EQ(ask("SELECT sketch = (SELECT bloom_sketch_agg(id, " + some + ", 'integers', " + from +
                    ") FROM note) FROM ids WHERE symbols = " + some + " AND first = " + from),
                "1");
    }
  }
  EXPECT_EQ(ask("SELECT bloom_sketch_append(a.sketch, b.sketch) = c.sketch FROM ids(0, 300) AS a, ids(300) AS b, "
                "ids AS c"),
            "1");
  EXPECT_EQ(error("SELECT sketch FROM ids(990, 11)"),
            "ids: first + symbols must be at most the 1000 that are kept, got 990 + 11");
  EXPECT_EQ(error("SELECT sketch FROM ids(1000)"), "ids: first must be below the 1000 symbols that are kept, got 1000");
  EXPECT_EQ(error("SELECT sketch FROM ids WHERE first = 'one'"), "ids: first must be an integer from 0 on, got 'one'");
}

TEST_F(SketchTables, LetNoStatementPassThatTellsNoTrigger) {
  make("ids", "source='note.id', symbols=100, keys=integers");
  const std::string replace = "INSERT OR REPLACE INTO note(id, name, version) VALUES (8, 'name 9', 1)";
  EXPECT_THAT(error(replace), StartsWith("ids: REPLACE must be used under PRAGMA recursive_triggers=ON"));
  run("PRAGMA recursive_triggers = ON");
  run(replace);
  EXPECT_EQ(ask("SELECT count(*) FROM note WHERE id IN (8, 9)"), "1");
  EXPECT_TRUE(is_sketch_of("ids", "id, 100, 'integers'"));

  run("CREATE TABLE log(id INT, fail INT)");
  run("CREATE TRIGGER logs AFTER INSERT ON note BEGIN INSERT OR IGNORE INTO log VALUES (new.id, 1); END");
  run("INSERT INTO note(name) VALUES ('logged')");
  const std::string where_it_ends =
      "ids: source must not have triggers, or foreign keys that refer to it, where a statement can end by FAIL or "
      "RAISE(IGNORE) before the sketch is told of a row, got 'logs', and ";
  EXPECT_EQ(error("INSERT OR FAIL INTO note(name) VALUES ('fails')"), where_it_ends + "OR FAIL");
  EXPECT_EQ(error("UPDATE OR REPLACE note SET id = 10 WHERE id = 11"),
            "ids: source must not have triggers, or foreign keys that refer to it, where REPLACE replaces a row, got "
            "'logs'");
  run("CREATE TRIGGER ends AFTER DELETE ON log BEGIN SELECT RAISE(FAIL, 'no'); END");
  EXPECT_EQ(error("DELETE FROM note WHERE id = 12"), where_it_ends + "'ends'");
  run("DROP TRIGGER ends");
  run("DELETE FROM note WHERE id = 12");
  run("CREATE TRIGGER before BEFORE UPDATE ON note BEGIN DELETE FROM log; END");
  EXPECT_EQ(error("UPDATE note SET id = 13000 WHERE id = 13"),
            "ids: source must not have a BEFORE trigger that writes where its rows are changed or deleted, got one "
            "(before), which might change the very row");
  EXPECT_TRUE(is_sketch_of("ids", "id, 100, 'integers'"));
}

// The table that a temporary trigger writes to may be that of any database, and have an ON CONFLICT FAIL.
TEST_F(SketchTables, AreNotSpoiledByTemporaryTriggers) {
  make("ids", "source='note.id', symbols=100, keys=integers");
  run("CREATE TEMP TABLE once(x UNIQUE ON CONFLICT FAIL)");
  run("CREATE TEMP TRIGGER tells AFTER INSERT ON main.note BEGIN INSERT INTO once VALUES (1); END");
  for (const char* name : {"'a'", "'b'"}) {
    EXPECT_THAT(error("INSERT INTO note(name) VALUES (" + std::string(name) + ")"),
                AllOf(HasSubstr(", got 'tells'"), Not(HasSubstr(", and "))));
  }
  EXPECT_TRUE(is_sketch_of("ids", "id, 100, 'integers'"));
  run("DROP TRIGGER temp.tells");
  run("CREATE TEMP VIEW ends AS SELECT RAISE(IGNORE)");
  run("CREATE TEMP TRIGGER looks AFTER INSERT ON main.note BEGIN SELECT * FROM ends; END");
  EXPECT_THAT(error("INSERT INTO note(name) VALUES ('c')"),
              AllOf(HasSubstr(", got 'looks'"), Not(HasSubstr(", and "))));
  run("DROP TRIGGER temp.looks");
  run("INSERT INTO note(name) VALUES ('d')");
  EXPECT_TRUE(is_sketch_of("ids", "id, 100, 'integers'"));
}

TEST_F(SketchTables, KnowTheirOwnTriggersFromThoseThatBeginLikeThem) {
  make("ids", "source='note.id', symbols=100, keys=integers");
  run("CREATE TABLE x(op, key)");
  const std::string begins = " UPDATE ON note BEGIN INSERT INTO x(op, key) VALUES ('follow', new.id); ";
  for (const auto& [trigger, refusal] :
       {std::pair("BEFORE" + begins + "UPDATE note SET id = 9000 WHERE id = old.id;",
                  "a BEFORE trigger that writes where its rows are changed"),
        std::pair("BEFORE" + begins, "a BEFORE trigger that writes"),
        std::pair("AFTER" + begins + "SELECT RAISE(IGNORE);", "FAIL or RAISE(IGNORE)")}) {
    run("CREATE TRIGGER like " + trigger + " END");
    EXPECT_THAT(error("UPDATE note SET id = 8000 WHERE id = 5"), HasSubstr(refusal)) << trigger;
    run("DROP TRIGGER like");
  }
  make("more", "source='note.name', symbols=10");
  run("UPDATE note SET id = 8000 WHERE id = 5");
  EXPECT_TRUE(is_sketch_of("ids", "id, 100, 'integers'"));
}

TEST_F(SketchTables, MindForeignKeysOnlyIfTheyReferToTheSource) {
  make("ids", "source='note.id', symbols=100, keys=integers");
  run("CREATE TABLE other(id INTEGER PRIMARY KEY ON CONFLICT FAIL)");
  run("CREATE TABLE child(id REFERENCES other)");
  run("INSERT OR FAIL INTO note(name) VALUES ('d')");
  run("CREATE TABLE \"its child\"(id REFERENCES \"NOTE\"(id) ON DELETE CASCADE)");
  EXPECT_THAT(error("INSERT INTO note(name) VALUES ('e')"), HasSubstr("got 'its child', and 'other'"));
  EXPECT_TRUE(is_sketch_of("ids", "id, 100, 'integers'"));
}

TEST_F(SketchTables, WriteNoPageForAChangeOfAnotherColumn) {
  make("ids", "source='note.id', symbols=1000, keys=integers");
  run("CREATE TABLE before AS SELECT * FROM ids_pages");
  run("UPDATE note SET version = version + 1");
  EXPECT_EQ(ask("SELECT count(*) FROM (SELECT * FROM before EXCEPT SELECT * FROM ids_pages)"), "0");
  run("CREATE TRIGGER keeps BEFORE UPDATE ON ids_pages BEGIN SELECT RAISE(ABORT, 'written'); END");
  run("UPDATE note SET version = version + 1");
  EXPECT_EQ(error("UPDATE note SET id = 4000 WHERE id = 1"), "ids: written");
}

TEST_F(SketchTables, RefuseValuesThatAreNoKeysWithTheirRows) {
  make("ids", "source='note.version', symbols=100, keys=integers");
  EXPECT_EQ(error("INSERT INTO note(name, version) VALUES ('x', 'one')"),
            "ids: key must be an integer in a sketch of integers, got 'one'");
  run("BEGIN");
  EXPECT_EQ(error("INSERT INTO note(name, version) VALUES ('y', 4), ('z', 'two'), ('u', 5)"),
            "ids: key must be an integer in a sketch of integers, got 'two'");
  run("COMMIT");
  EXPECT_EQ(ask("SELECT count(*) FROM note WHERE name IN ('x', 'y', 'z', 'u')"), "0");
  EXPECT_TRUE(is_sketch_of("ids", "version, 100, 'integers'"));
}

TEST_F(SketchTables, AreErrorsUntilTheyAreRebuiltIfTheyWereNotTold) {
  make("ids", "source='note.id', symbols=100, keys=integers");
  run("CREATE TABLE fresh AS SELECT * FROM note");
  run("DROP TABLE note");
  const std::string lost = "ids: source note.id must have told this table of every change";
  EXPECT_EQ(error("SELECT sketch FROM ids").substr(0, lost.size()), lost);
  EXPECT_EQ(error("SELECT sketch FROM ids(0, 1)").substr(0, lost.size()), lost);
  EXPECT_EQ(error("INSERT INTO ids(op) VALUES ('check')").substr(0, lost.size()), lost);
  run("ALTER TABLE fresh RENAME TO note");
  run("DELETE FROM note WHERE id < 100");
  EXPECT_EQ(error("SELECT sketch FROM ids").substr(0, lost.size()), lost);
  run("INSERT INTO ids(op) VALUES ('rebuild')");
  run("DELETE FROM note WHERE id < 200");
  EXPECT_TRUE(is_sketch_of("ids", "id, 100, 'integers'"));
  run("ALTER TABLE ids RENAME TO renamed");
  run("ALTER TABLE note RENAME COLUMN id TO number");
  run("DELETE FROM note WHERE number < 300");
  EXPECT_TRUE(is_sketch_of("renamed", "number, 100, 'integers'"));
  run("DROP TRIGGER renamed_follow_deleting");
  EXPECT_NE(error("SELECT sketch FROM renamed").find("must have told"), std::string::npos);
  run("DROP TABLE renamed");
  EXPECT_EQ(ask("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'renamed%'"), "0");
}

TEST_F(SketchTables, TakeDamageForNoSymbols) {
  make("ids", "source='note.id', symbols=1000, keys=integers");
  ASSERT_EQ(ask("SELECT count(*) FROM ids_pages"), "4");
  run("CREATE TABLE sound AS SELECT * FROM ids_pages");
  for (const char* damage : {"UPDATE ids_pages SET bits = zeroblob(100) WHERE page_no = 3",
                             "UPDATE ids_pages SET bits = zeroblob(length(bits)) WHERE page_no = 3",
                             "DELETE FROM ids_pages WHERE page_no = 3"}) {
    run(damage);
    const std::string page = "ids: page 3 in table _pages must ";
    EXPECT_EQ(error("SELECT sketch FROM ids").substr(0, page.size()), page) << damage;
    EXPECT_EQ(error("INSERT INTO ids(op) VALUES ('check')").substr(0, page.size()), page) << damage;
    EXPECT_EQ(ask("SELECT length(sketch) FROM ids(0, 500)"), "8072") << damage;
    run("DELETE FROM ids_pages");
    run("INSERT INTO ids_pages SELECT * FROM sound");
  }
  run("DELETE FROM ids_pages WHERE page_no = 0");
  EXPECT_EQ(error("SELECT sketch FROM ids(500, 10)"), "ids: page 0 in table _pages must be there, got none");
  const std::string others = "page 1 in table _pages must be one of the sketch's, of which none may be missing";
  EXPECT_EQ(error("INSERT INTO ids(op) VALUES ('check')"), "ids: " + others);
  EXPECT_EQ(error("SELECT bloom_table_info('ids')"), "bloom_table_info: " + others);
  run("INSERT INTO ids_pages SELECT * FROM sound WHERE page_no = 0");
  run("INSERT INTO ids_pages VALUES (77, x'00')");
  EXPECT_EQ(error("INSERT INTO ids(op) VALUES ('check')"),
            "ids: page 77 in table _pages must be one of the sketch's, of which none may be missing");
  run("DELETE FROM ids_pages WHERE page_no = 77");
  run("UPDATE note SET id = -id");
  run("UPDATE ids_pages SET bits = (SELECT bits FROM sound WHERE page_no = 3) WHERE page_no = 3");
  EXPECT_EQ(error("INSERT INTO ids(op) VALUES ('check')"),
            "ids: symbols must be those of the values of note.id, got others; rebuild the sketch");
  run("INSERT INTO ids(op) VALUES ('rebuild')");
  run("INSERT INTO ids(op) VALUES ('check')");
  run("UPDATE ids_meta SET value = replace(value, 'symbols=1000', 'symbols=9000') WHERE name = 'state'");
  EXPECT_EQ(error("SELECT sketch FROM ids"), "ids: state in table _meta must have the checksum of its text");
}

TEST_F(SketchTables, NameWhatIsWrongWithTheirArguments) {
  const auto refused = [&](const std::string& arguments) {
    return error("CREATE VIRTUAL TABLE s USING bloom_sketch(" + arguments + ")");
  };
  EXPECT_EQ(refused("source='note.id'"), "s: symbols must be given, got no such argument");
  EXPECT_EQ(refused("symbols=10"), "s: source must be given, got no such argument");
  EXPECT_EQ(refused("source='note.id', symbols=0"), "s: symbols must lie in [1, 4294967296], got 0");
  EXPECT_EQ(refused("source='note.id', symbols=ten"), "s: symbols must be an integer from 0 on, got 'ten'");
  EXPECT_EQ(refused("source='note.id', symbols=10, first=5"),
            "s: argument must be one of symbols, keys, seed, source, got first");
  EXPECT_EQ(refused("source='note.id', symbols=10, keys=text"),
            "s: keys must be hashes, integers or bytes:N with N from 1 to 32, got text");
  EXPECT_EQ(refused("source='note.gone', symbols=10").substr(0, 53),
            "s: source must be a column of a table in the schema m");
  EXPECT_EQ(refused("source='note.name', symbols=10, keys='bytes:4'"),
            "s: key must have the 4 bytes of the sketch's keys, got 6");
  EXPECT_EQ(
      ask("SELECT count(*) FROM sqlite_schema WHERE name GLOB 's' OR name GLOB 's_*' AND name NOT GLOB 'sqlite*'"),
      "0");
  make("s", "source='note.id', symbols=10");
  for (const char* sql : {"DELETE FROM s", "UPDATE s SET sketch = 1", "INSERT INTO s(sketch) VALUES (1)",
                          "INSERT INTO s(key) VALUES (1)"}) {
    EXPECT_EQ(error(sql).substr(0, 57), "s: statement must be a SELECT, or an INSERT of an op, got") << sql;
  }
  EXPECT_EQ(error("INSERT INTO s(op) VALUES ('clear')"), "s: op must be one of check, rebuild, got 'clear'");
  EXPECT_EQ(error("INSERT INTO s(op, arg) VALUES ('check', 1)"), "s: arg must be NULL where op is check, got 1");
  EXPECT_EQ(error("INSERT INTO s(op) VALUES (5)"), "s: op must be one of check, rebuild, got 5");
  EXPECT_EQ(error("INSERT INTO s(op) VALUES ('follower')"), "s: op must be one of check, rebuild, got 'follower'");
  EXPECT_EQ(error("INSERT INTO s(rowid, op) VALUES (5, 'check')"), "s: rowid must be left out of an INSERT, got 5");
  EXPECT_EQ(error("SELECT bloom_snapshot('s')"),
            "bloom_snapshot: table must be a filter table, got 's', which keeps a sketch: SELECT sketch FROM it");
}

}  // namespace
}  // namespace crivo::testing

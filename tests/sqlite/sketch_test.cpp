// Sketches in SQL: the difference between two tables.
#include "crivo/hash.h"
#include "database.h"

namespace crivo::testing {
namespace {

class Sketches : public SqliteTest {
 protected:
  void SetUp() override {
    SqliteTest::SetUp();
    run("CREATE TABLE mine(id INTEGER PRIMARY KEY, name TEXT, uuid BLOB)");
    run("INSERT INTO mine SELECT i, 'name ' || i, CAST(printf('%016d', i) AS BLOB) FROM " + integers(1, 10'000));
    run("CREATE TABLE theirs AS SELECT * FROM mine");
    run("DELETE FROM mine WHERE id IN (5, 17)");
    run("DELETE FROM theirs WHERE id IN (99, 10000, 300)");
  }
  /// The difference of `mine` and `theirs` by sketches of this key and these options: "first 99,first 300,second 5".
  std::string difference(const std::string& key, const std::string& options, const std::string& shown = "key") {
    return ask("SELECT group_concat(side || ' ' || " + shown + ") FROM bloom_difference((SELECT bloom_sketch_agg(" +
               key + ", " + options + ") FROM mine), " + "(SELECT bloom_sketch_agg(" + key + ", " + options +
               ") FROM theirs))");
  }
};

TEST_F(Sketches, GiveTheKeysOfEachSide) {
  EXPECT_EQ(difference("id", "60, 'integers'"), "first 99,first 300,first 10000,second 5,second 17");
  EXPECT_EQ(difference("id", "60, 'integers', 0, 7"), "first 99,first 300,first 10000,second 5,second 17");
  EXPECT_EQ(difference("uuid", "60, 'bytes:16'", "CAST(key AS INTEGER)"),
            "first 99,first 300,first 10000,second 5,second 17");
  // A sketch of hashes yields hashes; a query then looks up their rows.
  run("CREATE INDEX by_hash ON mine(bloom_hash(name, 3))");
  run("CREATE TABLE found AS SELECT side, key FROM bloom_difference("
      "(SELECT bloom_sketch_agg(name, 60, 'hashes', 0, 3) FROM mine), "
      "(SELECT bloom_sketch_agg(name, 60, NULL, NULL, 3) FROM theirs))");
  EXPECT_EQ(ask("SELECT group_concat(name) FROM (SELECT name FROM found JOIN mine ON bloom_hash(name, 3) = key "
                "WHERE side = 'first' ORDER BY id)"),
            "name 99,name 300,name 10000");
  EXPECT_EQ(ask("SELECT count(*) FROM found WHERE side = 'second'"), "2");
}

// bloom_sketch_agg of no rows is NULL, so the sketch of an empty set needs coalesce().
TEST_F(Sketches, OfNoRowsAreNullWhichIsNoSketch) {
  const std::string empty = "(SELECT bloom_sketch_agg(id, 60, 'integers') FROM mine WHERE 0)";
  EXPECT_EQ(ask("SELECT quote(" + empty + ")"), "NULL");
  const std::string refused =
      "must be a sketch, got NULL (no row, no file, or bloom_sketch_agg without rows, for which coalesce(..., "
      "bloom_sketch(...)) is the sketch of no keys)";
  EXPECT_EQ(ask("SELECT * FROM bloom_difference(" + empty + ", bloom_sketch(60, 'integers'))"),
            "error: bloom_difference: argument 1 " + refused);
  EXPECT_EQ(ask("SELECT * FROM bloom_difference(bloom_sketch(60, 'integers'), NULL)"),
            "error: bloom_difference: argument 2 " + refused);
  EXPECT_EQ(ask("SELECT count(*) FROM bloom_difference(coalesce(" + empty + ", bloom_sketch(60, 'integers')), " +
                "(SELECT bloom_sketch_agg(id, 60, 'integers') FROM mine WHERE id < 8))"),
            "6");
}

TEST_F(Sketches, SayThatTheyAreTooShortAndContinue) {
  EXPECT_THAT(difference("id", "3, 'integers'"),
              StartsWith("error: bloom_difference: symbols must be more than 3 to decode the difference; append"));
  const auto in_two = [&](const std::string& table) {
    return "bloom_sketch_append((SELECT bloom_sketch_agg(id, 3, 'integers') FROM " + table +
           "), (SELECT bloom_sketch_agg(id, 57, 'integers', 3) FROM " + table + "))";
  };
  EXPECT_EQ(ask("SELECT " + in_two("mine") + " = (SELECT bloom_sketch_agg(id, 60, 'integers') FROM mine)"), "1");
  EXPECT_EQ(ask("SELECT count(*) FROM bloom_difference(" + in_two("mine") + ", " + in_two("theirs") + ")"), "5");
}

TEST_F(Sketches, ChangeWithTheirSet) {
  const std::string all = "(SELECT bloom_sketch_agg(id, 40, 'integers') FROM theirs)";
  run("CREATE TABLE kept AS SELECT " + all + " AS s");
  run("CREATE TRIGGER adds AFTER INSERT ON theirs BEGIN UPDATE kept SET s = bloom_sketch_add(s, new.id); END");
  run("CREATE TRIGGER removes AFTER DELETE ON theirs BEGIN UPDATE kept SET s = bloom_sketch_remove(s, old.id); END");
  run("DELETE FROM theirs WHERE id BETWEEN 50 AND 90");
  run("INSERT INTO theirs(id) SELECT i + 20000 FROM " + integers(1, 100));
  EXPECT_EQ(ask("SELECT s = " + all + " FROM kept"), "1");
  run("UPDATE kept SET s = bloom_sketch_remove(bloom_sketch_add(s, 50, 60, NULL, 70), 70, NULL, 50)");
  EXPECT_EQ(ask("SELECT group_concat(side || key) FROM kept, bloom_difference(s, " + all + ")"), "first60");
}

TEST_F(Sketches, RefuseWhatCannotBe) {
  const auto error = [](const std::string& text) { return "error: " + text; };
  EXPECT_EQ(ask("SELECT bloom_sketch(0)"), error("bloom_sketch: symbols must be in [1, 4294967296], got 0"));
  EXPECT_EQ(ask("SELECT bloom_sketch(-1)"), error("bloom_sketch: symbols must be an integer of at least 0, got -1"));
  EXPECT_EQ(ask("SELECT bloom_sketch('x')"), error("bloom_sketch: symbols must be an integer of at least 0, got 'x'"));
  EXPECT_EQ(ask("SELECT bloom_sketch(1, 'bytes:99')"),
            error("bloom_sketch: keys must be hashes, integers or bytes:N with N from 1 to 32, got bytes:99"));
  EXPECT_EQ(ask("SELECT bloom_sketch(1, 7)"), error("bloom_sketch: keys must be a text, got 7"));
  EXPECT_EQ(ask("SELECT bloom_sketch(1, NULL, 1e300)"),
            error("bloom_sketch: first must be an integer of at least 0, got 1e+300"));
  EXPECT_EQ(ask("SELECT bloom_sketch(1, NULL, 0, 'x')"), error("bloom_sketch: seed must be a 64-bit integer, got 'x'"));
  EXPECT_THAT(ask("SELECT bloom_sketch(4000000000)"), StartsWith("error: bloom_sketch: symbols must fit in "));
  EXPECT_EQ(ask("SELECT bloom_sketch_agg('x', 1, 'integers')"),
            error("bloom_sketch_agg: key must be an integer in a sketch of integers, got 'x'"));
  EXPECT_EQ(ask("SELECT bloom_sketch_agg(1.5, 1, 'integers')"),
            error("bloom_sketch_agg: key must be an integer in a sketch of integers, got 1.5"));
  EXPECT_EQ(ask("SELECT bloom_sketch_agg(9223372036854775808, 1, 'integers')"),
            error("bloom_sketch_agg: key must be an integer in a sketch of integers, got 9223372036854775808"));
  EXPECT_EQ(ask("SELECT bloom_sketch_agg(1234, 1, 'bytes:4')"),
            error("bloom_sketch_agg: key must be a BLOB or a text in a sketch of bytes, got 1234"));
  EXPECT_EQ(ask("SELECT bloom_sketch_agg(x'00', 1, 'bytes:2')"),
            error("bloom_sketch_agg: key must have the 2 bytes of the sketch's keys, got 1"));
  EXPECT_EQ(ask("SELECT bloom_sketch_agg(i, i) FROM " + integers(1, 2)),
            error("bloom_sketch_agg: symbols, keys, first and seed must be the same in every row"));
  EXPECT_EQ(ask("SELECT bloom_sketch_add(bloom_create(10), 1)"),
            error("bloom_sketch_add: kind must be sketch, got blocked, a filter"));
  EXPECT_EQ(ask("SELECT bloom_sketch_add('x', 1)"), error("bloom_sketch_add: argument 1 must be a sketch, got 'x'"));
  EXPECT_EQ(ask("SELECT bloom_contains(bloom_sketch(1), 1)"),
            error("bloom_contains: kind must be that of a filter, got sketch"));
  EXPECT_EQ(ask("SELECT * FROM bloom_difference(bloom_sketch(1), bloom_sketch(1, 'integers'))"),
            error("bloom_difference: keys must be the same in both sketches, got hashes and integers"));
  EXPECT_EQ(ask("SELECT * FROM bloom_difference(bloom_sketch(1, 'hashes', 5), bloom_sketch(1, 'hashes', 5))"),
            error("bloom_difference: first must be 0 to decode, got 5"));
  EXPECT_EQ(ask("SELECT bloom_sketch_append(bloom_sketch(1), bloom_sketch(1))"),
            error("bloom_sketch_append: first must be 1, the number after the last symbol, got 0"));
}

TEST_F(Sketches, TakeIntegersHoweverTheyAreWritten) {
  EXPECT_EQ(ask("SELECT group_concat(key) FROM bloom_difference((SELECT bloom_sketch_agg(v, 60, 'integers') FROM "
                "(SELECT 7.0 AS v UNION ALL SELECT -5 UNION ALL SELECT 9223372036854775807)), "
                "bloom_sketch(60, 'integers'))"),
            "-5,7,9223372036854775807");
}

// A sketch is decoded once, not for each row of a joined table.
TEST_F(Sketches, AreJoinedFromTheDifferenceToTheTable) {
  run("CREATE TABLE both AS SELECT (SELECT bloom_sketch_agg(id, 60, 'integers') FROM mine) AS m, "
      "(SELECT bloom_sketch_agg(id, 60, 'integers') FROM theirs) AS t");
  const std::string join =
      "SELECT group_concat(name) FROM mine JOIN bloom_difference((SELECT m FROM both), "
      "(SELECT t FROM both)) AS d ON abs(mine.id) = d.key";
  EXPECT_EQ(ask(join), "name 99,name 300,name 10000");
  sqlite3_stmt* plan = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db_.get(), ("EXPLAIN QUERY PLAN " + join).c_str(), -1, &plan, nullptr), SQLITE_OK);
  ASSERT_EQ(sqlite3_step(plan), SQLITE_ROW);
  EXPECT_THAT(reinterpret_cast<const char*>(sqlite3_column_text(plan, 3)), StartsWith("SCAN d VIRTUAL TABLE"));
  sqlite3_finalize(plan);
}

TEST_F(Sketches, TellAboutThemselves) {
  const Blob sketch = blob("SELECT bloom_sketch_agg(id, 40, 'integers', 2, 7) FROM theirs");
  const std::string keys = ask("SELECT count(*) FROM theirs");
  EXPECT_EQ(ask("SELECT bloom_info(?)", {sketch}),
            R"({"kind":"sketch","key_type":"integers","key_bytes":8,"first":2,"symbols":40,"keys":)" + keys +
                R"(,"seed":7,"blob_bytes":)" + std::to_string(sketch.bytes.size()) + "}");
  EXPECT_EQ(ask("SELECT value FROM bloom_each(?) WHERE name = 'symbols'", {sketch}), "40");
  EXPECT_THAT(ask("SELECT bloom_info(substr(?, 1, 500))", {sketch}), StartsWith("error: bloom_info: "));
  EXPECT_EQ(ask("SELECT bloom_valid(?)", {sketch}), "0");
}

TEST_F(Sketches, AreAskedForTheirHash) {
  EXPECT_EQ(ask("SELECT bloom_hash('a')"), std::to_string(static_cast<std::int64_t>(hash_key("a", 0))));
  EXPECT_EQ(ask("SELECT bloom_hash(NULL) IS NULL AND bloom_hash(1) = bloom_hash(1.0)"), "1");
  EXPECT_EQ(ask("SELECT bloom_hash('a', 1) = bloom_hash('a', NULL)"), "0");
}

}  // namespace
}  // namespace crivo::testing

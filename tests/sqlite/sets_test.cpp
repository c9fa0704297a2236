// Intersection, similarity, dropping counts, clearing, and facts about filters.
#include <cstdlib>

#include "database.h"

namespace crivo::testing {
namespace {

class Sets : public SqliteTest {
 protected:
  Blob filter_of(int first, int last, const std::string& options = "10000, 0.001") {
    return blob("SELECT bloom_agg(i, " + options + ") FROM " + integers(first, last));
  }
  double number(const std::string& sql, const std::vector<Arg>& args) {
    return std::strtod(ask(sql, args).c_str(), nullptr);
  }
};

TEST_F(Sets, IntersectToTheCommonKeys) {
  const Blob both = blob("SELECT bloom_intersect(?, ?)", {filter_of(1, 6, "10, 1e-9"), filter_of(4, 9, "10, 1e-9")});
  EXPECT_EQ(ask("SELECT group_concat(i) FROM " + integers(1, 9) + " WHERE bloom_contains(?, i)", {both}), "4,5,6");
}

TEST_F(Sets, IntersectAggIsIntersect) {
  const Blob first = filter_of(1, 50, "100");
  const Blob second = filter_of(20, 90, "100");
  run("CREATE TABLE t(f)");
  run("INSERT INTO t VALUES (?), (NULL), (?)", {first, second});
  EXPECT_EQ(blob("SELECT bloom_intersect_agg(f) FROM t").bytes,
            blob("SELECT bloom_intersect(?, ?)", {first, second}).bytes);
  EXPECT_EQ(ask("SELECT bloom_intersect_agg(f) FROM t WHERE f IS NULL"), "NULL");
  EXPECT_EQ(ask("SELECT bloom_intersect_agg(f) FROM t WHERE 0"), "NULL");
}

TEST_F(Sets, RefusesWhatCannotBeMerged) {
  EXPECT_EQ(ask("SELECT bloom_intersect(bloom_create(10), bloom_create(10, 0.01, 'classic'))"),
            "error: bloom_intersect: kind must equal the first filter's blocked, got classic");
  EXPECT_THAT(ask("SELECT bloom_jaccard(bloom_create(10), bloom_create(99999))"),
              HasSubstr("must equal the first filter's 2, got 6; create both with the same capacity and rate"));
  EXPECT_THAT(ask("SELECT bloom_intersect(bloom_create(9, 0.1, 'cuckoo'), bloom_create(9, 0.1, 'cuckoo'))"),
              StartsWith("error: bloom_intersect: kind must support intersect (classic, blocked), got cuckoo"));
}

TEST_F(Sets, JaccardIsTheShareOfCommonKeys) {
  const Blob first = filter_of(1, 5000);
  EXPECT_EQ(ask("SELECT bloom_jaccard(?1, ?1)", {first}), "1.0");
  EXPECT_NEAR(number("SELECT bloom_jaccard(?, ?)", {first, filter_of(2501, 7500)}), 1.0 / 3, 0.02);
  EXPECT_NEAR(number("SELECT bloom_jaccard(?, ?)", {first, filter_of(5001, 9000)}), 0, 0.02);
  EXPECT_EQ(ask("SELECT bloom_jaccard(?1, NULL) IS NULL AND bloom_jaccard(NULL, ?1) IS NULL", {first}), "1");
}

TEST_F(Sets, DropsCountsExactly) {
  const std::string rows = " FROM " + integers(1, 500);
  const Blob counting = blob("SELECT bloom_agg(i, 1000, 0.01, 'counting')" + rows);
  EXPECT_EQ(blob("SELECT bloom_raw(bloom_drop_counts(?))", {counting}).bytes,
            blob("SELECT bloom_raw(bloom_agg(i, 1000, 0.01, 'blocked'))" + rows).bytes);
  EXPECT_THAT(ask("SELECT bloom_drop_counts(bloom_create(9))"), StartsWith("error: bloom_drop_counts: kind must"));
}

TEST_F(Sets, ClearForgetsEveryKey) {
  EXPECT_EQ(blob("SELECT bloom_clear(?)", {filter_of(1, 50, "100")}).bytes,
            blob("SELECT bloom_raw(bloom_create(100))").bytes);
  EXPECT_THAT(ask("SELECT bloom_clear(bloom_agg(1, NULL, 0.01, 'ribbon'))"),
              StartsWith("error: bloom_clear: kind must support clear"));
}

TEST_F(Sets, EachTellsWhatInfoTells) {
  const Blob filter = filter_of(1, 50, "100");
  EXPECT_EQ(ask("SELECT group_concat(name) FROM bloom_each(?)", {filter}),
            ask("SELECT group_concat(key) FROM json_each(bloom_info(?))", {filter}));
  // SQLite's own conversion of a JSON real may be wrong in the last digit.
  EXPECT_EQ(ask("SELECT count(*) FROM (SELECT value, json_extract(bloom_info(filter), '$.' || name) AS told "
                "FROM bloom_each(?)) WHERE CASE typeof(value) WHEN 'real' THEN abs(value - told) > 1e-15 * value "
                "ELSE value IS NOT told END",
                {filter}),
            "0");
  EXPECT_EQ(
      ask("SELECT group_concat(typeof(value)) FROM bloom_each(?) WHERE name IN ('kind', 'keys', 'fp_rate')", {filter}),
      "text,real,integer");
  EXPECT_EQ(ask("SELECT count(*) FROM bloom_each(NULL)"), "0");
}

TEST_F(Sets, EachAnswersForEveryRowOfAJoin) {
  run("CREATE TABLE t(id, f)");
  run("INSERT INTO t SELECT i, bloom_create(i * 100) FROM " + integers(1, 9));
  EXPECT_EQ(ask("SELECT count(*) FROM t, bloom_each(t.f) e WHERE e.name = 'capacity' AND e.value = t.id * 100"), "9");
}

TEST_F(Sets, EachTellsItsFilterAgain) {
  run("CREATE TABLE t(id, f)");
  run("INSERT INTO t SELECT i, bloom_create(i * 100) FROM " + integers(1, 9));
  EXPECT_EQ(ask("SELECT count(*) FROM t, bloom_each(t.f) e WHERE e.filter = t.f AND e.name = 'kind'"), "9");
  EXPECT_EQ(ask("SELECT count(*) FROM t, t AS u, bloom_each(t.f) e WHERE e.filter = u.f AND e.name = 'kind'"), "9");
  EXPECT_EQ(ask("SELECT sum(filter = f) FROM t, bloom_each(t.f) WHERE name = 'kind'"), "9");
}

}  // namespace
}  // namespace crivo::testing

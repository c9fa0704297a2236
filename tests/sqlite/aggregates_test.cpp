// bloom_agg and bloom_union_agg.
#include <tuple>

#include "crivo/filter.h"
#include "database.h"

namespace crivo::testing {
namespace {

class Agg : public SqliteTest {};
class UnionAgg : public SqliteTest {};

TEST_F(Agg, SizesItselfFromTheDistinctKeys) {
  const Blob filter = blob("SELECT bloom_agg(i % 3000) FROM " + integers(1, 200000));
  EXPECT_EQ(info(filter, "capacity"), "3000");
  EXPECT_EQ(info(filter, "keys"), "200000");
  EXPECT_EQ(ask("SELECT sum(bloom_contains(?, i)) FROM " + integers(0, 2999), {filter}), "3000");
  EXPECT_EQ(info(blob("SELECT bloom_agg(i, NULL, 0.001, 'classic', 5) FROM " + integers(1, 50)), "capacity"), "50");
}

TEST_F(Agg, IsTheFilterThatBloomAddMakes) {
  EXPECT_EQ(blob("SELECT bloom_agg(i, 100, 0.05, 'classic', 9) FROM " + integers(1, 3)).bytes,
            blob("SELECT bloom_add(bloom_create(100, 0.05, 'classic', 9), 1, 2, 3)").bytes);
}

TEST_F(Agg, BuildsEveryKind) {
  for (const KindInfo& kind : kinds()) {
    if (kind.can.needs_values()) continue;  // map_test.cpp, exact_test.cpp
    const Blob filter = blob("SELECT bloom_agg(i, NULL, 0.01, ?) FROM " + integers(1, 2000), {std::string(kind.name)});
    EXPECT_EQ(info(filter, "kind"), kind.name);
    EXPECT_EQ(ask("SELECT sum(bloom_contains(?, i)) FROM " + integers(1, 2000), {filter}), "2000") << kind.name;
    const std::string added =
        ask("SELECT bloom_valid(bloom_add(bloom_create(9, 0.1, ?), 1))", {std::string(kind.name)});
    if (kind.can.add) {
      EXPECT_EQ(added, "1") << kind.name;
    } else {
      EXPECT_THAT(added, AllOf(StartsWith("error: bloom_create: kind must"), HasSubstr(kind.name)));
    }
  }
}

TEST_F(Agg, SkipsNullAndNeverGivesIt) {
  EXPECT_EQ(blob("SELECT bloom_agg(NULL, 100) FROM " + integers(1, 3)).bytes, blob("SELECT bloom_create(100)").bytes);
  EXPECT_EQ(blob("SELECT bloom_agg(NULL) FROM " + integers(1, 3)).bytes, blob("SELECT bloom_create(1)").bytes);
  EXPECT_EQ(blob("SELECT bloom_agg(i, 100) FROM " + integers(1, 3) + " WHERE i > 5").bytes,
            blob("SELECT bloom_create(1)").bytes);
}

TEST_F(Agg, RefusesOptionsThatChange) {
  const std::string rows = " FROM " + integers(1, 3);
  for (const auto& [args, option, values] : {
           std::tuple{"i, 100 * i", "capacity", "100, then 200"},
           std::tuple{"NULL, nullif(100, i * 50)", "capacity", "100, then NULL"},
           std::tuple{"i, 100, 0.1 * i", "fp_rate", "0.1, then 0.2"},
           std::tuple{"i, 100, 0.1, iif(i = 1, 'classic', 'blocked')", "kind", "classic, then blocked"},
           std::tuple{"i, 100, 0.1, iif(i = 1, 'spectral', 'spectral:16')", "kind", "spectral:8, then spectral:16"},
           std::tuple{"i, 100, 0.1, 'classic', -i", "seed", "-1, then -2"},
       }) {
    EXPECT_EQ(ask("SELECT bloom_agg(" + std::string(args) + ")" + rows),
              std::string("error: bloom_agg: ") + option + " must be the same in every row, got " + values);
  }
}

TEST_F(Agg, WorksWithDistinctAndFilterClauses) {
  const Blob filter = blob("SELECT bloom_agg(DISTINCT i / 2) FILTER (WHERE i < 100) FROM " + integers(0, 1000));
  EXPECT_EQ(info(filter, "keys"), "50");
}

TEST_F(Agg, FreesItsStateWhenAStatementFails) {
  run("CREATE TABLE t(g, x)");
  run("INSERT INTO t SELECT i % 7, i FROM " + integers(1, 1000));
  EXPECT_THAT(ask("SELECT bloom_agg(x), bloom_union_agg(bloom_create(5)), sum(json(iif(x = 900, '{', '1'))) FROM t"),
              StartsWith("error: malformed JSON"));
}

TEST_F(Agg, OfManyGroupsIsWhatEachGroupAloneGives) {
  run("CREATE TABLE t AS SELECT i % 37 AS g, i / 100 AS k, i % 3 AS s FROM " + integers(0, 9999));
  EXPECT_EQ(
      ask("SELECT count(*) FROM (SELECT g, s, bloom_agg(k, NULL, 0.02, 'classic', s) AS f FROM t GROUP BY g, s) a "
          "WHERE f <> (SELECT bloom_agg(k, NULL, 0.02, 'classic', a.s) FROM t WHERE t.g = a.g AND t.s = a.s)"),
      "0");
}

TEST_F(UnionAgg, UnitesEveryRow) {
  run("CREATE TABLE t(f)");
  run("INSERT INTO t SELECT bloom_add(bloom_create(1000), i) FROM " + integers(1, 500));
  run("INSERT INTO t VALUES (NULL)");
  EXPECT_EQ(blob("SELECT bloom_union_agg(f) FROM t").bytes,
            blob("SELECT bloom_agg(i, 1000) FROM " + integers(1, 500)).bytes);
}

TEST_F(UnionAgg, OfNothingIsNull) {
  EXPECT_EQ(ask("SELECT bloom_union_agg(i) FROM " + integers(1, 3) + " WHERE i > 5"), "NULL");
  EXPECT_EQ(ask("SELECT bloom_union_agg(NULL) FROM " + integers(1, 3)), "NULL");
}

TEST_F(UnionAgg, RefusesWhatDoesNotFitTogether) {
  EXPECT_THAT(ask("SELECT bloom_union_agg(bloom_create(100, 0.01, 'blocked', i)) FROM " + integers(1, 3)),
              StartsWith("error: bloom_union_agg: seed must equal"));
  EXPECT_EQ(ask("SELECT bloom_union_agg(i) FROM " + integers(1, 3)),
            "error: bloom_union_agg: argument 1 must be a filter, got 1");
  EXPECT_THAT(ask("SELECT bloom_union_agg(iif(i = 2, zeroblob(100), bloom_create(9))) FROM " + integers(1, 3)),
              StartsWith("error: bloom_union_agg: magic must be"));
}

}  // namespace
}  // namespace crivo::testing

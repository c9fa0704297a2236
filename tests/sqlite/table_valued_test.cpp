// The table-valued functions: their common behavior, and the rows of bloom_probe and bloom_layers.
#include "crivo/kinds.h"
#include "database.h"

namespace crivo::testing {
namespace {

class TableValued : public SqliteTest {};

TEST_F(TableValued, AMissingArgumentIsNamed) {
  EXPECT_THAT(ask("SELECT * FROM bloom_each"), HasSubstr("bloom_each: filter must be set"));
  EXPECT_THAT(ask("SELECT * FROM bloom_probe"), HasSubstr("bloom_probe: filter must be set"));
  EXPECT_THAT(ask("SELECT * FROM bloom_probe(NULL)"), HasSubstr("bloom_probe: keys must be set"));
  EXPECT_THAT(ask("SELECT * FROM bloom_probe(NULL, '[]', 1)"), HasSubstr("too many arguments"));
}

TEST_F(TableValued, OnlyAnEqualityPassesAnArgument) {
  EXPECT_THAT(ask("SELECT * FROM bloom_probe WHERE filter = bloom_create(9) AND keys > '[1]'"),
              HasSubstr("bloom_probe: keys must be set"));
  EXPECT_EQ(ask("SELECT count(*) FROM bloom_probe(bloom_create(9), '[1, 2]') WHERE keys < '[1]'"), "2");
  EXPECT_EQ(ask("SELECT count(*) FROM bloom_probe(bloom_create(9), '[1, 2]') WHERE keys > '[1]'"), "0");
}

// SQLite requests a plan for each term of an OR, without the arguments.
TEST_F(TableValued, TheirColumnsMayStandInAnOr) {
  EXPECT_EQ(ask("SELECT count(*) FROM bloom_each(bloom_create(5)) WHERE name = 'kind' OR name = 'capacity'"), "2");
  EXPECT_EQ(ask("SELECT count(*) FROM bloom_dump(bloom_create(5), 64) WHERE seq = 0 OR seq = 1"), "2");
  EXPECT_EQ(ask("SELECT count(*) FROM bloom_layers(bloom_create(5)) WHERE layer = 0 OR k = 99"), "1");
  EXPECT_EQ(ask("SELECT count(*) FROM bloom_probe((SELECT bloom_agg(1)), '[1, 2, 3]') WHERE key = 1 OR key = 3"), "2");
  run("CREATE TABLE t AS SELECT bloom_sketch_add(bloom_sketch(40, 'integers'), 1, 2, 5) AS a, "
      "bloom_sketch_add(bloom_sketch(40, 'integers'), 2, 3) AS b");
  EXPECT_EQ(ask("SELECT group_concat(key) FROM t, bloom_difference(a, b) WHERE side = 'second' OR key = 5"), "5,3");
  EXPECT_EQ(ask("SELECT group_concat(key) FROM t, bloom_difference(a, b) WHERE key < 2 OR key > 4"), "1,5");
}

TEST_F(TableValued, WhatIsNoFilterIsRefusedByTheFunctionsName) {
  for (const std::string call : {"bloom_each(", "bloom_layers(", "bloom_probe('[]', ", "bloom_dump("}) {
    const std::string name = call.substr(0, call.find('('));
    const bool probe = name == "bloom_probe";
    const auto rows = [&](const std::string& filter) {
      return "SELECT * FROM " + name + "(" + filter + (probe ? ", '[1]')" : ")");
    };
    EXPECT_THAT(ask(rows("'text'")), StartsWith("error: " + name + ": argument 1 must be a filter, got 'text'"));
    EXPECT_THAT(ask(rows("zeroblob(100)")), StartsWith("error: " + name + ": magic must be"));
    EXPECT_EQ(ask(rows("bloom_create(9)")).substr(0, 5) == "error", false);
  }
}

TEST_F(TableValued, WorkInViewsOfUntrustedSchemas) {
  run("PRAGMA trusted_schema = 0");
  run("CREATE VIEW v AS SELECT (SELECT count(*) FROM bloom_each(bloom_create(9))) "
      "+ (SELECT count(*) FROM bloom_layers(bloom_create(9))) + (SELECT count(*) FROM bloom_dump(bloom_create(9))) "
      "+ (SELECT count(*) FROM bloom_probe(bloom_create(9), '[1, 2]')) AS n");
  EXPECT_EQ(ask("SELECT n > 10 FROM v"), "1");
}

TEST_F(TableValued, AnArgumentMayComeFromATableThatIsReadLater) {
  run("CREATE TABLE keys(j)");
  run("INSERT INTO keys VALUES ('[1, 2]'), ('[3]')");
  run("CREATE TABLE filters(f)");
  run("INSERT INTO filters VALUES (bloom_add(bloom_create(9, 1e-9), 1, 3)), (bloom_add(bloom_create(9, 1e-9), 2))");
  EXPECT_EQ(ask("SELECT group_concat(maybe, '') FROM (SELECT maybe FROM bloom_probe(f, j), keys, filters "
                "ORDER BY filters.rowid, keys.rowid, key)"),
            "101010");
  EXPECT_EQ(ask("SELECT count(*) FROM filters LEFT JOIN keys LEFT JOIN bloom_probe(f, j) ON maybe"), "4");
}

class Probe : public SqliteTest {};

TEST_F(Probe, GivesKeysAndAnswersInTheOrderOfTheArray) {
  const Blob filter = blob("SELECT bloom_add(bloom_create(100, 1e-9), 'b', 2)");
  EXPECT_EQ(ask("SELECT group_concat(quote(key) || quote(maybe), ' ') FROM bloom_probe(?, "
                "'[\"b\", \"a\", null, 2, 2.0, 1, \"2\", true]')",
                {filter}),
            "'b'1 'a'0 NULLNULL 21 2.01 10 '2'1 10");
  EXPECT_EQ(ask("SELECT group_concat(rowid) FROM bloom_probe(?, '[5, 5, null]')", {filter}), "1,2,3");
}

TEST_F(Probe, GivesTheKeysThatJsonEachGives) {
  const std::string array =
      R"(["", "a", "ä\u00e4\ud83d\ude00\n", 0, -0, 1, -9223372036854775808, 9223372036854775807, 9223372036854775808,)"
      R"( 0.1, 1e20, -1.5e-300, 1e999, 0.30000000000000004, true, false, null, "null"])";
  EXPECT_EQ(ask("SELECT group_concat(typeof(key) || quote(key)) FROM bloom_probe(NULL, ?)", {array}),
            ask("SELECT group_concat(typeof(value) || quote(value)) FROM json_each(?)", {array}));
  EXPECT_EQ(ask("SELECT count(*) FROM bloom_probe(NULL, ?)", {array}), "18");
}

TEST_F(Probe, AnswersAsContainsDoesForManyKeysOfEveryKind) {
  for (const KindInfo& kind : kinds()) {
    if (kind.can.needs_values()) continue;
    const Blob filter = blob("SELECT bloom_agg(i, NULL, 0.1, ?) FROM " + integers(1, 500), {std::string(kind.name)});
    const std::string keys = ask("SELECT json_group_array(i) FROM " + integers(1, 2000));
    EXPECT_EQ(
        ask("SELECT count(*) FROM bloom_probe(?1, ?2) WHERE maybe IS NOT bloom_contains(?1, key)", {filter, keys}), "0")
        << kind.name;
    EXPECT_EQ(ask("SELECT count(*) || ' ' || sum(maybe AND key <= 500) FROM bloom_probe(?, ?)", {filter, keys}),
              "2000 500");
  }
}

TEST_F(Probe, FollowsTheRulesForNull) {
  EXPECT_EQ(ask("SELECT group_concat(quote(key) || quote(maybe)) FROM bloom_probe(NULL, '[1, null, \"a\"]')"),
            "1NULL,NULLNULL,'a'NULL");
  EXPECT_EQ(ask("SELECT count(*) FROM bloom_probe(bloom_create(9), NULL)"), "0");
  EXPECT_EQ(ask("SELECT count(*) FROM bloom_probe(bloom_create(9), ' [ ] ')"), "0");
}

TEST_F(Probe, RefusesWhatIsNoArrayOfKeys) {
  for (const char* keys : {"'[1'", "'[[1]]'", "'{\"a\": 1}'", "'a'", "5", "x'5b5d'", "'[1] x'"}) {
    for (const char* filter : {"NULL", "bloom_create(9)"}) {
      EXPECT_THAT(ask("SELECT * FROM bloom_probe(" + std::string(filter) + ", " + keys + ")"),
                  StartsWith("error: bloom_probe: keys must be a JSON array of texts and numbers, got "))
          << keys;
    }
  }
}

class Layers : public SqliteTest {};

TEST_F(Layers, OfAScalableFilterAreItsOwn) {
  const Blob filter = blob("SELECT bloom_agg(i, 100, 1e-9, 'scalable:4') FROM " + integers(1, 1000));
  EXPECT_EQ(ask("SELECT group_concat(layer || ' ' || capacity || ' ' || keys) FROM bloom_layers(?)", {filter}),
            "0 100 100,1 400 400,2 1600 500");
  EXPECT_EQ(ask("SELECT sum(bits) FROM bloom_layers(?)", {filter}), info(filter, "bits"));
  EXPECT_EQ(
      ask("SELECT sum(fp_rate) <= 1e-9 AND min(fp_rate) > 0 AND max(current_fp_rate <= fp_rate) FROM bloom_layers(?)",
          {filter}),
      "1");
  EXPECT_EQ(ask("SELECT abs(sum(fill * bits) / sum(bits) - ?2) < 1e-12 FROM bloom_layers(?1)",
                {filter, std::stod(info(filter, "fill"))}),
            "1");
  EXPECT_EQ(ask("SELECT k FROM bloom_layers(?)", {filter}), info(filter, "k"));
}

TEST_F(Layers, OfAnyOtherFilterAreOneRowOfWhatInfoTells) {
  for (const KindInfo& kind : kinds()) {
    if (kind.kind == Kind::kScalable || kind.can.needs_values()) continue;
    const Blob filter = blob("SELECT bloom_agg(i, 100, 0.01, ?) FROM " + integers(1, 80), {std::string(kind.name)});
    for (const std::string field : {"capacity", "keys", "bits", "k", "fill", "fp_rate", "current_fp_rate"}) {
      EXPECT_EQ(ask("SELECT count(*) || ' ' || (abs(l." + field +
                        " - e.value) <= 0) FROM bloom_layers(?1) l, "
                        "bloom_each(?1) e WHERE e.name = ?2",
                    {filter, field}),
                "1 1")
          << kind.name << " " << field;
    }
  }
  EXPECT_EQ(ask("SELECT count(*) FROM bloom_layers(NULL)"), "0");
}

}  // namespace
}  // namespace crivo::testing

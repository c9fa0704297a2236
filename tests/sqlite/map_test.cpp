// bloom_map_agg and bloom_get.
#include "crivo/kinds.h"
#include "database.h"

namespace crivo::testing {
namespace {

class Maps : public SqliteTest {
 protected:
  /// A map from i to i * i modulo 1009, for i from 1 to n.
  Blob squares(int n, const std::string& options = "") {
    return blob("SELECT bloom_map_agg(i, i * i % 1009" + options + ") FROM " + integers(1, n));
  }
};

TEST_F(Maps, GiveEveryKeyItsValue) {
  for (const int n : {1, 1000}) {
    for (const std::string options : {"", ", 0.5", ", 1", ", 0.000001, 7"}) {
      const Blob map = squares(n, options);
      EXPECT_EQ(ask("SELECT sum(bloom_get(?, i) = i * i % 1009) FROM " + integers(1, n), {map}), std::to_string(n));
      EXPECT_EQ(ask("SELECT sum(bloom_contains(?, i)) FROM " + integers(1, n), {map}), std::to_string(n));
      EXPECT_EQ(info(map, "kind"), "map");
    }
  }
}

TEST_F(Maps, FollowTheRulesForNull) {
  EXPECT_EQ(ask("SELECT quote(bloom_get(NULL, 1)) || quote(bloom_get(bloom_map_agg(1, 2), NULL))"), "NULLNULL");
  EXPECT_EQ(ask("SELECT bloom_info(bloom_map_agg(NULL, 2)) ->> 'keys'"), "0");
  EXPECT_EQ(ask("SELECT bloom_info(bloom_map_agg(1, 2)) ->> 'kind' WHERE 0"), "map");
  EXPECT_EQ(ask("SELECT bloom_map_agg(1, NULL)"),
            "error: bloom_map_agg: value must be an integer from 0 to 4294967295, got NULL");
  EXPECT_EQ(ask("SELECT bloom_get(bloom_map_agg(1, 2, 1e-9), 'absent')"), "NULL");
}

TEST_F(Maps, RefuseWhatTheyCannotHold) {
  const std::string values = "error: bloom_map_agg: value must be an integer from 0 to 4294967295, got ";
  EXPECT_EQ(ask("SELECT bloom_map_agg(1, -1)"), values + "-1");
  EXPECT_EQ(ask("SELECT bloom_map_agg(1, 4294967296)"), values + "4294967296");
  EXPECT_EQ(ask("SELECT bloom_map_agg(1, 2.5)"), values + "2.5");
  EXPECT_EQ(ask("SELECT bloom_map_agg(1, 1e300)"), values + "1e+300");
  EXPECT_EQ(ask("SELECT bloom_get(bloom_map_agg(1, 5.0), 1)"), "5") << "as sum() of REALs gives it";
  EXPECT_EQ(ask("SELECT bloom_map_agg(1, '7')"), values + "'7'");
  EXPECT_EQ(ask("SELECT bloom_get(bloom_map_agg(1, 4294967295), 1)"), "4294967295");
  EXPECT_THAT(ask("SELECT bloom_map_agg(1, i) FROM " + integers(5, 6)),
              StartsWith("error: bloom_map_agg: value must be the same for each occurrence of a key, got 5 and 6 "));
  EXPECT_EQ(ask("SELECT bloom_get(bloom_map_agg(1, 5), 1) FROM " + integers(1, 3)), "5") << "the same pair, again";
  EXPECT_EQ(ask("SELECT bloom_map_agg(1, 2, 0)"), "error: bloom_map_agg: fp_rate must be in (0, 1], got 0");
  EXPECT_EQ(ask("SELECT bloom_map_agg(1, 2, 'x')"),
            "error: bloom_map_agg: fp_rate must be a number in (0, 1], got 'x'");
  EXPECT_EQ(ask("SELECT bloom_map_agg(i, 2, 1.0 / i) FROM " + integers(1, 2)),
            "error: bloom_map_agg: fp_rate must be the same in every row, got 1, then 0.5");
}

TEST_F(Maps, AreNotMadeOfKeysAlone) {
  const std::string with_values = "kind must not be map or exact, got map; use bloom_map_agg";
  EXPECT_EQ(ask("SELECT bloom_agg(1, NULL, 0.01, 'map')"), "error: bloom_agg: " + with_values);
  EXPECT_EQ(ask("SELECT bloom_agg(NULL, NULL, 0.01, 'map')"), "error: bloom_agg: " + with_values);
  EXPECT_THAT(ask("SELECT bloom_create(10, 0.01, 'map')"), StartsWith("error: bloom_create: kind must support adding"));
  EXPECT_THAT(ask("SELECT bloom_add(bloom_map_agg(1, 2), 3)"), StartsWith("error: bloom_add: kind must support"));
  for (const KindInfo& kind : kinds()) {
    if (kind.can.needs_values()) continue;
    EXPECT_EQ(ask("SELECT bloom_get(bloom_agg(1, NULL, 0.01, ?), 1)", {std::string(kind.name)}),
              "error: bloom_get: kind must support finding values (map), got " + std::string(kind.name));
  }
}

}  // namespace
}  // namespace crivo::testing

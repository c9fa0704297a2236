// bloom_exact_agg.
#include "database.h"

namespace crivo::testing {
namespace {

class Exacts : public SqliteTest {
 protected:
  /// A filter of the integers from 1 to n. Every seventh is a member.
  Blob sevens(int n, const std::string& options = "") {
    return blob("SELECT bloom_exact_agg(i, i % 7 = 0" + options + ") FROM " + integers(1, n));
  }
};

TEST_F(Exacts, AreCertainOfEveryKey) {
  for (const int n : {1, 1000}) {
    for (const std::string options : {"", ", 1", ", 0.01", ", 0.000001, 7"}) {
      const Blob filter = sevens(n, options);
      EXPECT_EQ(ask("SELECT sum(bloom_contains(?, i) = (i % 7 = 0)) FROM " + integers(1, n), {filter}),
                std::to_string(n));
      EXPECT_EQ(info(filter, "kind"), "exact");
      EXPECT_EQ(info(filter, "keys"), std::to_string(n));
    }
  }
}

TEST_F(Exacts, FollowTheRulesForNull) {
  EXPECT_EQ(ask("SELECT bloom_info(bloom_exact_agg(NULL, 1)) ->> 'keys'"), "0");
  EXPECT_EQ(ask("SELECT bloom_info(bloom_exact_agg(1, 1)) ->> 'kind' WHERE 0"), "exact");
}

TEST_F(Exacts, RefuseWhatTheyCannotHold) {
  const std::string sides = "error: bloom_exact_agg: is_member must be the integer 0 or 1, got ";
  EXPECT_EQ(ask("SELECT bloom_exact_agg(1, NULL)"), sides + "NULL");
  EXPECT_EQ(ask("SELECT bloom_exact_agg(1, 2)"), sides + "2");
  EXPECT_EQ(ask("SELECT bloom_exact_agg(1, 'yes')"), sides + "'yes'");
  EXPECT_EQ(ask("SELECT bloom_exact_agg(1, 0.5)"), sides + "0.5");
  EXPECT_EQ(ask("SELECT bloom_contains(bloom_exact_agg(1, 1.0), 1)"), "1");
  EXPECT_THAT(ask("SELECT bloom_exact_agg(1, i) FROM " + integers(0, 1)),
              StartsWith("error: bloom_exact_agg: key must be in only one set, got one in both, or two with "
                         "the same hash, "));
  EXPECT_EQ(ask("SELECT bloom_exact_agg(1, 1, 0)"), "error: bloom_exact_agg: fp_rate must be in (0, 1], got 0");
  EXPECT_EQ(ask("SELECT bloom_agg(1, NULL, 0.01, 'exact')"),
            "error: bloom_agg: kind must not be map or exact, got exact; use bloom_exact_agg");
  EXPECT_THAT(ask("SELECT bloom_create(10, 0.01, 'exact')"),
              StartsWith("error: bloom_create: kind must support adding"));
}

}  // namespace
}  // namespace crivo::testing

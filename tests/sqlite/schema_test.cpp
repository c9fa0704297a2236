// The functions in a schema: which are deterministic, and which are safe in an untrusted database.
#include "database.h"

namespace crivo::testing {
namespace {

class Schema : public SqliteTest {
 protected:
  void SetUp() override { run("PRAGMA trusted_schema = 0"); }
};

TEST_F(Schema, WorksInViews) {
  run("CREATE VIEW v AS SELECT bloom_contains(bloom_add(bloom_create(5), 'a'), 'a') AS hit");
  EXPECT_EQ(ask("SELECT hit FROM v"), "1");
  run("CREATE VIEW w AS SELECT bloom_union_agg(f) AS f FROM (SELECT bloom_agg(1, 10) AS f)");
  EXPECT_EQ(ask("SELECT bloom_contains(f, 1) FROM w"), "1");
}

TEST_F(Schema, WorksInChecks) {
  run("CREATE TABLE t(f BLOB CHECK (bloom_valid(f)))");
  run("INSERT INTO t VALUES (bloom_create(5))");
  EXPECT_THAT(ask("INSERT INTO t VALUES (x'00')"), StartsWith("error: CHECK constraint failed"));
  EXPECT_THAT(ask("INSERT INTO t VALUES (NULL)"), StartsWith("error: CHECK constraint failed"));
}

TEST_F(Schema, WorksInGeneratedColumnsAndIndexes) {
  run("CREATE TABLE t(f BLOB, n INT GENERATED ALWAYS AS (bloom_cardinality(f)) STORED, "
      "j GENERATED ALWAYS AS (bloom_info(f)) VIRTUAL)");
  run("CREATE INDEX by_key ON t(bloom_contains(f, 'a'))");
  run("INSERT INTO t(f) SELECT bloom_agg(i, 100) FROM " + integers(1, 20) + " GROUP BY i % 2");
  run("INSERT INTO t(f) VALUES (bloom_add(bloom_create(100, 1e-6), 'a'))");
  EXPECT_EQ(ask("SELECT group_concat(n) FROM t"), "10,10,1");
  EXPECT_EQ(ask("SELECT json_extract(j, '$.keys') FROM t WHERE n = 1"), "1");
  EXPECT_EQ(ask("SELECT n FROM t INDEXED BY by_key WHERE bloom_contains(f, 'a') = 1"), "1");
  EXPECT_EQ(ask("PRAGMA integrity_check"), "ok");
}

TEST_F(Schema, FunctionsAreDeterministicAndInnocuous) {
  constexpr int kWanted = SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  const std::string others =
      "SELECT group_concat(name) FROM (SELECT DISTINCT name FROM pragma_function_list "
      "WHERE (name LIKE 'bloom%' OR name LIKE 'crivo%') AND (flags & ?1) != ?1 ORDER BY name)";
  // These functions depend on the clock, on the library, or on tables.
  EXPECT_EQ(ask(others, {std::int64_t{kWanted}}),
            "bloom_advance,bloom_insert,bloom_snapshot,bloom_table_info,crivo_build_info,crivo_version");
}

TEST_F(Schema, VersionsAreInnocuousButNoConstants) {
  run("CREATE VIEW v AS SELECT crivo_version() <> '' AND crivo_build_info() <> '' AS told");
  EXPECT_EQ(ask("SELECT told FROM v"), "1");
  run("CREATE TABLE t(x)");
  for (const char* function : {"crivo_version", "crivo_build_info"}) {
    EXPECT_EQ(ask(std::string("CREATE INDEX i ON t(") + function + "())"),
              "error: non-deterministic functions prohibited in index expressions");
  }
}

}  // namespace
}  // namespace crivo::testing

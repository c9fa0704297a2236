// The filter that a statement caches between rows is never another row's or an earlier binding's.
#include <ctime>

#include "forged_filter.h"

namespace crivo::testing {
namespace {

class Statements : public SqliteTest {
 protected:
  Blob filter_of(const std::string& key) {
    return blob("SELECT bloom_raw(bloom_add(bloom_create(50, 1e-9), ?))", {key});
  }
};

TEST_F(Statements, AskTheFilterThatIsBoundNow) {
  const std::string keys = "(SELECT 'a' AS k UNION ALL SELECT 'b' UNION ALL SELECT 'c' UNION ALL SELECT 'a')";
  Statement statement(db_.get(), "SELECT group_concat(coalesce(bloom_contains(?, k), '-'), '') FROM " + keys);
  const auto answer = [&](const Arg& filter) {
    sqlite3_reset(statement.get());
    statement.bind({filter});
    EXPECT_EQ(sqlite3_step(statement.get()), SQLITE_ROW) << sqlite3_errmsg(db_.get());
    return statement.column_bytes();
  };
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(answer(filter_of("a")), "1001");
    EXPECT_EQ(answer(filter_of("b")), "0100");
    EXPECT_EQ(answer(nullptr), "----");
    EXPECT_EQ(answer(filter_of("c")), "0010");
  }
  sqlite3_reset(statement.get());
  statement.bind({Blob{"junk"}});
  EXPECT_EQ(sqlite3_step(statement.get()), SQLITE_ERROR);
}

TEST_F(Statements, AskTheSameBufferAgainAfterItsBytesChanged) {
  Statement statement(db_.get(), "SELECT sum(bloom_contains(?, k)) FROM (SELECT 'a' AS k UNION ALL SELECT 'a')");
  Blob buffer = filter_of("b");
  const std::string with_a = filter_of("a").bytes;
  ASSERT_EQ(buffer.bytes.size(), with_a.size());
  for (const char* expected : {"0", "2"}) {
    sqlite3_bind_blob64(statement.get(), 1, buffer.bytes.data(), buffer.bytes.size(), SQLITE_STATIC);
    ASSERT_EQ(sqlite3_step(statement.get()), SQLITE_ROW);
    EXPECT_EQ(statement.column_bytes(), expected);
    sqlite3_reset(statement.get());
    std::copy(with_a.begin(), with_a.end(), buffer.bytes.begin());
  }
}

TEST_F(Statements, AskEachRowsOwnFilter) {
  run("CREATE TABLE t(i INTEGER PRIMARY KEY, f)");
  for (const std::string form : {"bloom_raw", "bloom_compress"}) {
    run("REPLACE INTO t SELECT i, " + form + "(bloom_add(bloom_create(50, 1e-9), i)) FROM " + integers(1, 300));
    EXPECT_EQ(ask("SELECT sum(bloom_contains(f, i)) FROM t"), "300");
    EXPECT_EQ(ask("SELECT sum(bloom_contains(t.f, u.i)) FROM t, t AS u"), "300");
    EXPECT_EQ(ask("SELECT sum(bloom_contains((SELECT f FROM t AS u WHERE u.i = t.i % 300 + 1), t.i % 300 + 1)) FROM t"),
              "300");
    EXPECT_EQ(ask("SELECT sum(bloom_contains(iif(i % 2, f, NULL), i)) FROM t"), "150");
  }
}

TEST_F(Statements, FindADamagedFilterOutWhereAGoodOneWasAsked) {
  for (const char* form : {"bloom_raw", "bloom_compress"}) {
    const std::string question = "SELECT group_concat(bloom_contains(iif(i, ?1, NULL), 7), '') FROM " + integers(1, 3);
    const Blob good = blob(std::string("SELECT ") + form + "(bloom_agg(i, 30000)) FROM " + integers(1, 20000));
    ASSERT_EQ(ask(question, {good}), "111");
    Blob bad = good;
    // All payload bytes are damaged, so that an answer from the payload would be wrong for some of the keys.
    for (std::size_t at = kBlobHeaderBytes; at < bad.bytes.size(); ++at) bad.bytes[at] = '\0';
    EXPECT_THAT(ask(question, {bad}), ::testing::HasSubstr("checksum must match")) << form;
    EXPECT_EQ(ask("SELECT bloom_valid(?)", {bad}), "0");
    EXPECT_EQ(ask(question, {good}), "111") << form;
  }
}

TEST_F(Statements, LetEachOfTwoFiltersWithOneHeaderAnswerForItself) {
  const Blob good = blob("SELECT bloom_raw(bloom_agg(i, 30000)) FROM " + integers(1, 3000));
  const std::optional<Blob> forged = forged_twin(good);  // the same header and size, and almost no keys
  ASSERT_TRUE(forged) << "no such payload was found";
  ASSERT_EQ(ask("SELECT bloom_valid(?)", {*forged}), "1");
  const std::string hits = "SELECT sum(bloom_contains(iif(i, ?, NULL), i)) FROM " + integers(1, 3000);
  for (int round = 0; round < 3; ++round) {
    EXPECT_LT(std::stoi(ask(hits, {*forged})), 10);
    EXPECT_EQ(ask(hits, {good}), "3000");
  }
}

TEST_F(Statements, AreHeldToTheLimitOfTheMoment) {
  const Blob filter = blob("SELECT bloom_compress(bloom_agg(i, 1000000)) FROM " + integers(1, 10));
  ASSERT_EQ(ask("SELECT bloom_contains(iif(1, ?, NULL), 7)", {filter}), "1");
  sqlite3_limit(db_.get(), SQLITE_LIMIT_LENGTH, 100000);
  EXPECT_THAT(ask("SELECT bloom_contains(iif(1, ?, NULL), 7)", {filter}),
              ::testing::HasSubstr("raw payload bytes must"));
}

TEST_F(Statements, SeeTwoConstantFiltersApart) {
  EXPECT_EQ(ask("SELECT sum(bloom_contains(?1, k) * 10 + bloom_contains(?2, k)) FROM "
                "(SELECT 'a' AS k UNION ALL SELECT 'b' UNION ALL SELECT 'b')",
                {filter_of("a"), filter_of("b")}),
            "12");
}

TEST_F(Statements, InTriggersSeeTheRowsOwnFilter) {
  run("CREATE TABLE filters(f); CREATE TABLE log(hit)");
  run("CREATE TABLE log(hit)");
  run("CREATE TRIGGER tr AFTER INSERT ON filters BEGIN "
      "INSERT INTO log SELECT bloom_contains(NEW.f, k) FROM (SELECT 'a' AS k UNION ALL SELECT 'b' UNION ALL SELECT "
      "'a'); END");
  run("INSERT INTO filters VALUES (?), (?), (?)", {filter_of("a"), filter_of("b"), filter_of("a")});
  EXPECT_EQ(ask("SELECT group_concat(hit, '') FROM log"), "101010101");
}

TEST_F(Statements, ParseAConstantFilterOnce) {
  // bloom_valid reads this filter of 1.2 MB in every row, which needs about 50 us. A lookup needs about 0.1 us.
  const Blob filter = blob("SELECT bloom_raw(bloom_create(1000000))");
  const auto cpu_time = [&](const std::string& sql, const std::string& answer) {
    const std::clock_t start = std::clock();
    EXPECT_EQ(ask(sql, {filter}), answer);
    return static_cast<double>(std::clock() - start);
  };
  const double parsed_often = cpu_time("SELECT sum(bloom_valid(iif(i, ?, NULL))) FROM " + integers(1, 1000), "1000");
  const double parsed_once = cpu_time("SELECT sum(bloom_contains(?, i)) FROM " + integers(1, 1000), "0");
  EXPECT_LT(parsed_once * 2, parsed_often);
  const double kept = cpu_time("SELECT sum(bloom_contains(iif(i, ?, NULL), i)) FROM " + integers(1, 1000), "0");
  EXPECT_LT(kept * 2, parsed_often);
}

TEST_F(Statements, DecodeAFilterOfASubqueryOnce) {
  // Per row, bloom_valid needs about 2 ms to decode the filter. Comparing the blob with the cached one needs 0.02 ms.
  run("CREATE TABLE t AS SELECT bloom_compress(bloom_agg(i, 1000000)) AS f FROM " + integers(1, 200000));
  const auto cpu_time = [&](const std::string& sql) {
    const std::clock_t start = std::clock();
    EXPECT_EQ(ask(sql), "300");
    return static_cast<double>(std::clock() - start);
  };
  const double decoded = cpu_time("SELECT sum(bloom_valid(iif(i, (SELECT f FROM t), NULL))) FROM " + integers(1, 300));
  EXPECT_LT(cpu_time("SELECT sum(bloom_contains((SELECT f FROM t), i)) FROM " + integers(1, 300)) * 2, decoded)
      << "it takes far longer, and four times as long under ASan, which checks each comparison";
}

TEST_F(Statements, AnOpenedFilterAnswersLikeTheBlob) {
  run("CREATE TABLE opened(f)");
  run("INSERT INTO opened SELECT bloom_agg(i, 1000, 0.01, 'spectral') FROM " + integers(1, 1000));
  for (const char* function : {"bloom_contains", "bloom_count"}) {
    const std::string sum = std::string("SELECT sum(") + function;
    EXPECT_EQ(ask(sum + "((SELECT bloom_open(f) FROM opened), i)) FROM " + integers(1, 3000)),
              ask(sum + "((SELECT f FROM opened), i)) FROM " + integers(1, 3000)));
  }
  EXPECT_EQ(ask("SELECT bloom_contains_all((SELECT bloom_open(f) FROM opened), '[1, 2]')"), "1");
  EXPECT_EQ(ask("SELECT bloom_contains(bloom_open(NULL), 1)"), "NULL");
  EXPECT_EQ(ask("SELECT bloom_contains(bloom_open('junk'), 1)").substr(0, 18), "error: bloom_open:");
}

// The promise of sqlite_ext/README.md: an opened filter works in the call itself, also with WHERE or LIMIT. After an
// operation that stores or compares rows it may be NULL, but never gives a wrong answer.
TEST_F(Statements, AnOpenedFilterAnswersInTheCallItself) {
  run("CREATE TABLE t(f, n)");
  run("INSERT INTO t VALUES (bloom_add(bloom_create(10), 'a'), 1)");
  const std::string asked = " FROM (SELECT 'a' AS k UNION ALL SELECT 'b' UNION ALL SELECT 'a')";
  for (const char* query : {"SELECT bloom_open(f) FROM t", "SELECT bloom_open(f) FROM t WHERE n = 1",
                            "SELECT bloom_open(f) FROM t LIMIT 1", "SELECT bloom_open(f) FROM t LIMIT 1 OFFSET 0"}) {
    EXPECT_EQ(ask("SELECT group_concat(coalesce(bloom_contains((" + std::string(query) + "), k), '-'), '')" + asked),
              "101")
        << query;
  }
  for (const char* query :
       {"SELECT bloom_open(f) FROM t ORDER BY n", "SELECT bloom_open(f) FROM t ORDER BY n LIMIT 1",
        "SELECT DISTINCT bloom_open(f) FROM t", "SELECT bloom_open(f) FROM t GROUP BY n",
        "SELECT max(bloom_open(f)) FROM t", "SELECT bloom_open(f) FROM t UNION SELECT bloom_open(f) FROM t",
        "SELECT bloom_open(f) FROM t UNION ALL SELECT bloom_open(f) FROM t",
        "SELECT o FROM (SELECT bloom_open(f) AS o FROM t)", "SELECT o FROM (SELECT bloom_open(f) AS o FROM t LIMIT 1)",
        "SELECT coalesce((SELECT bloom_open(f) FROM t), NULL)",
        "SELECT iif(n, (SELECT bloom_open(f) FROM t), 0) FROM t",
        "WITH c AS (SELECT bloom_open(f) AS o FROM t) SELECT o FROM c",
        "WITH c AS MATERIALIZED (SELECT bloom_open(f) AS o FROM t) SELECT o FROM c"}) {
    EXPECT_THAT(ask("SELECT group_concat(coalesce(bloom_contains((" + std::string(query) + "), k), '-'), '')" + asked),
                AnyOf("101", "---"))
        << query;
  }
}

TEST_F(Statements, AnOpenedFilterCannotBeStored) {
  run("CREATE TABLE stored AS SELECT bloom_open(bloom_create(10)) AS f");
  EXPECT_EQ(ask("SELECT f FROM stored"), "NULL");
  EXPECT_EQ(ask("WITH c AS MATERIALIZED (SELECT bloom_open(bloom_create(10)) AS f) SELECT bloom_contains(f, 1) FROM c"),
            "NULL");
}

}  // namespace
}  // namespace crivo::testing

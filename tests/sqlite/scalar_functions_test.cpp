// The scalar functions: their results, and the errors for invalid arguments.
#include "crivo/blob.h"
#include "crivo/version.h"
#include "database.h"

namespace crivo::testing {
namespace {

class Create : public SqliteTest {};
class Add : public SqliteTest {};
class Contains : public SqliteTest {};
class Union : public SqliteTest {};
class Estimates : public SqliteTest {};
class Forms : public SqliteTest {};
class Valid : public SqliteTest {};
class Info : public SqliteTest {};
class Build : public SqliteTest {};

TEST_F(Create, HasTheDocumentedDefaults) {
  const Blob filter = blob("SELECT bloom_create(1000)");
  EXPECT_EQ(filter.bytes, blob("SELECT bloom_create(1000, 0.01, 'blocked', 0)").bytes);
  EXPECT_EQ(filter.bytes, blob("SELECT bloom_create(1000.0, NULL, NULL, NULL)").bytes);
  EXPECT_EQ(info(filter, "kind"), "blocked");
  EXPECT_EQ(info(filter, "capacity"), "1000");
  EXPECT_EQ(info(filter, "fp_rate"), "0.01");
  EXPECT_EQ(info(filter, "keys"), "0");
  EXPECT_EQ(info(filter, "seed"), "0");
}

TEST_F(Create, ReadsTheSeedAsTwosComplement) {
  const Blob filter = blob("SELECT bloom_create(10, 0.01, 'blocked', -9223372036854775808)");
  const auto opened = parse_blob(std::as_bytes(std::span(filter.bytes)));
  EXPECT_EQ(opened->ref().shape().seed, std::uint64_t{1} << 63);
}

TEST_F(Create, RefusesACapacityThatIsNoCount) {
  const std::string rule = "error: bloom_create: capacity must be an integer from 1 to 1099511627776, got ";
  for (const auto& [value, shown] :
       std::vector<std::pair<std::string, std::string>>{{"0", "0"},
                                                        {"-5", "-5"},
                                                        {"1.5", "1.5"},
                                                        {"1099511627777", "1099511627777"},
                                                        {"9223372036854775807", "9223372036854775807"},
                                                        {"9e999", "inf"},
                                                        {"'100'", "'100'"},
                                                        {"x'31'", "a blob of 1 bytes"}}) {
    EXPECT_EQ(ask("SELECT bloom_create(" + value + ")"), rule + shown);
  }
  EXPECT_EQ(ask("SELECT bloom_create(NULL)"), "error: bloom_create: capacity must be set, got NULL");
}

TEST_F(Create, RefusesARateOutsideItsRange) {
  for (const char* value : {"0", "1", "-0.1", "1.5", "inf"}) {
    const std::string sql = value == std::string("inf") ? "9e999" : value;
    EXPECT_EQ(ask("SELECT bloom_create(100, " + sql + ")"),
              std::string("error: bloom_create: fp_rate must be in (0, 1), got ") + value);
  }
  EXPECT_EQ(ask("SELECT bloom_create(100, '0.01')"),
            "error: bloom_create: fp_rate must be a number in (0, 1), got '0.01'");
  EXPECT_THAT(ask("SELECT bloom_create(1000000, 1e-300)"), StartsWith("error: bloom_create: fp_rate must be above "));
}

TEST_F(Create, RefusesAnUnknownKindAndABadSeed) {
  EXPECT_THAT(ask("SELECT bloom_create(100, 0.01, 'sieve')"), StartsWith("error: bloom_create: kind must"));
  EXPECT_THAT(ask("SELECT bloom_create(100, 0.01, 'sieve')"), HasSubstr("blocked"));
  EXPECT_EQ(ask("SELECT bloom_create(100, 0.01, 5)"), "error: bloom_create: kind must be a text, got 5");
  EXPECT_EQ(ask("SELECT bloom_create(100, 0.01, 'blocked', 'x')"),
            "error: bloom_create: seed must be a 64-bit integer, got 'x'");
  EXPECT_EQ(ask("SELECT bloom_create(100, 0.01, 'blocked', 1.0)"),
            "error: bloom_create: seed must be a 64-bit integer, got 1");
}

TEST_F(Create, RefusesWhatDoesNotFitTheLimit) {
  EXPECT_THAT(ask("SELECT bloom_create(1099511627776)"), StartsWith("error: bloom_create: capacity must fit"));
  sqlite3_limit(db_.get(), SQLITE_LIMIT_LENGTH, 5000);
  EXPECT_EQ(ask("SELECT length(bloom_raw(bloom_create(3000))) < 5000"), "1");
  EXPECT_THAT(ask("SELECT bloom_create(10000)"), StartsWith("error: bloom_create: capacity must fit"));
}

TEST_F(Create, WrongNumberOfArgumentsIsRefusedWhenPrepared) {
  EXPECT_EQ(ask("SELECT bloom_create()"), "error: wrong number of arguments to function bloom_create()");
  EXPECT_EQ(ask("SELECT bloom_create(1, 0.1, 'blocked', 0, 0)"),
            "error: wrong number of arguments to function bloom_create()");
}

TEST_F(Add, TakesAsManyKeysAsSqliteHasArguments) {
  const int keys = sqlite3_limit(db_.get(), SQLITE_LIMIT_FUNCTION_ARG, -1) - 1;  // 126, or 999 in newer versions
  std::string call = "bloom_add(bloom_create(1000)";
  for (int i = 1; i <= keys; ++i) call += ", " + std::to_string(i);
  EXPECT_EQ(ask("SELECT min(bloom_contains(" + call + "), i)) FROM " + integers(1, keys)), "1");
  EXPECT_EQ(ask("SELECT " + call + ", 'more')"), "error: too many arguments on function bloom_add");
}

TEST_F(Add, OfNullIsANoOp) {
  // A compressed filter that is so full that bloom_add stores it raw. So only an unchanged result has these bytes.
  const Blob filter = blob("SELECT bloom_compress(bloom_agg(i, 1000)) FROM " + integers(1, 500));
  ASSERT_NE(info(filter, "codec"), "raw");
  ASSERT_EQ(info(blob("SELECT bloom_add(?, 1)", {filter}), "codec"), "raw");
  EXPECT_EQ(blob("SELECT bloom_add(?, NULL, NULL)", {filter}).bytes, filter.bytes);
  EXPECT_EQ(blob("SELECT bloom_add(bloom_create(10), NULL, 'a', NULL)").bytes,
            blob("SELECT bloom_add(bloom_create(10), 'a')").bytes);
}

TEST_F(Add, RefusesWhatIsNoFilter) {
  EXPECT_EQ(ask("SELECT bloom_add(NULL, 1)"), "error: bloom_add: argument 1 must be a filter, got NULL");
  EXPECT_EQ(ask("SELECT bloom_add('seen', 1)"),
            "error: bloom_add: argument 1 must be a filter, got 'seen' (query a filter table with WHERE key = ..., "
            "bloom_table_info or bloom_snapshot)");
  EXPECT_THAT(ask("SELECT bloom_add(x'00', NULL)"), StartsWith("error: bloom_add: blob size must be at least 64"));
  EXPECT_THAT(ask("SELECT bloom_add_new(x'00', NULL)"), StartsWith("error: bloom_add_new: blob size must be at least"));
  EXPECT_EQ(ask("SELECT bloom_add(bloom_create(1))"), "error: bloom_add: arguments must be at least 2, got 1");
}

TEST_F(Contains, GivesNullForNull) {
  EXPECT_EQ(ask("SELECT bloom_contains(NULL, 1)"), "NULL");
  EXPECT_EQ(ask("SELECT bloom_contains(bloom_create(1), NULL)"), "NULL");
  EXPECT_EQ(ask("SELECT bloom_contains(NULL, NULL)"), "NULL");
  EXPECT_EQ(ask("SELECT typeof(bloom_contains(bloom_create(1), 1))"), "integer");
}

TEST_F(Contains, RefusesAMalformedFilterWhateverTheKey) {
  EXPECT_EQ(ask("SELECT bloom_contains(5, NULL)"), "error: bloom_contains: argument 1 must be a filter, got 5");
  EXPECT_THAT(ask("SELECT bloom_contains(zeroblob(64), 1)"), StartsWith("error: bloom_contains: magic must"));
  EXPECT_THAT(ask("SELECT bloom_contains(x'', NULL)"), StartsWith("error: bloom_contains: blob size must"));
}

TEST_F(Union, IsTheFilterOfBothSets) {
  const Blob both = blob("SELECT bloom_add(bloom_create(100), 'a', 'b', 'c')");
  EXPECT_EQ(blob("SELECT bloom_union(bloom_add(bloom_create(100), 'a'), bloom_create(100), "
                 "bloom_add(bloom_create(100), 'b', 'c'))")
                .bytes,
            both.bytes);
}

TEST_F(Union, RefusesNullJunkAndALoneOperand) {
  EXPECT_EQ(ask("SELECT bloom_union(bloom_create(1), NULL)"),
            "error: bloom_union: argument 2 must be a filter, got NULL");
  EXPECT_EQ(ask("SELECT bloom_union(NULL, bloom_create(1))"),
            "error: bloom_union: argument 1 must be a filter, got NULL");
  EXPECT_EQ(ask("SELECT bloom_union(bloom_create(1))"), "error: bloom_union: arguments must be at least 2, got 1");
  EXPECT_THAT(ask("SELECT bloom_union(bloom_create(1), zeroblob(100))"),
              StartsWith("error: bloom_union: magic must be"));
}

TEST_F(Estimates, CountDistinctKeysAndTheRateOfTheMoment) {
  const Blob filter = blob("SELECT bloom_agg(i % 5000, 10000) FROM " + integers(1, 20000));
  // 5,000 keys set about 0.33 of 98,000 bits. The estimate's standard deviation is below 40 keys, a fifth of 200.
  EXPECT_NEAR(std::stoi(ask("SELECT bloom_cardinality(?)", {filter})), 5000, 200);
  EXPECT_EQ(ask("SELECT typeof(bloom_cardinality(?))", {filter}), "integer");
  EXPECT_EQ(ask("SELECT bloom_current_fp_rate(?) BETWEEN 0.0001 AND 0.005", {filter}), "1");
  EXPECT_EQ(ask("SELECT bloom_cardinality(bloom_create(100))"), "0");
  EXPECT_EQ(ask("SELECT bloom_current_fp_rate(bloom_create(100))"), "0.0");
}

TEST_F(Estimates, AndInfoOfNullAreNull) {
  for (const char* function :
       {"bloom_cardinality", "bloom_current_fp_rate", "bloom_info", "bloom_compress", "bloom_raw"}) {
    EXPECT_EQ(ask(std::string("SELECT ") + function + "(NULL)"), "NULL") << function;
    EXPECT_EQ(ask(std::string("SELECT ") + function + "(1)"),
              std::string("error: ") + function + ": argument 1 must be a filter, got 1");
  }
  EXPECT_EQ(ask("SELECT bloom_compress(NULL, 99)"), "NULL");
}

TEST_F(Forms, CompressUnpins) {
  const Blob raw = blob("SELECT bloom_raw(bloom_create(1000))");
  EXPECT_EQ(blob("SELECT bloom_compress(?)", {raw}).bytes, blob("SELECT bloom_create(1000)").bytes);
  EXPECT_NE(info(blob("SELECT bloom_add(bloom_compress(?), 1)", {raw}), "codec"), "raw");
}

TEST_F(Forms, RefuseABadLevel) {
  const std::string rule = "error: bloom_compress: level must be an integer from 1 to 22, got ";
  for (const char* level : {"0", "23", "4294967297", "'x'", "1.5"}) {
    EXPECT_EQ(ask(std::string("SELECT bloom_compress(bloom_create(1), ") + level + ")"), rule + level);
  }
}

TEST_F(Valid, AnswersEveryValue) {
  for (const char* form : {"bloom_raw", "bloom_compress"}) {
    Blob filter = blob(std::string("SELECT ") + form + "(bloom_add(bloom_create(2000), 'a'))");
    EXPECT_EQ(ask("SELECT bloom_valid(?)", {filter}), "1");
    EXPECT_EQ(ask("SELECT bloom_valid(CAST(? AS TEXT))", {filter}), "0");
    filter.bytes.back() = static_cast<char>(filter.bytes.back() ^ 1);
    EXPECT_EQ(ask("SELECT bloom_valid(?)", {filter}), "0") << "one bit differs";
  }
  for (const Arg& value : std::vector<Arg>{nullptr, std::int64_t{1}, 0.5, std::string("text"), Blob{""}}) {
    EXPECT_EQ(ask("SELECT bloom_valid(?)", {value}), "0");
  }
  EXPECT_EQ(ask("SELECT bloom_valid(zeroblob(1000000))"), "0");
}

TEST_F(Valid, ChecksTheLimitBeforeAnythingIsAllocated) {
  // A blob of less than 5,000 bytes that decodes to about 11 MB.
  const Blob bomb = blob("SELECT bloom_create(9000000)");
  ASSERT_LT(bomb.bytes.size(), 5000U);
  sqlite3_limit(db_.get(), SQLITE_LIMIT_LENGTH, 1000000);
  EXPECT_THAT(ask("SELECT bloom_contains(?, 1)", {bomb}), StartsWith("error: bloom_contains: raw payload bytes must"));
  EXPECT_THAT(ask("SELECT bloom_info(?)", {bomb}), StartsWith("error: bloom_info: raw payload bytes must"));
  EXPECT_EQ(ask("SELECT bloom_valid(?)", {bomb}), "0");
}

TEST_F(Info, SaysOverCapacityOfTooManyKeysAndNotOfRepeatedOnes) {
  const std::string agg = "SELECT bloom_agg(i % ?1, 100) FROM " + integers(1, 300);
  EXPECT_EQ(info(blob(agg, {1000}), "over_capacity"), "1");
  const Blob repeated = blob(agg, {50});
  EXPECT_EQ(info(repeated, "keys"), "300");
  EXPECT_EQ(info(repeated, "over_capacity"), "0");
  for (std::int64_t seed = 0; seed < 20; ++seed) {  // about half of the rates are slightly above the requested rate
    const Blob full = blob("SELECT bloom_agg(i, 100, 0.01, 'blocked', ?) FROM " + integers(1, 100), {seed});
    EXPECT_EQ(info(full, "over_capacity"), "0") << seed;
  }
  for (const std::string kind : {"blocked", "classic", "counting", "spectral", "compressed"}) {
    for (std::int64_t seed = 0; seed < 20; ++seed) {
      const Blob twice =
          blob("SELECT bloom_agg(i % 1000, 1000, 0.01, '" + kind + "', ?) FROM " + integers(1, 2000), {seed});
      EXPECT_EQ(info(twice, "over_capacity"), "0") << kind << " " << seed;
    }
    EXPECT_EQ(info(blob("SELECT bloom_agg(i, 1000, 0.01, '" + kind + "') FROM " + integers(1, 1100)), "over_capacity"),
              "1")
        << kind;
  }
}

TEST_F(Info, IsJsonWithEveryField) {
  const Blob filter = blob("SELECT bloom_add(bloom_create(1000, 0.01, 'blocked', -3), 'a', 'a')");
  EXPECT_EQ(ask("SELECT json_valid(bloom_info(?))", {filter}), "1");
  EXPECT_EQ(
      ask("SELECT group_concat(key, ' ') FROM json_each(bloom_info(?))", {filter}),
      "kind capacity fp_rate keys bits k fill predicted_fp_rate current_fp_rate over_capacity seed codec payload_bytes "
      "blob_bytes");
  EXPECT_EQ(info(filter, "keys"), "2");
  EXPECT_EQ(info(filter, "seed"), "-3");
  EXPECT_EQ(info(filter, "blob_bytes"), std::to_string(filter.bytes.size()));
  EXPECT_EQ(info(filter, "payload_bytes"), ask("SELECT length(bloom_raw(?)) - 64", {filter}));
  EXPECT_EQ(
      ask("SELECT json_extract(j, '$.bits') = 8 * json_extract(j, '$.payload_bytes') FROM (SELECT bloom_info(?) AS j)",
          {filter}),
      "1");
  EXPECT_EQ(ask("SELECT CAST(round(json_extract(j, '$.fill') * json_extract(j, '$.bits')) AS INT) "
                "BETWEEN 1 AND json_extract(j, '$.k') FROM (SELECT bloom_info(?) AS j)",
                {filter}),
            "1");
}

TEST_F(Build, NamesWhatRuns) {
  EXPECT_EQ(ask("SELECT crivo_version()"), version());
  EXPECT_THAT(ask("SELECT crivo_build_info()"), StartsWith("crivo " + std::string(version()) + ", sqlite 3."));
  EXPECT_THAT(ask("SELECT crivo_build_info()"), HasSubstr("isa " + std::string(active_isa())));
}

}  // namespace
}  // namespace crivo::testing

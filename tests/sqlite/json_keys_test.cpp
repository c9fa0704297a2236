// bloom_remove, bloom_count, and the functions for a JSON array of keys.
#include <array>
#include <random>

#include "database.h"

namespace crivo::testing {
namespace {

class ManyKeys : public SqliteTest {};

TEST_F(ManyKeys, AddManyIsAdd) {
  EXPECT_EQ(blob("SELECT bloom_add_many(bloom_create(10), '[1, \"two\", 3.5, 4.0, true, false, -7]')").bytes,
            blob("SELECT bloom_add(bloom_create(10), 1, 'two', 3.5, 4, 1, 0, -7)").bytes);
}

TEST_F(ManyKeys, JsonSpellingsOfAKeyAreOneKey) {
  const Blob filter =
      blob("SELECT bloom_add(bloom_create(100, 1e-9), 'ä\"', 'ÿ', 9223372036854775807, 1e20, -0.0, '')");
  EXPECT_EQ(
      ask(R"(SELECT bloom_contains_all(?, '["\u00e4\"", "\u00fF", 9223372036854775807, 100000000000000000000, 0, ""]'))",
          {filter}),
      "1");
  EXPECT_EQ(ask("SELECT bloom_contains_any(?, '[\"9223372036854775808\", \"-0\", null, \"a\"]')", {filter}), "0");
}

TEST_F(ManyKeys, TakesMoreKeysThanArguments) {
  const Blob filter =
      blob("SELECT bloom_add_many(bloom_create(5000, 0.0001), json_group_array(i)) FROM " + integers(1, 5000));
  EXPECT_EQ(ask("SELECT bloom_contains_all(?, json_group_array(i)) FROM " + integers(1, 5000), {filter}), "1");
  EXPECT_EQ(info(filter, "keys"), "5000");
}

TEST_F(ManyKeys, NullIsNoKey) {
  const Blob filter = blob("SELECT bloom_add(bloom_create(10, 1e-9), 'a')");
  EXPECT_EQ(blob("SELECT bloom_add_many(?, '[null]')", {filter}).bytes, filter.bytes);
  EXPECT_EQ(blob("SELECT bloom_add_many(?, NULL)", {filter}).bytes, filter.bytes);
  EXPECT_EQ(blob("SELECT bloom_remove(?, NULL)", {filter}).bytes, filter.bytes);
  EXPECT_EQ(ask("SELECT bloom_contains_any(?, NULL)", {filter}), "NULL");
  EXPECT_EQ(ask("SELECT bloom_contains_all(NULL, '[1]')"), "NULL");
  EXPECT_EQ(ask("SELECT bloom_contains_any(?, '[null]')", {filter}), "0");
  EXPECT_EQ(ask("SELECT bloom_contains_all(?, '[null, \"a\"]')", {filter}), "1");
  EXPECT_EQ(ask("SELECT bloom_contains_any(?, '[]') || bloom_contains_all(?, '[]')", {filter, filter}), "01");
  EXPECT_EQ(ask("SELECT bloom_count(bloom_create(9, 0.1, 'spectral'), NULL)"), "NULL");
}

TEST_F(ManyKeys, RefusesWhatIsNoArrayOfKeys) {
  for (const char* wrong : {"{}", "[1, {}]", "null", "", "[1", "\xff"}) {
    for (const char* function : {"bloom_add_many", "bloom_contains_any", "bloom_contains_all"}) {
      EXPECT_THAT(
          ask(std::string("SELECT ") + function + "(bloom_create(10), ?)", {std::string(wrong)}),
          StartsWith(std::string("error: ") + function + ": keys must be a JSON array of texts and numbers, got "))
          << wrong;
    }
  }
  EXPECT_THAT(ask("SELECT bloom_add_many(bloom_create(10), x'5b315d')"), HasSubstr("keys must be a JSON array"));
  EXPECT_THAT(ask("SELECT bloom_add_many(NULL, '[1]')"), HasSubstr("argument 1 must be a filter, got NULL"));
}

TEST_F(ManyKeys, AJsonTextEndsWhereItsValueEnds) {
  const Blob filter = blob("SELECT bloom_add(bloom_create(10), 1)");
  const std::string error = "error: bloom_contains_any: keys must be a JSON array of texts and numbers, got ";
  EXPECT_EQ(ask("SELECT bloom_contains_any(?, ?)", {filter, std::string("[1]\0 [2]", 8)}), error + "'[1]? [2]'");
  EXPECT_EQ(ask("SELECT bloom_contains_any(?, ?)", {filter, std::string("[1]\0", 4)}), error + "'[1]?'");
  EXPECT_EQ(ask("SELECT bloom_contains_any(?, ?)", {filter, std::string("\xEF\xBB\xBF[1]")}),
            error + "'\xEF\xBB\xBF[1]'");
}

/// Random JSON numbers: integers near 2^63, many digits, exponents outside the range of a double.
std::string random_number(std::mt19937_64& random) {
  const auto below = [&random](std::uint64_t bound) { return random() % bound; };
  const auto digits = [&](std::uint64_t most) {
    std::string text;
    for (std::uint64_t left = 1 + below(most); left > 0; --left) text += static_cast<char>('0' + below(10));
    return text;
  };
  std::string text = below(2) == 0 ? "-" : "";
  if (below(8) == 0) return text + std::to_string((std::uint64_t{1} << 63) - 2 + below(5));
  text += below(3) == 0 ? "0" : static_cast<char>('1' + below(9)) + digits(22);
  if (below(4) != 0) text += "." + digits(22);
  constexpr std::array<const char*, 4> kExponents = {"e", "E+", "e-", "E"};
  if (below(3) == 0) text += kExponents[below(4)] + std::to_string(below(340));
  return text;
}

TEST_F(ManyKeys, ANumberIsTheKeyThatJsonEachGives) {
  std::mt19937_64 random(7);
  run("CREATE TABLE numbers(text)");
  run("BEGIN");
  Statement insert(db_.get(), "INSERT INTO numbers VALUES ('[' || ? || ']')");
  for (int i = 0; i < 50000; ++i) {
    sqlite3_reset(insert.get());
    insert.bind({random_number(random)});
    ASSERT_EQ(sqlite3_step(insert.get()), SQLITE_DONE);
  }
  sqlite3_reset(insert.get());
  run("COMMIT");
  EXPECT_EQ(ask("SELECT coalesce(group_concat(text), 'none') FROM numbers WHERE NOT bloom_contains("
                "bloom_add_many(bloom_create(1, 1e-9), text), (SELECT value FROM json_each(text)))"),
            "none");
}

// SQLite has no integers above 2^63 - 1. json_each and literals convert them to reals.
TEST_F(ManyKeys, LargeIntegersInJsonHaveTheKeyOfTheRealThatTheyBecome) {
  const Blob filter = blob(
      "SELECT bloom_add_many(bloom_create(10, 1e-9), '[9223372036854775808, 10000000000000000000, 1.2e19,"
      " 18446744073709551615, -9223372036854775809]')");
  for (const char* key : {"'9223372036854775808'", "9223372036854775808", "'10000000000000000000'", "1e19", "1e+19",
                          "10000000000000000000", "'12000000000000000000'", "'18446744073709551616'",
                          "18446744073709551615", "'-9223372036854775808'", "-9223372036854775808"}) {
    EXPECT_EQ(ask(std::string("SELECT bloom_contains(?, ") + key + ")", {filter}), "1") << key;
  }
  EXPECT_EQ(ask("SELECT bloom_contains(?, '1e+19')", {filter}), "0");
}

TEST_F(ManyKeys, NumbersInJsonAreReadInEveryEncodingAndTransaction) {
  Database wide;
  ASSERT_EQ(wide.run("PRAGMA encoding = 'UTF-16le'"), SQLITE_OK);
  ASSERT_EQ(wide.run("CREATE TABLE t(f)"), SQLITE_OK);
  ASSERT_EQ(wide.run("INSERT INTO t SELECT bloom_add_many(bloom_create(10, 1e-9), '[0.1, 1e400]')"), SQLITE_OK);
  EXPECT_EQ(wide.ask("SELECT bloom_contains_all(f, '[0.10, 1e999]') AND bloom_contains(f, 'inf') FROM t"), "1");
  ASSERT_EQ(wide.run("VACUUM"), SQLITE_OK);
}

TEST_F(ManyKeys, RemoveRefusesAKeyThatIsAbsent) {
  EXPECT_EQ(ask("SELECT bloom_remove(bloom_create(9, 0.01, 'counting'), 'a')"),
            "error: bloom_remove: key must be in the filter, got an absent key");
}

TEST_F(ManyKeys, KindsThatCannotSayWhichCan) {
  EXPECT_EQ(ask("SELECT bloom_remove(bloom_create(9), 1)"),
            "error: bloom_remove: kind must support remove (counting, growing, cuckoo), got blocked");
  EXPECT_EQ(ask("SELECT bloom_count(bloom_create(9), 1)"),
            "error: bloom_count: kind must support count (counting, spectral, growing, cuckoo), got blocked");
}

}  // namespace
}  // namespace crivo::testing

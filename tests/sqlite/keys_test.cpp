// Which SQL values are the same key.
#include "database.h"

namespace crivo::testing {
namespace {

class Keys : public SqliteTest {
 protected:
  /// At a rate of 1e-9, a false positive among these few keys is practically impossible.
  std::string same(const std::string& stored, const std::string& asked) {
    return ask("SELECT bloom_contains(bloom_add(bloom_create(10, 1e-9), " + stored + "), " + asked + ")");
  }
};

TEST_F(Keys, NumbersThatCompareEqualShareAKey) {
  for (const auto& [stored, asked] :
       std::vector<std::pair<std::string, std::string>>{{"1", "1.0"},
                                                        {"1.0", "'1'"},
                                                        {"'1'", "1"},
                                                        {"0", "-0.0"},
                                                        {"-0.0", "'0'"},
                                                        {"9223372036854774784", "9223372036854774784.0"},
                                                        {"-9223372036854775808", "-9223372036854775808.0"},
                                                        {"-9223372036854775808.0", "'-9223372036854775808'"},
                                                        {"9223372036854775808.0", "'9223372036854775808'"},
                                                        {"1e19", "'10000000000000000000'"},
                                                        {"10000000000000000000", "1e19"},
                                                        {"18446744073709551615", "'18446744073709551616'"},
                                                        {"18446744073709549568", "'18446744073709549568'"},
                                                        {"-1e19", "'-1e+19'"},
                                                        {"0.1", "'0.1'"},
                                                        {"1e20", "'1e+20'"},
                                                        {"9e999", "'inf'"},
                                                        {"-9e999", "'-inf'"},
                                                        {"x'31'", "1"},
                                                        {"'text'", "x'74657874'"}}) {
    EXPECT_EQ(same(stored, asked), "1") << stored << " and " << asked;
    EXPECT_EQ(same(asked, stored), "1") << asked << " and " << stored;
  }
}

TEST_F(Keys, TextIsNotReadAsANumber) {
  for (const auto& [stored, asked] : std::vector<std::pair<std::string, std::string>>{
           {"1", "'1.0'"}, {"1", "'01'"}, {"1", "' 1'"}, {"0", "'-0.0'"}, {"'A'", "'a'"}, {"1", "-1"}, {"''", "' '"}}) {
    EXPECT_EQ(same(stored, asked), "0") << stored << " and " << asked;
  }
}

TEST_F(Keys, EmptyTextAndEmptyBlobAreOneKey) {
  EXPECT_EQ(same("''", "x''"), "1");
  EXPECT_EQ(same("zeroblob(0)", "''"), "1");
  EXPECT_EQ(ask("SELECT bloom_contains(bloom_create(10, 1e-9), '')"), "0");
}

TEST_F(Keys, EndAtTheirLengthAndNotAtANul) {
  const std::string text("a\0b", 3);
  const std::string sql = "SELECT bloom_contains(bloom_add(bloom_create(10, 1e-9), ?), ?)";
  EXPECT_EQ(ask(sql, {text, text}), "1");
  EXPECT_EQ(ask(sql, {text, Blob{text}}), "1");
  EXPECT_EQ(ask(sql, {text, std::string("a")}), "0");
}

TEST_F(Keys, IgnoreAffinityAndCollation) {
  run("CREATE TABLE t(n NUMERIC, s TEXT COLLATE NOCASE)");
  run("INSERT INTO t VALUES ('1.0', 'Word')");  // stored as the integer 1
  EXPECT_EQ(ask("SELECT bloom_contains(bloom_add(bloom_create(10, 1e-9), 1), n) FROM t"), "1");
  EXPECT_EQ(ask("SELECT bloom_contains(bloom_add(bloom_create(10, 1e-9), 'word'), s) FROM t"), "0");
}

TEST_F(Keys, AreNotConvertedInPlace) {
  run("CREATE TABLE t(x)");
  run("INSERT INTO t VALUES (1), (2.5), ('x'), (x'00'), (NULL)");
  EXPECT_EQ(ask("SELECT group_concat(coalesce(bloom_contains(bloom_create(9), x), '-') || typeof(x), ' ') FROM t"),
            "0integer 0real 0text 0blob -null");
}

TEST_F(Keys, AreUtf8InUtf16Databases) {
  const std::string text = "na\xC3\xAFve \xE6\xBC\xA2\xE5\xAD\x97 \xF0\x9F\x8C\x8D";
  for (const char* encoding : {"UTF-16le", "UTF-16be"}) {
    Database wide;
    ASSERT_EQ(wide.run(std::string("PRAGMA encoding = '") + encoding + "'"), SQLITE_OK);
    ASSERT_EQ(wide.run("CREATE TABLE t(x, f)"), SQLITE_OK);
    ASSERT_EQ(wide.run("INSERT INTO t VALUES (?1, bloom_create(10, 1e-9, 'classic'))", {text}), SQLITE_OK);
    ASSERT_EQ(wide.ask("PRAGMA encoding"), encoding);
    ASSERT_EQ(wide.run("UPDATE t SET f = bloom_add(f, x, 12, 0.5)"), SQLITE_OK);
    const Blob filter = wide.blob("SELECT f FROM t");
    EXPECT_EQ(filter.bytes, blob("SELECT bloom_add(bloom_create(10, 1e-9, 'classic'), ?, 12, 0.5)", {text}).bytes);
    EXPECT_EQ(wide.ask("SELECT bloom_contains(f, x) AND bloom_contains(f, '12') FROM t"), "1");
    EXPECT_EQ(wide.ask("SELECT bloom_create(1, 0.1, 'sieve')").substr(0, 26), "error: bloom_create: kind ");
  }
}

}  // namespace
}  // namespace crivo::testing

// bloom_contains_range, and other functions with a filter of kind range.
#include <limits>

#include "crivo/kinds.h"
#include "database.h"

namespace crivo::testing {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

class Ranges : public SqliteTest {
 protected:
  /// The filter that bloom_agg builds from these keys.
  template <class Keys>
  Blob filter_of(const Keys& keys, const std::string& options = "NULL, 0.01, 'range:64'") {
    run("CREATE TEMP TABLE made(key)");
    run("BEGIN");
    for (const auto& key : keys) run("INSERT INTO made VALUES (?)", {key});
    run("COMMIT");
    Blob made = blob("SELECT bloom_agg(key, " + options + ") FROM made");
    run("DROP TABLE made");
    return made;
  }
  std::string has(const Blob& filter, const Arg& low, const Arg& high) {
    return ask("SELECT bloom_contains_range(?, ?, ?)", {filter, low, high});
  }
};

TEST_F(Ranges, IncludeBothEnds) {
  const Blob filter = filter_of(std::vector<std::int64_t>{kMin, -1000, kMax}, "NULL, 1e-6, 'range:64'");
  EXPECT_EQ(has(filter, -1010, -1000), "1");
  EXPECT_EQ(has(filter, -1000, -990), "1");
  EXPECT_EQ(has(filter, -999, -990), "0");
  EXPECT_EQ(has(filter, kMin, kMin), "1");
  EXPECT_EQ(has(filter, kMax, kMax), "1");
  const Blob words = filter_of(std::vector<Blob>{{"apple pie"}, {"banana split"}}, "NULL, 1e-6, 'range:256'");
  EXPECT_EQ(ask("SELECT bloom_contains(?, ?)", {words, Blob{"apple pie"}}), "1");
  EXPECT_EQ(has(words, Blob{""}, Blob{"apple pie"}), "1");
  EXPECT_EQ(has(words, Blob{"banana "}, Blob{"banana "}), "1") << "a key that starts with hi";
  EXPECT_EQ(has(words, Blob{"banana-"}, Blob{"banana-"}), "0");
}

TEST_F(Ranges, KnowNullAndAnEmptyRange) {
  const Blob filter = filter_of(std::vector<std::int64_t>{5, 7});
  for (const auto& [low, high] : std::vector<std::pair<Arg, Arg>>{{nullptr, 7}, {5, nullptr}, {nullptr, nullptr}}) {
    EXPECT_EQ(has(filter, low, high), "NULL");
  }
  EXPECT_EQ(ask("SELECT bloom_contains_range(NULL, 5, 7)"), "NULL");
  EXPECT_EQ(ask("SELECT bloom_contains(?, NULL)", {filter}), "NULL");
  EXPECT_EQ(has(filter, 7, 5), "0");
  EXPECT_EQ(has(filter, kMax, kMin), "0");
  const Blob none = blob("SELECT bloom_agg(NULL, NULL, 0.01, 'range:64') FROM " + integers(1, 3));
  EXPECT_EQ(has(none, kMin, kMax), "0");
}

TEST_F(Ranges, RefuseWhatHasNoOrder) {
  const Blob filter = filter_of(std::vector<std::int64_t>{5, 7});
  constexpr const char* kText = "; CAST a text to BLOB or INTEGER, and use unixepoch() of a date";
  const auto wrong = [](const std::string& name, const std::string& got) {
    return name + " must be an INTEGER or a BLOB for a filter of kind range, got " + got;
  };
  EXPECT_EQ(ask("SELECT bloom_contains(?, '5')", {filter}), "error: bloom_contains: " + wrong("key", "'5'") + kText);
  EXPECT_EQ(ask("SELECT bloom_contains(?, 5.0)", {filter}),
            "error: bloom_contains: " + wrong("key", "5") + "; CAST it to INTEGER");
  EXPECT_EQ(ask("SELECT bloom_agg('2024-01-01', 9, 0.1, 'range:4')"),
            "error: bloom_agg: " + wrong("key", "'2024-01-01'") + kText);
  EXPECT_EQ(has(filter, "5", 7), "error: bloom_contains_range: " + wrong("lo", "'5'") + kText);
  EXPECT_EQ(has(filter, 5, 7.5), "error: bloom_contains_range: " + wrong("hi", "7.5") + "; CAST it to INTEGER");
  EXPECT_EQ(has(filter, 5, Blob{"x"}),
            "error: bloom_contains_range: lo and hi must be two INTEGERs or two BLOBs, got 5 and a blob of 1 bytes");
  EXPECT_THAT(ask("SELECT bloom_agg(1, 9, 0.1, 'range:5')"), HasSubstr("range length must be a power of two"));
}

TEST_F(Ranges, OtherKindsHaveNoRanges) {
  for (const KindInfo& kind : kinds()) {
    if (kind.can.range || kind.can.needs_values()) continue;
    const Blob filter = blob("SELECT bloom_agg(i, NULL, 0.01, ?) FROM " + integers(1, 9), {std::string(kind.name)});
    EXPECT_EQ(has(filter, 1, 2), "error: bloom_contains_range: kind must be range, got " + std::string(kind.name));
  }
}

TEST_F(Ranges, TakeTheIntegersOfAnArray) {
  const Blob filter = filter_of(std::vector<std::int64_t>{-5, 1, 1'000'000'000'000}, "NULL, 1e-9, 'range'");
  EXPECT_EQ(ask("SELECT bloom_contains_all(?, '[-5, true, null, 1000000000000]')", {filter}), "1");
  EXPECT_EQ(ask("SELECT bloom_contains_any(?, '[-6, 2, 77]')", {filter}), "0");
  EXPECT_EQ(ask("SELECT group_concat(maybe, ' ') FROM bloom_probe(?, '[-5, 0, null, 1]')", {filter}), "1 0 1");
  const std::string wrong = "keys must be integers for a filter of kind range, got ";
  EXPECT_EQ(ask("SELECT bloom_contains_all(?, '[1, \"1\"]')", {filter}), "error: bloom_contains_all: " + wrong + "'1'");
  EXPECT_EQ(ask("SELECT bloom_contains_any(?, '[1.5]')", {filter}), "error: bloom_contains_any: " + wrong + "1.5");
  EXPECT_THAT(ask("SELECT count(maybe) FROM bloom_probe(?, '[\"a\"]')", {filter}), HasSubstr(wrong + "'a'"));
}

TEST_F(Ranges, AreRefusedWhereKeysComeLater) {
  const Blob filter = filter_of(std::vector<std::int64_t>{1, 2, 3});
  for (const std::string change :
       {"bloom_add(?, 1)", "bloom_add(?, 'text')", "bloom_add_many(?, '[1]')", "bloom_add_new(?, '[99999999]')",
        "bloom_remove(?, 1)", "bloom_add_times(?, 1, 2)", "bloom_clear(?)", "bloom_count(?, 1)", "bloom_union(?1, ?1)",
        "bloom_intersect(?1, ?1)", "bloom_jaccard(?1, ?1)", "bloom_drop_counts(?)"}) {
    EXPECT_THAT(ask("SELECT " + change, {filter}),
                AllOf(StartsWith("error: "), HasSubstr("kind must"), HasSubstr("range")))
        << change;
  }
  run("CREATE TABLE stored(f)");
  run("INSERT INTO stored VALUES (bloom_raw(?))", {filter});
  EXPECT_THAT(ask("SELECT bloom_insert('stored', 'f', 1, 'key')"), AllOf(HasSubstr("kind must"), HasSubstr("range")));
  EXPECT_THAT(ask("CREATE VIRTUAL TABLE t USING bloom(capacity=100, kind='range:64')"),
              AllOf(HasSubstr("kind must be"), HasSubstr("got range:64")));
  EXPECT_THAT(ask("CREATE VIRTUAL TABLE t USING bloom(source=stored.f, capacity=9, kind=range)"),
              HasSubstr("kind must"));
  run("CREATE VIRTUAL TABLE t USING bloom(capacity=100)");
  EXPECT_THAT(ask("INSERT INTO t(op, arg) VALUES ('union', ?)", {filter}), HasSubstr("kind must"));
}

}  // namespace
}  // namespace crivo::testing

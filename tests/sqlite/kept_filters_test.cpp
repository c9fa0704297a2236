// The filters that a connection keeps: never another filter's answer, never more memory than is promised.
#include "values/kept_filters.h"

#include <optional>
#include <type_traits>

#include "database.h"
#include "forged_filter.h"

namespace crivo::testing {
namespace {

using sqlite::Answer;
using sqlite::KeptFilters;

// Each refers to what it owns, so that a copy would refer to the original's.
static_assert(!std::is_copy_constructible_v<KeptFilters> && !std::is_copy_constructible_v<sqlite::KeptFilter>);

std::span<const std::byte> bytes_of(const Blob& blob) { return std::as_bytes(std::span(blob.bytes)); }

class KeptFilterTest : public SqliteTest {
 protected:
  /// Asks about "a", and tells how often the question was put: once to a filter that was read, twice (of the blob and
  /// of the copy) to a raw one that was kept.
  int times_asked(const Blob& blob) {
    int times = 0;
    const auto answer = kept_.ask(bytes_of(blob), {}, [&times](const FilterRef& filter) {
      ++times;
      return Answer{filter.may_contain("a")};
    });
    EXPECT_TRUE(answer) << answer.error().message;
    return times;
  }

  /// A raw filter of its own seed, with "a" in it.
  Blob filter_of(std::int64_t seed, std::int64_t capacity = 10000) {
    return blob("SELECT bloom_raw(bloom_add(bloom_create(?, 0.01, 'blocked', ?), 'a'))", {capacity, seed});
  }

  /// A question that comes with a new copy of the value in each of three rows.
  std::string ask_thrice(const Blob& filter, const std::string& key) {
    return ask("SELECT group_concat(bloom_contains(iif(i, ?1, NULL), ?2), '') FROM " + integers(1, 3), {filter, key});
  }

  KeptFilters kept_;
};

TEST_F(KeptFilterTest, AreReadTwiceAndThenFound) {
  const Blob filter = filter_of(1);
  EXPECT_EQ(times_asked(filter), 1);
  EXPECT_EQ(times_asked(filter), 1);
  EXPECT_EQ(times_asked(filter), 2);
}

TEST_F(KeptFilterTest, TakeNoMoreThanTheirBound) {
  // Each takes about 1.2 MB, so that 26 fit, and takes the place of the one used longest ago.
  for (std::int64_t seed = 0; seed < 60; ++seed) {
    const Blob filter = filter_of(seed, 1000000);
    for (int i = 0; i < 3; ++i) times_asked(filter);
    EXPECT_LE(kept_.bytes(), KeptFilters::kMaxBytes);
  }
  EXPECT_GT(kept_.bytes(), KeptFilters::kMaxBytes * 9 / 10);
  EXPECT_EQ(times_asked(filter_of(59, 1000000)), 2);
  EXPECT_EQ(times_asked(filter_of(0, 1000000)), 1);
}

TEST_F(KeptFilterTest, LeaveOutTheOneUsedLongestAgo) {
  std::int64_t fit = 0;
  for (const Blob first = filter_of(0, 3000000);; ++fit) {
    const Blob next = filter_of(fit, 3000000);
    const std::uint64_t before = kept_.bytes();
    times_asked(next);
    times_asked(next);
    ASSERT_EQ(times_asked(first), 2) << "used each time, it stays";
    if (kept_.bytes() <= before) break;
  }
  EXPECT_EQ(times_asked(filter_of(1, 3000000)), 1) << "the first of the others had to go";
  EXPECT_EQ(times_asked(filter_of(2, 3000000)), 2) << "and no other";
}

TEST_F(KeptFilterTest, ThatTakeTurnsDoNotPutEachOtherOut) {
  constexpr int kMoreThanFit = 40;
  std::vector<Blob> filters;
  for (int seed = 0; seed < kMoreThanFit; ++seed) filters.push_back(filter_of(seed, 1000000));
  int found = 0;
  for (int round = 0; round < 5; ++round) {
    found = 0;
    for (const Blob& filter : filters) found += times_asked(filter) == 2;
  }
  EXPECT_GT(found, kMoreThanFit / 2);
}

TEST_F(KeptFilterTest, TooLargeAreReadEachTime) {
  const Blob filter = filter_of(1, 30000000);
  ASSERT_GT(filter.bytes.size(), KeptFilters::kMaxBytes);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(times_asked(filter), 1);
  EXPECT_EQ(kept_.bytes(), 0U);
}

TEST_F(KeptFilterTest, AreNeverThoseOfAScanThatSeesEachOnce) {
  for (std::int64_t seed = 0; seed < 3000; ++seed) ASSERT_EQ(times_asked(filter_of(seed)), 1);
  EXPECT_EQ(kept_.bytes(), 0U);
}

TEST_F(KeptFilterTest, DoNotCoverForADamagedBlob) {
  for (const char* form : {"bloom_raw", "bloom_compress"}) {
    const Blob good = blob(std::string("SELECT ") + form + "(bloom_agg(i, 30000)) FROM " + integers(1, 20000));
    ASSERT_EQ(ask_thrice(good, "7"), "111");
    Blob bad = good;
    // Every payload byte is damaged, so that any answer from it would be wrong for some of the keys.
    for (std::size_t at = kBlobHeaderBytes; at < bad.bytes.size(); ++at) bad.bytes[at] = '\0';
    EXPECT_THAT(ask("SELECT bloom_contains(iif(1, ?, NULL), 7)", {bad}), HasSubstr("checksum must match")) << form;
    EXPECT_EQ(ask("SELECT bloom_valid(?)", {bad}), "0");
    EXPECT_EQ(ask_thrice(good, "7"), "111") << form;
  }
}

TEST_F(KeptFilterTest, AreWithinTheLimitOfTheMoment) {
  const Blob filter = blob("SELECT bloom_compress(bloom_agg(i, 1000000)) FROM " + integers(1, 10));
  ASSERT_EQ(ask_thrice(filter, "7"), "111");
  sqlite3_limit(db_.get(), SQLITE_LIMIT_LENGTH, 100000);
  EXPECT_THAT(ask("SELECT bloom_contains(iif(1, ?, NULL), 7)", {filter}), HasSubstr("raw payload bytes must"));
}

TEST_F(KeptFilterTest, OfOneHeaderAnswerEachForItself) {
  // Two filters of the same header and size, valid both: one with 3,000 keys, the other forged to have nearly none.
  const Blob good = blob("SELECT bloom_raw(bloom_agg(i, 30000)) FROM " + integers(1, 3000));
  const std::optional<Blob> found = forged_twin(good);
  ASSERT_TRUE(found) << "no such payload was found";
  const Blob& forged = *found;
  const std::size_t payload = good.bytes.size() - kBlobHeaderBytes;
  ASSERT_EQ(ask("SELECT bloom_valid(?)", {forged}), "1");

  const std::string hits = "SELECT sum(bloom_contains(iif(i, ?, NULL), i)) FROM " + integers(1, 3000);
  for (int round = 0; round < 2; ++round) {
    EXPECT_LT(std::stoi(ask(hits, {forged})), 10);
    EXPECT_EQ(ask(hits, {good}), "3000");
  }

  // By turns each takes the place of the other.
  const auto contains = [](const FilterRef& filter) { return Answer{filter.may_contain("7")}; };
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(*kept_.ask(bytes_of(good), {}, contains), 1);
    EXPECT_EQ(*kept_.ask(bytes_of(forged), {}, contains), 0);
  }
  EXPECT_GT(kept_.bytes(), payload);
  EXPECT_LT(kept_.bytes(), 2 * payload);
}

}  // namespace
}  // namespace crivo::testing

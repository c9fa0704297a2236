// Changes in C: keys are added and removed, and filters are merged. A failed change leaves the filter unchanged.

#include "c_filters.h"

namespace crivo::testing {
namespace {

Filter empty(const char* kind = "counting") { return create(options_of(kind, 2000)); }

TEST(Change, AddsOneByOneManyAndHashesToTheSameBytes) {
  const Filter one = empty(), many = empty(), hashed = empty();
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t i = 0; i < 1500; ++i) {
    const std::string key = present(i);
    ASSERT_EQ(add(one, key), CRIVO_OK);
    hashes.push_back(crivo_hash_key(key.data(), key.size(), 0));
  }
  const KeyList list = present_keys(1500);
  ASSERT_EQ(add(many, list), CRIVO_OK);
  ASSERT_EQ(crivo_add_hashes(hashed.get(), hashes.data(), hashes.size(), nullptr), CRIVO_OK);
  EXPECT_EQ(found(one, list), 1500U);
  EXPECT_EQ(blob_of(many), blob_of(one));
  EXPECT_EQ(blob_of(hashed), blob_of(one));
  EXPECT_EQ(facts_of(one).keys, 1500U);
}

TEST(Change, RemovesAndClears) {
  const Filter filter = empty();
  const Blob before = blob_of(filter);
  for (int times = 0; times < 2; ++times) ASSERT_EQ(add(filter, "a"), CRIVO_OK);
  ASSERT_EQ(crivo_remove(filter.get(), "a", 1, nullptr), CRIVO_OK);
  EXPECT_TRUE(has(filter, "a"));
  ASSERT_EQ(crivo_remove(filter.get(), "a", 1, nullptr), CRIVO_OK);
  EXPECT_FALSE(has(filter, "a"));
  EXPECT_EQ(blob_of(filter), before);
  failure(CRIVO_NOT_FOUND, crivo_remove, filter.get(), "a", 1);
  ASSERT_EQ(add(filter, present_keys(100)), CRIVO_OK);
  ASSERT_EQ(crivo_clear(filter.get(), nullptr), CRIVO_OK);
  EXPECT_EQ(blob_of(filter), before);
}

TEST(Change, AddsAsOftenAsAsked) {
  const Filter filter = empty();
  ASSERT_EQ(crivo_add_times(filter.get(), "a", 1, 3, nullptr), CRIVO_OK);
  EXPECT_EQ(count_of(filter, "a"), 3U);
  ASSERT_EQ(crivo_add_times(filter.get(), "b", 1, 0, nullptr), CRIVO_OK);
  EXPECT_FALSE(has(filter, "b"));
  EXPECT_EQ(facts_of(filter).keys, 3U);
  ASSERT_EQ(crivo_add_times(filter.get(), "c", 1, UINT64_MAX, nullptr), CRIVO_OK);
  EXPECT_GT(count_of(filter, "c"), 7U);
}

TEST(Change, UnitesToTheFilterOfBothSets) {
  const Filter one = empty(), other = empty(), both = empty();
  for (std::uint64_t i = 0; i < 500; ++i) {
    ASSERT_EQ(add(i < 300 ? one : other, present(i)), CRIVO_OK);
    ASSERT_EQ(add(both, present(i)), CRIVO_OK);
  }
  const Blob blob = blob_of(other);
  const Filter read_only = borrow(blob);
  ASSERT_EQ(crivo_unite(one.get(), read_only.get(), nullptr), CRIVO_OK);
  EXPECT_EQ(found(one, present_keys(500)), 500U);
  EXPECT_EQ(blob_of(one), blob_of(both));
  EXPECT_EQ(blob_of(other), blob);
}

TEST(Change, RefusesToMergeWhatDiffers) {
  const Filter filter = filter_of("blocked", 100);
  const Filter other = filter_of("blocked", 5000);
  auto alike = sized<crivo_similarity>();
  for (const auto merge : {&crivo_unite, &crivo_intersect}) {
    EXPECT_THAT(failure(CRIVO_INCOMPATIBLE, merge, filter.get(), other.get()),
                HasSubstr(" must equal the first filter's "));
  }
  failure(CRIVO_INCOMPATIBLE, crivo_compare, filter.get(), other.get(), &alike);
  EXPECT_EQ(alike.first, 0);
}

TEST(Change, IntersectsToWhatBothHave) {
  const Filter one = empty("blocked"), other = empty("blocked");
  ASSERT_EQ(add(one, present_keys(600)), CRIVO_OK);
  ASSERT_EQ(add(other, present_keys(600, 300)), CRIVO_OK);
  const crivo_similarity alike = similarity_of(one, other);
  EXPECT_NEAR(alike.first, 600, 30);
  EXPECT_NEAR(alike.second, 600, 30);
  EXPECT_NEAR(alike.united, 900, 45);
  EXPECT_NEAR(alike.common, 300, 60);
  EXPECT_NEAR(alike.jaccard, 1.0 / 3, 0.08);
  ASSERT_EQ(crivo_intersect(one.get(), other.get(), nullptr), CRIVO_OK);
  EXPECT_EQ(found(one, present_keys(300, 300)), 300U);
  EXPECT_LT(found(one, present_keys(300)), 60U);
}

TEST(Advancing, ForgetsKeysAWindowLater) {
  const Filter filter = create(options_of("window:7 days/7", 100, 1e-9));
  constexpr std::int64_t kDay = 86'400'000;
  ASSERT_EQ(crivo_advance(filter.get(), 19'783 * kDay, nullptr), CRIVO_OK);
  ASSERT_EQ(add(filter, "early"), CRIVO_OK);
  ASSERT_EQ(crivo_advance(filter.get(), 19'790 * kDay, nullptr), CRIVO_OK);
  ASSERT_EQ(add(filter, "late"), CRIVO_OK);
  EXPECT_EQ(crivo_contains(filter.get(), "early", 5, nullptr), 1);
  ASSERT_EQ(crivo_advance(filter.get(), 19'791 * kDay, nullptr), CRIVO_OK);
  EXPECT_EQ(crivo_contains(filter.get(), "early", 5, nullptr), 0);
  EXPECT_EQ(crivo_contains(filter.get(), "late", 4, nullptr), 1);
  crivo_error error{};
  EXPECT_EQ(crivo_advance(filter.get(), -1, &error), CRIVO_BAD_ARGUMENT);
  EXPECT_THAT(error.message, StartsWith("time must be milliseconds since 1970"));
  EXPECT_EQ(crivo_advance(empty("blocked").get(), 0, &error), CRIVO_UNSUPPORTED);
  EXPECT_EQ(crivo_advance(nullptr, 0, &error), CRIVO_BAD_ARGUMENT);
}

}  // namespace
}  // namespace crivo::testing

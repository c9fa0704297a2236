// FilterBuilder, and other ways to build a filter: all of them give the same bytes.
#include "crivo/builder.h"

#include "crivo/host/planned_sizes.h"
#include "every_kind.h"

namespace crivo::testing {
namespace {

class Builder : public PerKind {};
CRIVO_FOR_EVERY_KIND(Builder);

AnyFilter finish(FilterBuilder& builder) { return *builder.finish(); }

/// The filter of these hashes, or the builder's error.
Result<AnyFilter> try_builder(const FilterSpec& spec, const std::vector<std::uint64_t>& hashes, PlannedSizes* sizes,
                              std::uint64_t max_bytes = UINT64_MAX) {
  const BuildOptions options{.max_bytes = max_bytes};
  auto builder = sizes != nullptr ? sizes->builder(spec, options) : FilterBuilder::create(spec, options);
  if (!builder) return builder.error();
  for (const std::uint64_t hash : hashes) {
    if (auto added = add_to(*builder, spec.kind, {&hash, 1}); !added) return added.error();
  }
  return builder->finish();
}

AnyFilter built_by_builder(const FilterSpec& spec, const std::vector<std::uint64_t>& hashes,
                           PlannedSizes* sizes = nullptr) {
  return *try_builder(spec, hashes, sizes);
}

TEST_P(Builder, ASharedPlanGivesTheSameFilter) {
  PlannedSizes sizes;
  for (const std::size_t keys : {50U, 3U, 50U, 0U, 1000U, 50U, 60000U, 3U}) {
    for (const std::uint64_t seed : {0U, 0U, 7U}) {  // another seed gives another filter
      for (const std::uint64_t capacity : {std::uint64_t{0}, std::uint64_t{60000}}) {
        FilterSpec spec = spec_for(capacity);
        spec.seed = seed;
        const auto hashes = present_hashes(keys, seed);
        expect_same_filter(built_by_builder(spec, hashes, &sizes).ref(), built_by_builder(spec, hashes).ref());
      }
    }
  }
}

TEST_P(Builder, ASharedPlanKeepsEachMaxBytes) {
  PlannedSizes sizes;
  const FilterSpec spec = spec_for(1000);
  ASSERT_TRUE(sizes.builder(spec, {}));
  const auto refused = sizes.builder(spec, {.max_bytes = 100});
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
}

TEST_P(Builder, ASharedPlanGrowsToEachMaxBytes) {
  PlannedSizes sizes;
  const FilterSpec spec = spec_for(10);
  const std::uint64_t planned = build_filter(spec, 0).payload().size();
  const auto hashes = present_hashes(5000, 0);
  for (const std::uint64_t max_bytes : {UINT64_MAX, planned, UINT64_MAX}) {
    EXPECT_EQ(message_of(try_builder(spec, hashes, &sizes, max_bytes)),
              message_of(try_builder(spec, hashes, nullptr, max_bytes)));
  }
}

TEST_P(Builder, EveryRouteLeadsToTheSameBytes) {
  const FilterSpec spec = spec_for(5000);
  const auto hashes = present_hashes(5000, 0);
  const auto built = build_from(spec, hashes);
  expect_same_filter(built_by_builder(spec, hashes).ref(), built->ref());
  if (!GetParam().can.add) return;

  AnyFilter in_one_go = build_filter(spec, 0);
  ASSERT_TRUE(in_one_go.add_hashes(hashes));
  expect_same_filter(in_one_go.ref(), built->ref());

  AnyFilter key_by_key = build_filter(spec, 0);
  for (std::uint64_t i = 0; i < 5000; ++i) ASSERT_TRUE(key_by_key.add(present_key(i)));
  expect_same_filter(key_by_key.ref(), built->ref());
}

/// For a kind that removes or counts, the builder keeps every addition, in order. Otherwise it sorts the distinct
/// hashes.
bool keeps_every_addition(const Capabilities& can) { return can.remove || can.count; }

TEST_P(Builder, WithoutACapacityIsSizedForTheKeysItSaw) {
  auto hashes = present_hashes(5000, 0);
  const AnyFilter built = built_by_builder(spec_for(0), hashes);
  if (!keeps_every_addition(GetParam().can)) std::ranges::sort(hashes);
  const auto expected = build_from(spec_for(needs_no_capacity() ? 0 : 5000), hashes);
  expect_same_filter(built.ref(), expected->ref());
}

TEST_P(Builder, WithoutACapacityTakesDuplicates) {
  for (const std::uint64_t distinct : {1U, 100U, 70'000U}) {  // with 70,000 keys, the builder removes duplicates early
    const auto hashes = present_hashes(distinct, 0);
    auto builder = FilterBuilder::create(spec_for(0));
    for (int round = 0; round < 3; ++round) {
      ASSERT_TRUE(add_to(*builder, kind(), hashes));
    }
    EXPECT_EQ(builder->keys(), 3 * distinct);
    AnyFilter filter = finish(*builder);
    EXPECT_EQ(filter.facts().keys, 3 * distinct);
    EXPECT_EQ(count_found(filter.ref(), hashes), distinct);
    if (GetParam().can.remove) {  // each copy needs a slot, and can be removed
      EXPECT_GE(filter.facts().capacity, 3 * distinct);
      for (int round = 0; round < 2; ++round) {
        for (const std::uint64_t hash : hashes) ASSERT_TRUE(filter.remove_hash(hash));
      }
      EXPECT_EQ(count_found(filter.ref(), hashes), distinct);
    } else {
      EXPECT_EQ(filter.facts().capacity, distinct);
      EXPECT_EQ(filter.shape(), build_filter(spec_for(distinct), distinct).shape());
    }
    if (GetParam().can.count) {
      EXPECT_GE(*filter.ref().count_hash(hashes.front()), GetParam().can.remove ? 1U : 3U) << "two were removed";
    }
  }
}

TEST_P(Builder, CountsDuplicatesWithACapacityToo) {
  auto builder = FilterBuilder::create(spec_for(1000));
  const std::uint64_t hash = hash_key(GetParam().hash_id, "the same key", 0);
  ASSERT_TRUE(add_to(*builder, kind(), std::vector(3, hash)));
  EXPECT_EQ(builder->keys(), 3U);
  const AnyFilter filter = finish(*builder);
  EXPECT_EQ(filter.facts().keys, 3U);
  EXPECT_EQ(filter.facts().capacity, 1000U);
  EXPECT_TRUE(filter.may_contain("the same key"));
}

TEST_P(Builder, NoKeysGiveAnEmptyFilter) {
  for (const std::uint64_t capacity : {0U, 10U}) {
    auto builder = FilterBuilder::create(spec_for(capacity));
    const AnyFilter filter = finish(*builder);
    EXPECT_EQ(filter.facts().keys, 0U);
    EXPECT_EQ(filter.facts().capacity,
              capacity != 0 ? capacity : std::max<std::uint64_t>(1, GetParam().default_capacity));
    EXPECT_EQ(count_found(filter.ref(), absent_hashes(1000, 0)), 0U);
  }
}

TEST_P(Builder, RefusesABadSpecAtOnce) {
  EXPECT_THAT(message_of(FilterBuilder::create(spec_for(0, 1.5))), StartsWith("fp_rate must be in (0, 1"));
  EXPECT_THAT(message_of(FilterBuilder::create(spec_for(1000, 0))), StartsWith("fp_rate must be in (0, 1"));
  EXPECT_EQ(message_of(FilterBuilder::create(spec_for(UINT64_MAX))),
            "capacity must be in [1, 1099511627776], got 18446744073709551615");
}

TEST_P(Builder, HonoursTheByteLimit) {
  const std::uint64_t needed = build_filter(kind(), 10'000).payload().size();
  if (needs_no_capacity()) {
    auto builder = FilterBuilder::create(spec_for(0), {.max_bytes = needed / 2});
    EXPECT_EQ(add_to(*builder, kind(), present_hashes(10'000, 0)).error().code, ErrorCode::kTooLarge);
    return;
  }
  const auto too_large = FilterBuilder::create(spec_for(10'000), {.max_bytes = needed - 1});
  EXPECT_EQ(too_large.error().code, ErrorCode::kTooLarge);

  auto grown = FilterBuilder::create(spec_for(0), {.max_bytes = needed - 1});  // fails only after the keys are counted
  ASSERT_TRUE(add_to(*grown, kind(), present_hashes(10'000, 0)));
  const auto finished = grown->finish();
  EXPECT_EQ(finished.error().code, ErrorCode::kTooLarge);
  EXPECT_THAT(finished.error().message, ::testing::StartsWith("capacity must fit in "));
}

}  // namespace
}  // namespace crivo::testing

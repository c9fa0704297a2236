// Union, intersection, filters that cannot be merged, and the similarity of two sets.
#include "crivo/similarity.h"
#include "every_kind.h"

namespace crivo::testing {
namespace {

class Uniting : public PerKind {};
class Intersecting : public PerKind {};
class Similar : public PerKind {};
CRIVO_FOR_KINDS_THAT(Uniting, unite);
CRIVO_FOR_KINDS_THAT(Intersecting, intersect);
CRIVO_FOR_KINDS_THAT(Similar, unite);

constexpr std::uint64_t kCapacity = 3000;

/// A filter of the keys first ... first + count - 1.
AnyFilter filter_of(const FilterSpec& spec, std::uint64_t first, std::uint64_t count) {
  return *build_from(spec, present_hashes(count, spec.seed, first));
}

TEST_P(Uniting, IsTheFilterBuiltFromBoth) {
  AnyFilter united = filter_of(spec_for(kCapacity), 0, 1500);
  ASSERT_TRUE(united.unite(filter_of(spec_for(kCapacity), 1500, 1500).ref()));
  expect_same_filter(united.ref(), filter_of(spec_for(kCapacity), 0, 3000).ref());
}

TEST_P(Uniting, WithAnEmptyFilterChangesNothing) {
  AnyFilter filter = filter_of(spec_for(kCapacity), 0, 1000);
  const AnyFilter before = AnyFilter::copy_of(filter.ref());
  ASSERT_TRUE(filter.unite(build_filter(spec_for(kCapacity), 0).ref()));
  expect_same_filter(filter.ref(), before.ref());
}

TEST_P(Uniting, WithItselfIsAllowedAndLosesNothing) {
  AnyFilter filter = filter_of(spec_for(kCapacity), 0, 1000);
  ASSERT_TRUE(filter.unite(filter.ref()));
  EXPECT_EQ(count_found(filter.ref(), present_hashes(1000, 0)), 1000U);
  EXPECT_EQ(filter.facts().keys, 2000U);
}

TEST_P(Uniting, AddsTheKeyCountsAndKeepsTheFirstOnesFacts) {
  AnyFilter first = filter_of(spec_for(kCapacity, 0.01), 0, 10);
  const AnyFilter other = filter_of(spec_for(kCapacity, 0.01), 0, 20);
  Facts facts = other.facts();
  facts.capacity = 77;
  facts.fp_rate = 0.5;
  facts.keys = UINT64_MAX - 5;
  const auto odd = FilterRef::open(other.shape(), facts, other.payload());
  ASSERT_TRUE(first.unite(*odd));
  EXPECT_EQ(first.facts(), (Facts{UINT64_MAX, kCapacity, 0.01, false}));
}

TEST_P(Intersecting, FindsEveryCommonKey) {
  AnyFilter common = filter_of(spec_for(kCapacity), 0, 2000);
  const AnyFilter other = filter_of(spec_for(kCapacity), 1000, 1500);
  ASSERT_TRUE(common.intersect(other.ref()));
  EXPECT_EQ(count_found(common.ref(), present_hashes(1000, 0, 1000)), 1000U);
  EXPECT_EQ(common.facts().keys, 1500U) << "the smaller of the two counts";
  EXPECT_EQ(common.facts().capacity, kCapacity);
  // A key of only one operand is found only as a false positive of the other: at most 1%, because neither is over-full.
  EXPECT_LT(count_found(common.ref(), present_hashes(1000, 0)), 30U);
}

TEST_P(Intersecting, OfDisjointFiltersFindsNextToNothing) {
  AnyFilter common = filter_of(spec_for(kCapacity), 0, 1500);
  ASSERT_TRUE(common.intersect(filter_of(spec_for(kCapacity), 1500, 1500).ref()));
  EXPECT_LT(count_found(common.ref(), present_hashes(3000, 0)), 90U);  // 3 times the 1% for which the filter is sized
}

TEST_P(Intersecting, WithItselfChangesNothing) {
  AnyFilter filter = filter_of(spec_for(kCapacity), 0, 1000);
  const AnyFilter before = AnyFilter::copy_of(filter.ref());
  ASSERT_TRUE(filter.intersect(filter.ref()));
  expect_same_filter(filter.ref(), before.ref());
}

/// Expects both merges to fail with `message`, and the filter to stay unchanged.
void expect_incompatible(const KindInfo& info, const AnyFilter& first, const FilterRef& other, const std::string& start,
                         const std::string& end) {
  const auto expect_refused = [&](Result<void> (AnyFilter::*merge)(const FilterRef&)) {
    AnyFilter filter = AnyFilter::copy_of(first.ref());
    const auto merged = (filter.*merge)(other);
    EXPECT_EQ(merged.error().code, ErrorCode::kIncompatible);
    EXPECT_THAT(merged.error().message, ::testing::StartsWith(start));
    EXPECT_THAT(merged.error().message, ::testing::HasSubstr(" must equal the first filter's "));
    EXPECT_THAT(merged.error().message, ::testing::HasSubstr(end));
    expect_same_filter(filter.ref(), first.ref());
  };
  if (info.can.unite) expect_refused(&AnyFilter::unite);
  if (info.can.intersect) expect_refused(&AnyFilter::intersect);
}

TEST_P(Uniting, AnotherSeedIsNamed) {
  FilterSpec seeded = spec_for(kCapacity);
  seeded.seed = 5;
  expect_incompatible(GetParam(), build_filter(spec_for(kCapacity), 10), build_filter(seeded, 10).ref(), "seed",
                      "0, got 5");
}

TEST_P(Uniting, AnotherKindIsNamed) {
  for (const KindInfo& other : kinds()) {
    if (other.kind == kind()) continue;
    expect_incompatible(GetParam(), build_filter(kind(), 10), build_filter(other.kind, 10).ref(), "kind",
                        std::string(GetParam().name) + ", got " + std::string(other.name));
  }
}

TEST_P(Uniting, AnotherNumberOfProbesIsNamed) {
  const AnyFilter filter = build_filter(spec_for(kCapacity), 10);
  Shape shape = filter.shape();
  ++shape.k;
  const auto other = FilterRef::open(shape, filter.facts(), filter.payload());
  expect_incompatible(GetParam(), filter, *other, "k",
                      std::to_string(filter.shape().k) + ", got " + std::to_string(shape.k));
}

TEST_P(Uniting, ADifferentSizeIsNamedWithTheRemedy) {
  FilterSpec larger = spec_for(4 * kCapacity);
  expect_incompatible(GetParam(), build_filter(spec_for(kCapacity), 10), build_filter(larger, 10).ref(), "number of ",
                      "create both with the same capacity and rate");
}

// Each cardinality is within 0.5% (answers_test.cpp), so the intersection, a sum of three, is within 0.5% of their sum.
TEST_P(Similar, EstimatesUnionIntersectionAndJaccard) {
  const AnyFilter first = filter_of(spec_for(200'000), 0, 100'000);
  const AnyFilter second = filter_of(spec_for(200'000), 60'000, 80'000);
  const auto compared = compare(first.ref(), second.ref());
  ASSERT_TRUE(compared->has_value());
  const Similarity& similar = **compared;
  EXPECT_NEAR(similar.first, 100'000, 500);
  EXPECT_NEAR(similar.second, 80'000, 400);
  EXPECT_NEAR(similar.united, 140'000, 700);
  EXPECT_NEAR(similar.common, 40'000, 1600);
  EXPECT_NEAR(similar.jaccard, 40.0 / 140, 0.013);
}

TEST_P(Similar, KnowsTheExtremes) {
  const AnyFilter filter = filter_of(spec_for(10'000), 0, 5000);
  const auto itself = compare(filter.ref(), filter.ref());
  ASSERT_TRUE(itself.has_value() && itself->has_value());
  EXPECT_NEAR((*itself)->jaccard, 1.0, 0.01);
  const AnyFilter empty = build_filter(spec_for(10'000), 0);
  const auto nothing = compare(empty.ref(), empty.ref());
  ASSERT_TRUE(nothing.has_value() && nothing->has_value());
  EXPECT_EQ((*nothing)->jaccard, 1.0) << "two empty sets are equal";
  const auto disjoint = compare(filter.ref(), empty.ref());
  ASSERT_TRUE(disjoint.has_value() && disjoint->has_value());
  EXPECT_NEAR((*disjoint)->jaccard, 0.0, 0.01);
}

TEST_P(Similar, SaysNothingOfASaturatedFilter) {
  const AnyFilter saturated = filter_of(spec_for(2), 0, 100'000);
  const auto compared = compare(saturated.ref(), saturated.ref());
  EXPECT_FALSE(compared->has_value());
}

TEST_P(Similar, RefusesWhatCannotBeMerged) {
  FilterSpec seeded = spec_for(1000);
  seeded.seed = 1;
  const auto compared = compare(build_filter(spec_for(1000), 10).ref(), build_filter(seeded, 10).ref());
  EXPECT_EQ(compared.error().code, ErrorCode::kIncompatible);
}

}  // namespace
}  // namespace crivo::testing

// How two sets relate, estimated from their filters.
#include "crivo/similarity.h"

#include "every_kind.h"

namespace crivo::testing {
namespace {

class Similar : public PerKind {};
CRIVO_FOR_KINDS_THAT(Similar, unite);

AnyFilter filter_of(const FilterSpec& spec, std::uint64_t first, std::uint64_t count) {
  return *AnyFilter::build(spec, present_hashes(count, spec.seed, first));
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
  ASSERT_TRUE(itself && itself->has_value());
  EXPECT_NEAR((*itself)->jaccard, 1.0, 0.01);
  const AnyFilter empty = build_filter(spec_for(10'000), 0);
  const auto nothing = compare(empty.ref(), empty.ref());
  ASSERT_TRUE(nothing && nothing->has_value());
  EXPECT_EQ((*nothing)->jaccard, 1.0) << "two empty sets are equal";
  const auto disjoint = compare(filter.ref(), empty.ref());
  ASSERT_TRUE(disjoint && disjoint->has_value());
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

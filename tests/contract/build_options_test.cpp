// BuildOptions: threads change nothing but the time, progress rises to 1, and a cancelled build leaves an error.
#include "crivo/builder.h"
#include "every_kind.h"

namespace crivo::testing {
namespace {

class BuildWith : public PerKind {
 protected:
  /// A filter of the present keys' hashes, whose sizes are the kind's to choose where it lacks `add`.
  static Result<AnyFilter> build(std::uint64_t keys, const BuildOptions& options) {
    return AnyFilter::build(spec_for(std::max<std::uint64_t>(keys, 1)), present_hashes(keys, 0), options);
  }
};
CRIVO_FOR_EVERY_KIND(BuildWith);

TEST_P(BuildWith, AnyNumberOfThreadsLeadsToTheSameBytes) {
  for (const std::uint64_t keys : {0U, 1U, 1000U, 100'000U}) {
    const auto expected = build(keys, {});
    ASSERT_TRUE(expected) << message_of(expected);
    for (const unsigned threads : {0U, 2U, 3U, 8U, 1U << 31}) {
      const auto filter = build(keys, {.threads = threads});
      ASSERT_TRUE(filter) << message_of(filter);
      expect_same_filter(filter->ref(), expected->ref());
    }
  }
}

TEST_P(BuildWith, HashesGivenAwayLeadToTheSameBytes) {
  auto hashes = present_hashes(20'000, 0);
  hashes.insert(hashes.end(), hashes.begin(), hashes.begin() + 500);  // every fortieth twice
  const FilterSpec spec = spec_for(hashes.size());
  const auto expected = AnyFilter::build(spec, hashes);
  ASSERT_TRUE(expected) << message_of(expected);
  const auto filter = AnyFilter::build(spec, std::move(hashes));
  ASSERT_TRUE(filter) << message_of(filter);
  EXPECT_EQ(filter->facts().keys, 20'500U);
  EXPECT_EQ(filter->shape(), expected->shape());
  EXPECT_TRUE(std::ranges::equal(filter->payload(), expected->payload()));
}

TEST_P(BuildWith, ProgressRisesToOne) {
  for (const unsigned threads : {1U, 4U}) {
    std::vector<double> shares;
    const auto note = [&](double done) {
      shares.push_back(done);
      return true;
    };
    ASSERT_TRUE(build(300'000, {.threads = threads, .progress = note}));
    ASSERT_GE(shares.size(), 5U);
    EXPECT_TRUE(std::ranges::is_sorted(shares));
    EXPECT_GE(shares.front(), 0);
    EXPECT_LT(shares.front(), 1);
    EXPECT_EQ(shares.back(), 1);
    if (threads > 1) continue;
    for (std::size_t i = 1; i < shares.size(); ++i) EXPECT_LE(shares[i] - shares[i - 1], 0.25) << shares[i];
  }
}

// What is told is done: half of the keys are in the filter when it says so, and not a chunk later.
TEST_P(BuildWith, ProgressIsNotAChunkLate) {
  if (!GetParam().can.add) return;  // which tells the parts of its work, not its keys
  std::vector<double> shares;
  const auto note = [&](double done) {
    shares.push_back(done);
    return true;
  };
  constexpr std::uint64_t kChunk = 1 << 16;
  ASSERT_TRUE(build(4 * kChunk, {.progress = note}));
  EXPECT_EQ(shares, (std::vector<double>{0.25, 0.5, 0.75, 1}));
}

TEST_P(BuildWith, EveryCallOfProgressCanCancel) {
  for (const unsigned threads : {1U, 3U}) {
    unsigned calls_left = 0;
    unsigned calls = 0;
    const BuildOptions options{.threads = threads, .progress = [&](double) { return ++calls != calls_left; }};
    ASSERT_TRUE(build(100'000, options));
    for (const unsigned all = calls; calls_left < all;) {
      ++calls_left;
      calls = 0;
      const auto filter = build(100'000, options);
      ASSERT_FALSE(filter) << calls_left;
      EXPECT_EQ(filter.error().code, ErrorCode::kCancelled);
      EXPECT_EQ(filter.error().message, "progress must be true for the build to go on, got false");
      EXPECT_EQ(calls, calls_left) << "called again after it said no";
    }
  }
}

TEST_P(BuildWith, TheBuilderPassesItsOptionsOn) {
  double done = 0;
  BuildReport report{.peak_temporary_bytes = UINT64_MAX};
  bool go_on = true;
  const BuildOptions options{.progress =
                                 [&](double share) {
                                   EXPECT_GE(share, done);
                                   done = share;
                                   return go_on;
                                 },
                             .report = &report};
  for (const bool wanted : {true, false}) {
    go_on = wanted;
    done = 0;
    auto builder = FilterBuilder::create(spec_for(0), options);
    ASSERT_TRUE(builder) << message_of(builder);
    for (const std::uint64_t hash : present_hashes(5000, 0)) ASSERT_TRUE(builder->add_hash(hash));
    const auto filter = builder->finish();
    EXPECT_EQ(static_cast<bool>(filter), wanted);
    if (!filter) {
      EXPECT_EQ(filter.error().code, ErrorCode::kCancelled);
    }
  }
  EXPECT_LT(report.peak_temporary_bytes, std::uint64_t{1} << 20);
}

// Copies of a key can fill a cuckoo table early, so that the builder starts again with a larger one.
TEST_P(BuildWith, TheBuildersProgressNeverFalls) {
  std::vector<double> shares;
  const auto note = [&](double done) {
    shares.push_back(done);
    return true;
  };
  auto builder = FilterBuilder::create(spec_for(0), {.progress = note});
  ASSERT_TRUE(builder) << message_of(builder);
  const auto hashes = present_hashes(60'000, 0);
  for (int copies = 0; copies < 3; ++copies) {
    for (const std::uint64_t hash : hashes) ASSERT_TRUE(builder->add_hash(hash));
  }
  ASSERT_TRUE(builder->finish());
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_EQ(shares.back(), 1);
}

}  // namespace
}  // namespace crivo::testing

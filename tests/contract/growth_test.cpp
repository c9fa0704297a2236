// A filter that grows stays within its size limit, and a rejected key leaves it unchanged.
#include "crivo/builder.h"
#include "every_kind.h"

namespace crivo::testing {
namespace {

class Growing : public PerKind {
 protected:
  static constexpr std::uint64_t kKeys = 1000;

  Growing() : small_(build_filter(spec_for(kKeys), kKeys)), limit_(6 * small_.payload().size()) {}

  /// Adds keys until the filter rejects one, and expects the payload to stay within the limit.
  void expect_within_the_limit(AnyFilter filter) const {
    for (std::uint64_t i = 0; i < 100 * kKeys; ++i) {
      const AnyFilter before = filter;
      const auto added = filter.add(present_key(i));
      ASSERT_LE(filter.payload().size(), limit_);
      if (added) continue;
      EXPECT_EQ(added.error().code, ErrorCode::kTooLarge);
      EXPECT_THAT(added.error().message,
                  ::testing::MatchesRegex("payload with a new (layer|group) must be at most the limit of " +
                                          std::to_string(limit_) + " bytes, got [0-9]+"));
      EXPECT_GT(filter.payload().size(), limit_ / 6) << "it never grew";
      expect_same_filter(filter.ref(), before.ref());
      return;
    }
    FAIL() << "the limit was never met";
  }

  AnyFilter small_;
  std::uint64_t limit_;
};
CRIVO_FOR_KINDS_THAT(Growing, grow);

TEST_P(Growing, StaysWithinTheLimitOfItsMaker) {
  expect_within_the_limit(*AnyFilter::create(spec_for(kKeys), limit_));
  expect_within_the_limit(*build_from(spec_for(kKeys), present_hashes(10, 0), {.max_bytes = limit_}));
  expect_within_the_limit(AnyFilter::copy_of(small_.ref(), limit_));
  AlignedBytes payload(small_.payload().begin(), small_.payload().end());
  expect_within_the_limit(*AnyFilter::adopt(small_.shape(), small_.facts(), std::move(payload), limit_));
}

TEST_P(Growing, StaysWithinTheLimitOfItsReader) {
  for (const Bytes& blob : {blob_of(small_.ref()), zstd_blob_of(small_.ref())}) {
    auto opened = parse_blob(blob, {.max_bytes = limit_});
    expect_within_the_limit(std::move(*opened).into_filter());
  }
}

TEST_P(Growing, StaysWithinTheLimitOfItsBuild) {
  const auto hashes = present_hashes(100 * kKeys, 0);
  const auto built = build_from(spec_for(kKeys), hashes, {.max_bytes = limit_});
  EXPECT_EQ(built.error().code, ErrorCode::kTooLarge);

  auto builder = FilterBuilder::create(spec_for(kKeys), {.max_bytes = limit_});
  std::uint64_t taken = 0;
  while (taken < hashes.size() && builder->add_hash(hashes[taken])) ++taken;
  ASSERT_LT(taken, hashes.size());
  const auto finished = builder->finish();
  EXPECT_LE(finished->payload().size(), limit_);
  EXPECT_EQ(
      count_found(finished->ref(), std::vector(hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(taken))),
      taken);
}

}  // namespace
}  // namespace crivo::testing

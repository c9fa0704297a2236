// Different keys with equal 64-bit hashes give every false-positive rate a lower bound.
#include "kinds/collisions.h"

#include <gtest/gtest.h>

#include "crivo/host/sizing.h"
#include "filters.h"
#include "kinds/bloom/sizes.h"

namespace crivo {
namespace {

TEST(Collisions, AreEveryKeysShareOfTwoToThe64) {
  EXPECT_EQ(collision_rate(0), 0);
  EXPECT_EQ(collision_rate(1024), 0x1p-54);
  EXPECT_EQ(collision_rate(1e30), 1);
  EXPECT_EQ(with_collisions(0, 1024), 0x1p-54);
  EXPECT_EQ(with_collisions(0.5, 0x1p63), 0.75);
  EXPECT_EQ(with_collisions(1, 1024), 1);
}

TEST(Collisions, AreTakenOutOfTheRateThatIsLeftForTheFilter) {
  for (const double fp_rate : {0x1p-20, 0x1p-23, 1e-7}) {
    EXPECT_NEAR(with_collisions(without_collisions(fp_rate, kMaxCapacity), 0x1p40), fp_rate, 1e-15 * fp_rate);
  }
  EXPECT_EQ(without_collisions(0x1p-7, 1'000'000), 0x1p-7) << "a share below a millionth is left in";
}

TEST(Collisions, BelongToThePredictedAndThePromisedRateOfEveryKind) {
  constexpr std::uint64_t kKeys = 1'000'000;
  for (const KindInfo& info : kinds()) {
    FilterSpec spec{.kind = info.kind, .capacity = kKeys, .bits_per_key = 60};
    const auto filter = AnyFilter::build(spec, std::span<const std::uint64_t>());
    EXPECT_GE(filter->ref().predicted_fp_rate(kKeys), kKeys * 0x1p-64) << info.name;
    EXPECT_GE(filter->facts().fp_rate, kKeys * 0x1p-64) << info.name;
    EXPECT_GE(filter->facts().fp_rate, filter->ref().predicted_fp_rate(kKeys)) << info.name;
    EXPECT_EQ(filter->ref().predicted_fp_rate(0), 0) << info.name;
  }
}

TEST(Collisions, BelongToTheStatedRateOfEveryKind) {
  for (const KindInfo& info : kinds()) {
    const AnyFilter filter = testing::build_filter(info.kind, 1000, 1e-9);
    const Stats stats = filter.ref().stats();
    EXPECT_GE(stats.current_fp_rate, *stats.cardinality * 0x1p-64) << info.name;
  }
  FilterSpec spec{.capacity = 1000};
  spec.bits_per_key = 1000;  // the rate without equal hashes is 1e-27
  const AnyFilter blocked = testing::build_filter(spec, 1000);
  EXPECT_NEAR(blocked.ref().stats().current_fp_rate, 1000 * 0x1p-64, 100 * 0x1p-64);
}

TEST(Collisions, LeaveNoRateForTooManyKeys) {
  for (const KindInfo& info : kinds()) {
    FilterSpec spec{.kind = info.kind, .capacity = kMaxCapacity, .fp_rate = 0x1p-24};
    const auto refused = AnyFilter::create(spec, 0);
    EXPECT_EQ(refused.error().message.substr(0, 8), "fp_rate ") << info.name << ": " << refused.error().message;
  }
  EXPECT_FALSE(size_ribbon(kMaxCapacity, 0x1p-32));
  EXPECT_TRUE(size_ribbon(1000, 0x1p-32));
}

// Multiply a hash by the constant of classic's positions: the product shares all positions of the hash but one.
TEST(Collisions, OfRelatedHashesAreCountedInClassicRates) {
  constexpr std::uint64_t kMultiplier = 0xF1357AEA2E62A9C5;
  Shape shape{.kind = Kind::kClassic, .k = 30, .units = 1'000'000};
  auto filter = AnyFilter::adopt(shape, {.capacity = 1, .fp_rate = 0.5}, AlignedBytes(125'000));
  constexpr std::uint64_t kHash = 0x0123456789ABCDEF;
  ASSERT_TRUE(filter->add_hashes(std::vector<std::uint64_t>{kHash}));
  EXPECT_FALSE(filter->ref().may_contain_hash(kHash * kMultiplier));
  std::uint64_t last = kHash;  // a hash whose first position is the one that the filter still lacks
  for (int i = 0; i < 30; ++i) last *= kMultiplier;
  ASSERT_TRUE(filter->add_hashes(std::vector<std::uint64_t>{last}));
  EXPECT_TRUE(filter->ref().may_contain_hash(kHash * kMultiplier));

  EXPECT_EQ(related_hash_rate(0.5, 1024, 64), 0x1p-53);   // 2 x (1/2 + 1/4 + ...) times 2^-64 per key
  EXPECT_EQ(related_hash_rate(1, 1024, 3), 4 * 0x1p-54);  // in a full filter: two related hashes on each side
  EXPECT_EQ(related_hash_rate(0.5, 1024, 1), 0);          // a single position is shared with no related hash
  EXPECT_GE(classic_fp_rate(60e6, 1e6, 40), 2.4 * 1e6 * 0x1p-64 / 2);
}

}  // namespace
}  // namespace crivo

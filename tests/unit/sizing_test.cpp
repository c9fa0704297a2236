// Compares the published formulas with values computed by hand, or with 40 digits, from the papers.
#include "crivo/host/sizing.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>

#include "filters.h"
#include "kinds/bloom/block.h"
#include "kinds/bloom/positions.h"
#include "kinds/bloom/sizes.h"

namespace crivo {
namespace {

using testing::message_of;

/// The limit of classic_fp_rate as the number of keys grows: (1 - e^(-kn/m))^k.
double rate_of_many(double bits_per_key, unsigned probes) {
  return std::pow(-std::expm1(-double(probes) / bits_per_key), probes);
}

TEST(Sizing, BestProbesHaveTheLowestRateOfAll) {
  for (double bits_per_key = 0.5; bits_per_key < 90; bits_per_key *= 1.13) {
    const unsigned classic = best_classic_probes(bits_per_key);
    for (unsigned k = 1; k <= kMaxClassicProbes; ++k) {
      EXPECT_LE(rate_of_many(bits_per_key, classic), rate_of_many(bits_per_key, k)) << bits_per_key;
    }
    const unsigned blocked = best_blocked_probes(bits_per_key);
    for (unsigned k = 1; k <= kMaxBlockedProbes; ++k) {
      EXPECT_LE(blocked_fp_rate(bits_per_key, 512, blocked), blocked_fp_rate(bits_per_key, 512, k)) << bits_per_key;
    }
  }
}

TEST(Sizing, ClassicRateOfManyKeysIsTheTextbookOne) {
  EXPECT_EQ(classic_fp_rate(1000, 0, 7), 0.0);
  EXPECT_NEAR(classic_fp_rate(9585059e2, 1e8, 7), 0.010039214559, 1e-9);  // (1 - e^(-7/9.585059))^7
  EXPECT_NEAR(classic_fp_rate(1e15, 1, 1), 1e-15, 1e-27);                 // no cancellation
  EXPECT_EQ(classic_fp_rate(1, 1e9, 3), 1.0);
}

// The exact means of (bits set / m)^k, by inclusion and exclusion in rational arithmetic (Python's fractions). The code
// computes up to 256 positions by a recurrence. For more positions, it uses a model that is at most 0.1% too high with
// 20 keys.
TEST(Sizing, ClassicRateOfFewKeysIsTheMeanPowerOfTheFill) {
  struct Case {
    double bits, keys;
    unsigned probes;
    double rate;
    double above;  // relative excess
  };
  constexpr Case kCases[] = {
      {15, 1, 10, 0.001990475321223, 1e-10},     {24, 1, 17, 4.973747700281e-05, 1e-10},
      {43, 1, 30, 1.617663355615e-08, 1e-10},    {144, 10, 10, 0.001112662573396, 1e-10},
      {480, 20, 17, 1.084146370272e-05, 1e-3},   {1438, 100, 10, 0.001010891927682, 2e-5},
      {2876, 100, 20, 1.020528684343e-06, 4e-5}, {369, 16, 16, 1.725810270308e-05, 1e-10},
  };
  for (const Case& c : kCases) {
    const double ratio = classic_fp_rate(c.bits, c.keys, c.probes) / c.rate;
    EXPECT_GE(ratio, 1 - 1e-10) << c.keys << " keys, k " << c.probes;
    EXPECT_LE(ratio, 1 + c.above) << c.keys << " keys, k " << c.probes;
  }
  EXPECT_EQ(classic_fp_rate(1, 1, 64), 1.0);  // fewer bits than probes
  EXPECT_LE(classic_fp_rate(5, 40, 64), 1.0);
  EXPECT_LE(classic_fp_rate(20, 5, 64), 1.0);               // where the model alone would give more than 1
  EXPECT_GE(classic_fp_rate(1000, 2.5, 1), 2.5e-3 * 0.99);  // a fraction of a key counts
}

// Computed from the exact distribution of the occupied bits (k j balls in 512), averaged over the Poisson number j of
// keys in a block. The code's formula stops at the second moment; the tolerance of 0.5% covers the other moments.
TEST(Sizing, BlockedRateIsThatOfTheExactOccupancy) {
  struct Case {
    double blocks, keys;
    unsigned probes;
    double rate;
  };
  constexpr Case kCases[] = {
      {1000, 50000, 6, 0.00875683735}, {1000, 50000, 7, 0.00869657338},   {1000, 50000, 8, 0.00916465791},
      {20000, 1e6, 7, 0.00869657338},  {1000, 25000, 12, 0.000169785155}, {1000, 16000, 16, 5.47892673e-06},
      {100, 12000, 2, 0.1406388},      {1953125, 1e8, 6, 0.00966474836},  {1, 1, 1, 0.00195121889},
  };
  for (const Case& c : kCases) {
    EXPECT_NEAR(blocked_fp_rate(c.blocks, c.keys, c.probes) / c.rate, 1, 0.005) << c.keys << " keys, k " << c.probes;
  }
  EXPECT_EQ(blocked_fp_rate(1000, 0, 7), 0.0);
  EXPECT_NEAR(blocked_fp_rate(1, 1e9, 3), 1.0, 1e-5);  // without a sum over 600,000 counts
  for (double keys = 1e3; keys < 1e6; keys *= 1.1) {   // no step where the sum ends
    EXPECT_LE(blocked_fp_rate(1, keys, 1), blocked_fp_rate(1, keys * 1.1, 1) + 1e-8) << keys;
  }
}

TEST(Sizing, ClassicTakesTheSmallestSizeThatMeetsTheRate) {
  // -n ln p / (ln 2)^2 is 9585058.4 bits at k = 6.64. With k = 7 the bound is 7 n / -ln(1 - p^(1/7)) = 9592954.7. The
  // variance of the fill adds a few bits at any n.
  const auto million = size_classic(1'000'000, 0.01);
  EXPECT_EQ(million->probes, 7U);
  EXPECT_GE(million->units, 9592955U);
  EXPECT_LE(million->units, 9592955U + 7);

  struct Case {
    std::uint64_t capacity;
    double fp_rate;
    std::uint64_t bits;
    unsigned probes;
  };
  constexpr Case kCases[] = {{1, 0.5, 2, 1},
                             {1, 1e-5, 27, 14},  // from here, by the exact mean in rational arithmetic
                             {10, 1e-7, 341, 22},
                             {10, 0.01, 98, 6},
                             {100, 1e-6, 2881, 20}};
  for (const Case& c : kCases) {
    const auto size = size_classic(c.capacity, c.fp_rate);
    EXPECT_EQ(size->probes, c.probes) << c.capacity << " keys at " << c.fp_rate;
    EXPECT_EQ(size->units, c.bits) << c.capacity << " keys at " << c.fp_rate;
  }
}

TEST(Sizing, OneUnitFewerMissesTheRateAtAnyK) {
  for (const std::uint64_t capacity : {1U, 2U, 10U, 100U, 12'345U, 1'000'000U}) {
    const auto keys = static_cast<double>(capacity);
    for (const double fp_rate : {0.9, 0.5, 0.1, 0.01, 1e-3, 1e-6, 1e-9}) {
      const double hash_rate = fp_rate - keys * 0x1p-64;  // the rate without equal hashes
      const auto classic = size_classic(capacity, fp_rate);
      EXPECT_LE(classic_fp_rate(static_cast<double>(classic->units), keys, classic->probes), fp_rate);
      for (unsigned k = 1; k <= kMaxClassicProbes && classic->units > 1; ++k) {
        EXPECT_GT(classic_fp_rate(static_cast<double>(classic->units - 1), keys, k), hash_rate) << capacity << " " << k;
      }
      const auto blocked = size_blocked(capacity, fp_rate);
      EXPECT_LE(blocked_fp_rate(static_cast<double>(blocked->units), keys, blocked->probes), fp_rate);
      for (unsigned k = 1; k <= kMaxBlockedProbes && blocked->units > 1; ++k) {
        EXPECT_GT(blocked_fp_rate(static_cast<double>(blocked->units - 1), keys, k), hash_rate) << capacity << " " << k;
      }
    }
  }
}

TEST(Sizing, CardinalityInvertsTheExpectedFill) {
  for (const double keys : {0.0, 1.0, 1000.0, 50'000.0, 200'000.0}) {
    for (const unsigned probes : {1U, 6U, 16U}) {
      const double k = probes;
      const double bits = 512 * 1000.0;
      const double classic_set = bits * -std::expm1(-k * keys / bits);
      EXPECT_NEAR(classic_cardinality(bits, classic_set, probes), keys, 1e-6 * keys + 1e-9);
      // A key leaves a given bit of its block clear with probability q = (511/512)^k. So a Poisson number of keys
      // leaves it clear with probability e^(-(n/B)(1 - q)).
      const double blocked_set = bits * -std::expm1(-keys / 1000 * (1 - std::pow(511.0 / 512, k)));
      EXPECT_NEAR(blocked_cardinality(1000, blocked_set, probes), keys, 1e-6 * keys + 1e-9);
    }
  }
  EXPECT_EQ(classic_cardinality(1000, 0, 7), 0.0);
  EXPECT_TRUE(std::isinf(classic_cardinality(1000, 1000, 7)));
  EXPECT_TRUE(std::isinf(blocked_cardinality(10, 5120, 7)));
}

}  // namespace
}  // namespace crivo

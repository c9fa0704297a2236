// The ribbon kind: no key is lost at any size, its rate and its size are as planned, and equal sets have equal bytes.

#include <cmath>
#include <random>
#include <tuple>

#include "against_scalar.h"
#include "crivo/host/sizing.h"
#include "ribbons.h"

namespace crivo::testing {
namespace {

class Ribbon : public RibbonOfWidth {};
INSTANTIATE_TEST_SUITE_P(Width, Ribbon, kWidths);

double bits_per_key(const AnyFilter& filter, std::size_t keys) {
  return static_cast<double>(filter.payload().size()) * 8 / static_cast<double>(keys);
}

TEST_P(Ribbon, FindsEveryKeyAtEverySize) {
  for (const std::size_t n :
       {0U, 1U, 2U, 3U, 10U, 63U, 64U, 65U, 100U, 1000U, 2047U, 2048U, 2049U, 2100U, 10'000U, 100'000U, 1'000'000U}) {
    for (const double fp_rate : {0.5, 0.01, 1e-7}) {
      const Hashes hashes = random_hashes(n, n + 1);
      const AnyFilter filter = ribbon_of(hashes, fp_rate);
      EXPECT_EQ(count_found(filter.ref(), hashes), n) << fp_rate;
      for (std::size_t i = 0; i < std::min<std::size_t>(n, 1000); ++i) {
        ASSERT_TRUE(filter.ref().may_contain_hash(hashes[i])) << n << ", rate " << fp_rate;
      }
      EXPECT_EQ(*filter.ref().stats().cardinality, static_cast<double>(n));
    }
  }
}

TEST_P(Ribbon, AnswersAsTheFormatSays) {
  for (const double fp_rate : {0.9, 0.5, 0.01, 1e-3, 0x1p-9, 1e-5, 0x1p-32}) {
    for (const std::size_t n : {20U, 3000U}) {
      const Hashes present = random_hashes(n, 1);
      const AnyFilter filter = ribbon_of(present, fp_rate);
      for (const std::uint64_t hash : random_hashes(2000, 2)) {
        ASSERT_EQ(filter.ref().may_contain_hash(hash), reference::ribbon_contains(filter.ref(), hash)) << fp_rate;
      }
      for (const std::uint64_t hash : present) ASSERT_TRUE(reference::ribbon_contains(filter.ref(), hash)) << fp_rate;
    }
  }
}

// X counts the false positives among T absent hashes. With a rate of p, X exceeds T p + 4.75 sqrt(T p (1 - p)) once in
// a million runs. It falls below T p - 4.75 sqrt(T p (1 - p)) as rarely; such a filter would waste bits.
TEST_P(Ribbon, KeepsTheRateItWasAskedFor) {
  const Hashes present = random_hashes(100'000, 1);
  const Hashes absent = random_hashes(2'500'000, 2);
  const auto trials = static_cast<double>(absent.size());
  std::vector<double> rates = {0.9, 0.7, 0.3, 0.03, 0.01, 0.003};
  for (int r = 1; r <= 16; ++r) rates.push_back(std::ldexp(1.0, -r));
  for (const double rate : rates) {
    const auto found = static_cast<double>(count_found(ribbon_of(present, rate).ref(), absent));
    const double slack = 4.75 * std::sqrt(trials * rate * (1 - rate) + std::pow(trials * rate * 0.09, 2) / (4 * 730));
    EXPECT_LE(found, trials * rate + slack) << rate;
    EXPECT_GE(found, trials * rate - slack - 1) << rate;
  }
}

// Two bits per bucket of 128 starts are 1 / 64 bit per key, so 1 / (64 r) of the columns. A narrow ribbon's buckets
// have 64 starts. At 1e6 keys, one slot in 1000 is empty (one in 115 in a narrow ribbon). At 1e5, up to 250 more slots
// are empty, in the levels' last blocks and in the base. 10 words are not columns.
TEST_P(Ribbon, NeedsHardlyMoreThanItsColumns) {
  const double thresholds = 1.0 / width();
  const double empty = width() == kWideRibbon ? 0.0015 : 0.01;
  const double mixed = width() == kWideRibbon ? 0 : 0.01;
  const auto size = [](std::size_t n, double rate) { return bits_per_key(ribbon_of(random_hashes(n, 9), rate), n); };
  for (const int r : {1, 2, 4, 7, 8, 16, 31}) {
    const double rate = std::ldexp(1.0, -r);
    EXPECT_LE(size(1'000'000, rate) / r, 1 + empty + thresholds / r) << r;
    EXPECT_LE(size(100'000, rate) / r, 1.001 + empty + (thresholds + 0.0064) / r) << r;
    EXPECT_LE(size(10'000, rate) / r, 1.05 + mixed + (width() == kWideRibbon ? 0 : thresholds / r)) << r;
  }
  for (const double rate : {0.03, 0.01, 0.003, 1e-4, 1e-6}) {
    const double information = -std::log2(rate);
    EXPECT_LE(size(1'000'000, rate) / information, 1.0165 + mixed) << rate;
    EXPECT_LE(size(100'000, rate) / information, 1.018 + mixed) << rate;
    EXPECT_LE(size(10'000, rate) / information, 1.05 + mixed) << rate;
  }
}

// The plan allows an empty slot in 512 of every level, which is 1 in 480 in total. It also allows 48 empty slots in
// each level's last block, and 64 in the base's. For a narrow ribbon, it allows about one slot in 1000 more than really
// stays empty (1/112 - 1/125), and 100 at the end of each level.
TEST_P(Ribbon, IsAtMostTheSizeItWasPlannedFor) {
  for (const std::uint64_t n : {1U, 500U, 2048U, 2049U, 10'000U, 100'000U, 1'000'000U}) {
    const AnyFilter filter = ribbon_of(random_hashes(n, 9), 0.01);
    const auto planned = size_ribbon(n, 0.01, width());
    EXPECT_LE(filter.shape().units, planned->units) << n;
    const unsigned at_end = width() == kWideRibbon ? 48 : 100;
    EXPECT_GE(filter.shape().units + filter.shape().units / 480 + 7 * (3 * at_end + 64) / 64, planned->units) << n;
  }
}

// Sets that no hash function produces: equal starts, a ramp, the extremes, one key repeated.
TEST_P(Ribbon, LosesNoKeyOfAnUnevenSet) {
  Hashes same_start = random_hashes(5000, 1);
  for (auto& hash : same_start) hash = hash >> 24 | std::uint64_t{0xABCDEF} << 40;
  Hashes ramp(5000);
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = i;
  Hashes high_ramp = ramp;
  for (auto& hash : high_ramp) hash <<= 48;
  const Hashes sets[] = {same_start, ramp, high_ramp, {0}, {~0ULL}, {0, ~0ULL, 1, 1ULL << 63}, Hashes(10'000, 77)};
  for (const Hashes& set : sets) {
    const AnyFilter filter = ribbon_of(set, 0.01);
    EXPECT_EQ(count_found(filter.ref(), set), set.size());
  }
}

// For each of these hashes, the products with the first 15 powers of the levels' factor are all close to 0 modulo 2^64.
// So each level puts nearly all keys into the same few buckets, and bumps them. The hashes are small combinations of a
// reduced basis of the lattice of these products (Lenstra, Lenstra & Lovasz 1982).
TEST_P(Ribbon, LosesNoKeyThatEveryLevelBumps) {
  constexpr std::uint64_t kBasis[kMaxRibbonLevels - 1] = {
      0xFFF8B4FA40174F07, 0xFD75D13225C19660, 0x0442D54813C8182A, 0xFE249DE1D560B087, 0x01653E13F4534FD1,
      0xFF9655F793E6E493, 0xFF8752658E0150C8, 0xFB5266B14271CC9B, 0x03CB2918FCF2AFE7, 0x02D4C2DFA9684D8A,
      0xFE0F708E835CDBED, 0xFD8F5DDAC5E5B52F, 0x093701E282586E49, 0xFD8FFD78DA7A8FC2, 0x068D61769CBEE507};
  std::mt19937_64 random(1);
  Hashes hashes(20'000);
  for (auto& hash : hashes) {
    for (const std::uint64_t vector : kBasis) hash += (random() % 3 - 1) * vector;
  }
  const AnyFilter filter = ribbon_of(hashes, 0.01);
  EXPECT_EQ(RibbonHeader(load_le<std::uint64_t>(filter.payload().data())).levels, kMaxRibbonLevels);
  EXPECT_EQ(count_found(filter.ref(), hashes), hashes.size());
}

/// Both widths, with the kernels of every instruction set.
class RibbonLevels : public ::testing::TestWithParam<std::tuple<Kernels, unsigned>> {
 protected:
  static const Kernels& kernels() { return std::get<0>(GetParam()); }
  static unsigned width() { return std::get<1>(GetParam()); }
  static void expect_answers_of_scalar(const FilterRef& filter, const Hashes& hashes) {
    const View view{filter.shape(), filter.payload().data(), filter.payload().size()};
    ASSERT_EQ(difference_in_answers(kernels(), asking_ribbon(view.shape), view, hashes), "");
  }
};
INSTANTIATE_TEST_SUITE_P(Isa, RibbonLevels,
                         ::testing::Combine(::testing::ValuesIn(available_kernels().begin(), available_kernels().end()),
                                            kWidths),
                         [](const auto& level) {
                           return std::string(std::get<0>(level.param).isa) + "_" +
                                  std::to_string(std::get<1>(level.param));
                         });

TEST_P(RibbonLevels, AnswerLikeScalarForEveryColumnCount) {
  const Hashes absent = random_hashes(1000, 2);
  expect_answers_of_scalar(ribbon_of({}, 0.01, width()).ref(), absent);
  for (unsigned columns = 0; columns <= 32; ++columns) {
    for (const double part : {1.0, 0.7}) {  // one column count, and two
      const double rate = std::ldexp(part, -static_cast<int>(columns));
      if (rate == 1 || rate < 0x1p-32) continue;
      for (const std::size_t n : {100U, 4000U}) {  // with more keys, equal hashes make a rate of 2^-32 impossible
        Hashes hashes = random_hashes(n, columns);
        const AnyFilter filter = ribbon_of(hashes, rate, width());
        hashes.insert(hashes.end(), absent.begin(), absent.end());
        expect_answers_of_scalar(filter.ref(), hashes);
      }
    }
  }
}

TEST_P(RibbonLevels, AnswerLikeScalarBeyondTheCache) {
  Hashes hashes = random_hashes(1'200'000, 5);
  const AnyFilter filter = ribbon_of(hashes, 0x1.01p-32, width());
  ASSERT_GE(filter.payload().size(), kRibbonFarBytes);
  hashes.resize(100'001);
  expect_answers_of_scalar(filter.ref(), hashes);
  expect_answers_of_scalar(filter.ref(), random_hashes(100'001, 6));
}

// A batch uses the payload's size only to choose how to read, so the test can claim the largest size.
TEST_P(RibbonLevels, AnswerLikeScalarWhereNoCacheHoldsTheFilter) {
  for (const double rate : {0.01, 1e-6}) {
    const Hashes present = random_hashes(3000, 5);
    const AnyFilter filter = ribbon_of(present, rate, width());
    const View view{filter.shape(), filter.payload().data(), kRibbonFartherBytes};
    for (const std::size_t count : {1U, 31U, 32U, 33U, 63U, 64U, 65U, 96U, 97U, 1000U}) {
      Hashes hashes = random_hashes(count, 6);
      for (std::size_t i = 0; i < count; i += 2) hashes[i] = present[i];
      ASSERT_EQ(difference_in_answers(kernels(), asking_ribbon(view.shape), view, hashes), "");
    }
  }
}

// The buckets' load rises, so that thresholds rise and rows are removed. The last block is like one at a shard's end.
TEST_P(RibbonLevels, BuildLikeScalar) {
  constexpr std::uint64_t kBuckets = 256;
  const std::uint64_t starts = kBuckets * ribbon_bucket_starts(width());
  testing::Shard shard{.width = width(),
                       .blocks = starts / kRibbonBlockSlots + 1,
                       .first_bucket = 0,
                       .end_bucket = kBuckets,
                       .end_slot = starts + ribbon_kept_from(2, width()),
                       .fingerprint_mask = 0,
                       .thresholds = {},
                       .hashes = {}};
  for (std::uint64_t bucket = 0; bucket < kBuckets; ++bucket) {
    shard.thresholds.push_back(bucket % 16 == 0 ? 2 : 0);
    for (const std::uint64_t hash : random_hashes((90 + bucket) * width() / 64, bucket))
      shard.hashes.push_back((hash >> 8) + (bucket << 56));
  }
  std::ranges::sort(shard.hashes);
  for (const unsigned columns : {1U, 7U, 32U}) {
    shard.fingerprint_mask = static_cast<std::uint32_t>((std::uint64_t{1} << columns) - 1);
    ASSERT_EQ(difference_in_banding(kernels(), shard), "");
  }
  unsigned seen[4] = {};
  RibbonBand band(std::pmr::new_delete_resource());
  for (const RibbonBumped& bumped : band_with(kernels(), shard, band)) ++seen[bumped.threshold];
  for (const unsigned times : seen) EXPECT_GT(times, 0U);
}

}  // namespace
}  // namespace crivo::testing

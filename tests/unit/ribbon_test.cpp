// The ribbon kind: no key lost at any size, the rate and the bits it promises, the same bytes for the same set, and
// payloads that nobody wrote.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

#include "against_scalar.h"
#include "base/bytes.h"
#include "crivo/builder.h"
#include "crivo/filter.h"
#include "crivo/sizing.h"
#include "filters.h"
#include "layout/ribbon_layout.h"
#include "print_kernels.h"
#include "reference.h"
#include "simd/kernels.h"

namespace crivo {
namespace {

using testing::count_found;
using Hashes = std::vector<std::uint64_t>;

Hashes random_hashes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Hashes hashes(count);
  for (auto& hash : hashes) hash = random();
  return hashes;
}

AnyFilter ribbon_of(const Hashes& hashes, double fp_rate) {
  FilterSpec spec;
  spec.kind = Kind::kRibbon;
  spec.capacity = std::max<std::size_t>(1, hashes.size());
  spec.fp_rate = fp_rate;
  auto filter = AnyFilter::build(spec, hashes);
  EXPECT_TRUE(filter) << filter.error().message;
  return *std::move(filter);
}

double bits_per_key(const AnyFilter& filter, std::size_t keys) {
  return static_cast<double>(filter.payload().size()) * 8 / static_cast<double>(keys);
}

/// docs/format.md, "ribbon", read from that page alone, a bit at a time.
bool reference_contains(const FilterRef& filter, std::uint64_t hash) {
  const auto word = [&](std::uint64_t i) { return load_le<std::uint64_t>(filter.payload().data() + 8 * i); };
  const std::uint64_t levels = word(0) & 255;
  const std::uint64_t seed = word(0) >> 8 & 255;
  const std::uint64_t r = filter.shape().probes;
  const std::uint64_t f = hash * 0xD6E8FEB86659FD93 >> 32;
  std::uint64_t g = hash;
  std::uint64_t at = 1;
  for (std::uint64_t level = 0; level < levels; ++level) {
    const bool base = level + 1 == levels;
    if (base) {
      for (std::uint64_t i = 0; i < seed; ++i) g *= 0xD1342543DE82EF95;
    }
    const std::uint64_t blocks = word(at);
    const std::uint64_t threshold_words = base ? 0 : (blocks / 2 + 31) / 32;
    const std::uint64_t lean = blocks * (32768U - filter.shape().param) / 32768;
    const std::uint64_t start = reference::mulhi(g, 64 * (blocks - 1));
    const std::uint64_t bucket = start / 128;
    const std::uint64_t kept_from[] = {0, 20, 40, 128};
    if (!base && start % 128 < kept_from[word(at + 1 + bucket / 32) >> (bucket % 32 * 2) & 3]) {
      g *= 0xD1342543DE82EF95;
      at += 1 + threshold_words + blocks * r + (blocks - lean);
      continue;
    }
    const std::uint64_t factor = 0xC28F82822B650BED;
    const std::uint64_t row = (g * factor ^ reference::mulhi(g, factor)) | 1;
    const std::uint64_t columns = r + (start / 64 >= lean ? 1 : 0);
    for (std::uint64_t column = 0; column < columns; ++column) {
      bool parity = false;
      for (std::uint64_t i = 0; i < 64; ++i) {
        const std::uint64_t block = (start + i) / 64;
        const std::uint64_t before = block * r + (block > lean ? block - lean : 0);
        const bool bit = (word(at + 1 + threshold_words + before + column) >> ((start + i) % 64) & 1) != 0;
        parity ^= bit && (row >> i & 1) != 0;
      }
      if (parity != ((f >> column & 1) != 0)) return false;
    }
    return true;
  }
  return false;
}

TEST(Ribbon, FindsEveryKeyAtEverySize) {
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

TEST(Ribbon, AnswersAsTheFormatSays) {
  for (const double fp_rate : {0.9, 0.5, 0.01, 1e-3, 0x1p-9, 1e-5, 0x1p-32}) {
    for (const std::size_t n : {20U, 3000U}) {
      const Hashes present = random_hashes(n, 1);
      const AnyFilter filter = ribbon_of(present, fp_rate);
      for (const std::uint64_t hash : random_hashes(2000, 2)) {
        ASSERT_EQ(filter.ref().may_contain_hash(hash), reference_contains(filter.ref(), hash)) << fp_rate;
      }
      for (const std::uint64_t hash : present) ASSERT_TRUE(reference_contains(filter.ref(), hash)) << fp_rate;
    }
  }
}

// X false hits among T absent hashes. A filter of rate p exceeds T p + 4.75 sqrt(T p (1 - p)) once in a million runs,
// and falls below T p - 4.75 sqrt(..) as rarely: it would then waste bits.
TEST(Ribbon, KeepsTheRateItWasAskedFor) {
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

TEST(Ribbon, KeepsTheRateOfTinySets) {
  constexpr std::size_t kAbsent = 20'000;
  for (const std::size_t n : {1U, 2U, 10U, 100U, 1000U, 3000U}) {
    double found = 0;
    for (std::uint64_t set = 0; set < 50; ++set) {
      found += static_cast<double>(
          count_found(ribbon_of(random_hashes(n, set), 0.01).ref(), random_hashes(kAbsent, 1000 + set)));
    }
    constexpr double kTrials = 50.0 * kAbsent;
    EXPECT_LE(found, kTrials * 0.01 + 4.75 * std::sqrt(kTrials * 0.01 * 0.99)) << n;  // as above
  }
}

/// Bits per key over what the two column counts cost at this rate; for 2^-r that is log2(1 / rate).
double over_two_columns(std::size_t n, double rate) {
  const double columns = std::floor(-std::log2(rate));
  return bits_per_key(ribbon_of(random_hashes(n, 9), rate), n) / (columns + 2 * (1 - rate * std::exp2(columns)));
}

// Two bits per bucket of 128 starts are 1 / 64 bit per key, so 1 / (64 r) of the columns. At 1e6 keys one slot in a
// thousand is empty; at 1e5 up to 250 (in the levels' last blocks, in the base) and 10 words are not columns at all.
TEST(Ribbon, NeedsHardlyMoreThanItsColumns) {
  for (const int r : {1, 2, 4, 7, 8, 16, 31}) {
    const double rate = std::ldexp(1.0, -r);
    EXPECT_LE(over_two_columns(1'000'000, rate), 1.0015 + 1.0 / (64 * r)) << r;
    EXPECT_LE(over_two_columns(100'000, rate), 1.0025 + (1.0 / 64 + 0.0064) / r) << r;
    EXPECT_LE(over_two_columns(10'000, rate), 1.05) << r;
  }
  for (const double rate : {0.03, 0.01, 0.003, 1e-4, 1e-6}) {
    const double information = -std::log2(rate);
    EXPECT_LE(bits_per_key(ribbon_of(random_hashes(1'000'000, 9), rate), 1'000'000) / information, 1.0165) << rate;
    EXPECT_LE(bits_per_key(ribbon_of(random_hashes(100'000, 9), rate), 100'000) / information, 1.018) << rate;
    EXPECT_LE(bits_per_key(ribbon_of(random_hashes(10'000, 9), rate), 10'000) / information, 1.05) << rate;
  }
}

// The plan allows for an empty slot in 512 of every level, which is 1 in 480 in all, and for 48 in each level's last
// block and 64 in the base's.
TEST(Ribbon, IsAtMostTheSizeItWasPlannedFor) {
  for (const std::uint64_t n : {1U, 500U, 2048U, 2049U, 10'000U, 100'000U, 1'000'000U}) {
    const AnyFilter filter = ribbon_of(random_hashes(n, 9), 0.01);
    const auto planned = size_ribbon(n, 0.01);
    ASSERT_TRUE(planned);
    EXPECT_LE(filter.shape().units, planned->units) << n;
    EXPECT_GE(filter.shape().units + filter.shape().units / 480 + 7 * (3 * 48 + 64) / 64, planned->units) << n;
  }
}

TEST(Ribbon, SpendsTheBitsItIsGiven) {
  FilterSpec spec;
  spec.kind = Kind::kRibbon;
  spec.capacity = 100'000;
  const Hashes hashes = random_hashes(spec.capacity, 4);
  for (const double bits : {0.3, 1.0, 4.5, 10.0, 31.0}) {
    spec.bits_per_key = bits;
    const auto filter = AnyFilter::build(spec, hashes);
    ASSERT_TRUE(filter) << filter.error().message;
    EXPECT_NEAR(bits_per_key(*filter, hashes.size()), bits, 0.01 * bits + 0.005);
    // The promise is that of the columns that were planned; the build may take a few more to keep it.
    const double rate_of_columns = ribbon_fp_rate(filter->shape().probes, filter->shape().param);
    EXPECT_NEAR(filter->facts().fp_rate / rate_of_columns, 1.001, 0.001 + 1e-12);
  }
}

TEST(Ribbon, IsTheSameForTheSameSet) {
  for (const std::size_t n : {50U, 1000U, 5000U, 200'000U}) {
    Hashes hashes = random_hashes(n, 6);
    const AnyFilter first = ribbon_of(hashes, 0.01);
    std::shuffle(hashes.begin(), hashes.end(), std::mt19937_64(7));
    Hashes twice = hashes;
    twice.insert(twice.end(), hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(n / 2));
    std::sort(hashes.begin(), hashes.end());
    for (const Hashes& order : {hashes, twice}) {
      const AnyFilter other = ribbon_of(order, 0.01);
      EXPECT_TRUE(std::ranges::equal(first.payload(), other.payload())) << n;
    }
  }
}

// Beyond the sizes of the contract's tests: dozens of shards, several levels of them.
TEST(Ribbon, IsTheSameFromAnyNumberOfThreads) {
  const Hashes hashes = random_hashes(3'000'000, 8);
  const AnyFilter expected = ribbon_of(hashes, 0.01);
  for (const unsigned threads : {2U, 3U, 8U}) {
    const FilterSpec spec{.kind = Kind::kRibbon, .capacity = hashes.size()};
    double last = 0;
    const auto note = [&](double done) {
      EXPECT_GE(done, last);
      last = done;
      return true;
    };
    const auto filter = AnyFilter::build(spec, hashes, {.threads = threads, .progress = note});
    ASSERT_TRUE(filter) << filter.error().message;
    EXPECT_TRUE(std::ranges::equal(filter->payload(), expected.payload())) << threads;
  }
}

// Sets that no hash function makes: every start the same, a ramp, the extremes, one key all over again.
TEST(Ribbon, LosesNoKeyOfAnUnevenSet) {
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

// Of each of these hashes, the products with the first 15 powers of the levels' factor are all next to 0 modulo 2^64.
// So each level finds nearly all keys in the same few buckets, and bumps them. The hashes are small combinations of a
// reduced basis of the lattice of these products (Lenstra, Lenstra & Lovasz 1982).
TEST(Ribbon, LosesNoKeyThatEveryLevelBumps) {
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

class RibbonLevels : public ::testing::TestWithParam<Kernels> {
 protected:
  static void expect_answers_of_scalar(const FilterRef& filter, const Hashes& hashes) {
    const View view{filter.shape(), filter.payload().data(), filter.payload().size()};
    ASSERT_EQ(testing::difference_in_answers(GetParam(), &Kernels::ribbon, view, hashes), "");
  }
};
INSTANTIATE_TEST_SUITE_P(Isa, RibbonLevels, ::testing::ValuesIn(available_kernels().begin(), available_kernels().end()),
                         [](const auto& level) { return std::string(level.param.isa); });

TEST_P(RibbonLevels, AnswerLikeScalarForEveryColumnCount) {
  const Hashes absent = random_hashes(1000, 2);
  expect_answers_of_scalar(testing::build_filter(Kind::kRibbon, 0).ref(), absent);
  for (unsigned columns = 0; columns <= 32; ++columns) {
    for (const double part : {1.0, 0.7}) {  // one column count, and two
      const double rate = std::ldexp(part, -static_cast<int>(columns));
      if (rate == 1 || rate < 0x1p-32) continue;
      for (const std::size_t n : {100U, 4000U}) {  // at more keys, hashes that coincide forbid 2^-32
        Hashes hashes = random_hashes(n, columns);
        const AnyFilter filter = ribbon_of(hashes, rate);
        hashes.insert(hashes.end(), absent.begin(), absent.end());
        expect_answers_of_scalar(filter.ref(), hashes);
      }
    }
  }
}

TEST_P(RibbonLevels, AnswerLikeScalarBeyondTheCache) {
  Hashes hashes = random_hashes(1'200'000, 5);
  const AnyFilter filter = ribbon_of(hashes, 0x1.01p-32);
  ASSERT_GE(filter.payload().size(), kRibbonFarBytes);
  hashes.resize(100'001);
  expect_answers_of_scalar(filter.ref(), hashes);
  expect_answers_of_scalar(filter.ref(), random_hashes(100'001, 6));
}

// Buckets of rising load, so that thresholds go up and rows are taken back; the last block as at a shard's border.
TEST_P(RibbonLevels, BuildLikeScalar) {
  constexpr std::uint64_t kBuckets = 256;
  testing::Shard shard{.blocks = 2 * kBuckets + 1,
                       .first_bucket = 0,
                       .end_bucket = kBuckets,
                       .end_slot = 128 * kBuckets + 40,
                       .fingerprint_mask = 0,
                       .thresholds = {},
                       .hashes = {}};
  for (std::uint64_t bucket = 0; bucket < kBuckets; ++bucket) {
    shard.thresholds.push_back(bucket % 16 == 0 ? 2 : 0);
    for (const std::uint64_t hash : random_hashes(90 + bucket, bucket))
      shard.hashes.push_back((hash >> 8) + (bucket << 56));
  }
  std::ranges::sort(shard.hashes);
  for (const unsigned columns : {1U, 7U, 32U}) {
    shard.fingerprint_mask = static_cast<std::uint32_t>((std::uint64_t{1} << columns) - 1);
    ASSERT_EQ(testing::difference_in_banding(GetParam(), shard), "");
  }
  unsigned seen[4] = {};
  RibbonBand band(std::pmr::new_delete_resource());
  for (const RibbonBumped& bumped : testing::band_with(GetParam(), shard, band)) ++seen[bumped.threshold];
  for (const unsigned times : seen) EXPECT_GT(times, 0U);
}

class RibbonPayload : public ::testing::Test {
 protected:
  RibbonPayload() : filter_(ribbon_of(random_hashes(5000, 3), 0.01)) {}

  [[nodiscard]] AlignedBytes payload() const { return {filter_.payload().begin(), filter_.payload().end()}; }
  [[nodiscard]] std::uint64_t word(std::size_t i) const {
    return load_le<std::uint64_t>(filter_.payload().data() + 8 * i);
  }
  /// The error of opening the payload with one word replaced, or "" if it opens.
  [[nodiscard]] std::string with_word(std::size_t i, std::uint64_t value) const {
    AlignedBytes changed = payload();
    store_le(changed.data() + 8 * i, value);
    const auto opened = FilterRef::open(filter_.shape(), filter_.facts(), changed);
    return opened ? "" : opened.error().message;
  }

  AnyFilter filter_;
};

TEST_F(RibbonPayload, RefusesCountsThatDoNotFit) {
  const std::uint64_t header = word(0);
  EXPECT_EQ(header & 255, 2U);
  const std::string levels = "levels must be at most 16, got 17";
  EXPECT_EQ(with_word(0, (header & ~255ULL) | 17), levels);
  EXPECT_EQ(with_word(0, header & ~255ULL), "payload without levels must be 0, got other words");
  EXPECT_EQ(with_word(0, header | 64 << 8), "base seed must be at most 63, got 64");
  EXPECT_EQ(with_word(0, header & 0xFFFF), "distinct keys must lie in [1, 1099511627776], got 0");
  EXPECT_NE(with_word(0, header | ~0ULL << 16), "");
  for (const std::uint64_t blocks : Hashes{0, 1, word(1) - 1, word(1) + 1, 1ULL << 40, (1ULL << 40) + 1, ~0ULL}) {
    EXPECT_NE(with_word(1, blocks), "") << blocks;
  }
  EXPECT_NE(with_word(0, (header & ~255ULL) | 1), "");
  EXPECT_NE(with_word(0, (header & ~255ULL) | 3), "");
  EXPECT_EQ(with_word(1 + 2, word(1 + 2) | 1ULL << 63), "padding of the thresholds must be 0");
}

// Two blocks of one column each, every one of whose keys is bumped, down to a base that is all zeros: a key is found if
// the lowest bit of its fingerprint is 0, as the format says.
TEST(Ribbon, ReadsSixteenLevelsAndNoMore) {
  for (const unsigned levels : {15U, 16U, 17U}) {
    const std::size_t words = 1 + 4 * (levels - 1) + 3;
    AlignedBytes payload(8 * words);
    store_le(payload.data(), RibbonHeader::word(levels, 0, 1));
    for (std::size_t level = 0; level < levels; ++level) {
      std::byte* at = payload.data() + 8 * (1 + 4 * level);
      store_le(at, std::uint64_t{2});
      if (level + 1 == levels) continue;
      store_le(at + 8, std::uint64_t{3});  // the only bucket's threshold
      store_le(at + 16, ~std::uint64_t{0});
    }
    const Shape shape{.kind = Kind::kRibbon, .probes = 1, .units = words};
    const auto filter = FilterRef::open(shape, {.capacity = 1, .fp_rate = 0.5}, payload);
    ASSERT_EQ(static_cast<bool>(filter), levels <= kMaxRibbonLevels) << levels;
    if (!filter) continue;
    EXPECT_EQ(filter->stats().fp_rate, 0.5 + (1 - 0.5) * 0x1p-64);
    for (const std::uint64_t hash : random_hashes(200, levels)) {
      ASSERT_EQ(filter->may_contain_hash(hash), reference_contains(*filter, hash));
      ASSERT_EQ(filter->may_contain_hash(hash), (hash * kRibbonFingerprint >> 32 & 1) == 0);
    }
  }
}

// Two blocks, which all sets of up to 118 hashes have, cannot mix column counts; three can, by halves.
TEST(Ribbon, StatesTheRateOfItsLayout) {
  for (const double rate : {0.378, 0.012, 0.7}) {
    const double columns = std::floor(-std::log2(rate));
    const AnyFilter two = ribbon_of(random_hashes(10, 1), rate);
    EXPECT_NEAR(two.ref().stats().fp_rate, std::exp2(-columns - 1), 1e-15);
    EXPECT_EQ(two.ref().stats().fp_rate, two.ref().predicted_fp_rate(10));
    const AnyFilter three = ribbon_of(random_hashes(130, 1), rate);
    const double halves = 0.75 * std::exp2(-columns);
    EXPECT_NEAR(three.ref().stats().fp_rate, halves <= rate ? halves : std::exp2(-columns - 1), 1e-15);
    // The rate that is planned before any key has come.
    FilterSpec spec;
    spec.kind = Kind::kRibbon;
    spec.capacity = 130;
    spec.fp_rate = rate;
    const auto planned = AnyFilter::create(spec);
    ASSERT_TRUE(planned);
    EXPECT_EQ(planned->ref().predicted_fp_rate(10), two.ref().predicted_fp_rate(10));
    EXPECT_EQ(planned->ref().predicted_fp_rate(130), three.ref().predicted_fp_rate(130));
    EXPECT_EQ(planned->payload().size(), three.payload().size());
  }
}

/// A level of this many blocks over the smallest base. Its columns are all zeros.
AlignedBytes payload_of_level(const RibbonColumns& columns, std::uint64_t blocks) {
  const RibbonLevelShape level(blocks, columns, false);
  const RibbonLevelShape base(kMinRibbonBlocks, columns, true);
  AlignedBytes payload(8 * (1 + level.words() + base.words()));
  store_le(payload.data(), RibbonHeader::word(2, 0, 1));
  store_le(payload.data() + 8, blocks);
  store_le(payload.data() + 8 + 8 * level.words(), kMinRibbonBlocks);
  return payload;
}

FilterRef opened(const RibbonColumns& columns, const AlignedBytes& payload) {
  const Shape shape{.kind = Kind::kRibbon,
                    .probes = static_cast<std::uint8_t>(columns.lean),
                    .param = static_cast<std::uint16_t>(columns.share),
                    .units = payload.size() / 8};
  return *FilterRef::open(shape, {.capacity = 1, .fp_rate = 0.5}, payload);
}

/// The rate of such a payload, start by start.
double reference_rate(const RibbonColumns& columns, const AlignedBytes& payload) {
  const RibbonLevelView view(payload.data() + 8, columns, false);
  const std::uint64_t starts = view.level.starts();
  double rates = 0;
  for (std::uint64_t start = 0; start < starts; ++start) {
    const unsigned found_by = view.access.bumped(start) ? columns.lean + (columns.lean_blocks(kMinRibbonBlocks) == 0)
                                                        : view.level.columns_of(start / kRibbonBlockSlots);
    rates += std::exp2(-static_cast<double>(found_by));
  }
  return rates / static_cast<double>(starts);
}

TEST(Ribbon, StatesTheRateOfItsLayoutWhateverItsThresholds) {
  std::mt19937_64 random(13);
  for (const RibbonColumns columns :
       {RibbonColumns(6 * kRibbonShares), RibbonColumns(kRibbonShares / 2), RibbonColumns(3 * kRibbonShares + 9876)}) {
    for (const std::uint64_t blocks : Hashes{2, 3, 64, 65, 66, 127, 128, 129, 130, 333, 1000}) {
      AlignedBytes payload = payload_of_level(columns, blocks);
      for (std::uint64_t bucket = 0; bucket < blocks / 2; ++bucket) {
        payload[16 + bucket / 4] |= static_cast<std::byte>((random() & 3) << (2 * (bucket % 4)));
      }
      EXPECT_NEAR(opened(columns, payload).stats().fp_rate, reference_rate(columns, payload), 1e-12) << blocks;
    }
  }
}

/// Of the processor, which other programs do not lengthen.
double time_of_stats(const FilterRef& filter) {
  double least = HUGE_VAL;
  for (int run = 0; run < 3; ++run) {
    const std::clock_t start = std::clock();
    EXPECT_GT(filter.stats().bits, 0U);
    least = std::min(least, static_cast<double>(std::clock() - start));
  }
  return least;
}

// A forged payload can be nothing but thresholds, four buckets in each byte, and compress to nearly nothing.
TEST(Ribbon, TakesLittleLongerToDescribeThanToReadWhateverItsThresholds) {
  const RibbonColumns columns(1);  // hardly any
  const AlignedBytes payload = payload_of_level(columns, std::uint64_t{1} << 26);
  const Shape bits{.kind = Kind::kClassic, .probes = 1, .units = payload.size() * 8};
  const auto only_counted = FilterRef::open(bits, {.capacity = 1, .fp_rate = 0.5}, payload);
  ASSERT_TRUE(only_counted);
  EXPECT_LT(time_of_stats(opened(columns, payload)), 15 * time_of_stats(*only_counted));
}

TEST_F(RibbonPayload, RefusesColumnsThatDoNotFit) {
  Shape shape = filter_.shape();
  const auto opens = [&] { return static_cast<bool>(FilterRef::open(shape, filter_.facts(), payload())); };
  ASSERT_TRUE(opens());
  for (const int probes : {0, 5, 7, 32, 33, 255}) {
    shape.probes = static_cast<std::uint8_t>(probes);
    EXPECT_FALSE(opens()) << probes;
  }
  shape = filter_.shape();
  for (const int param : {0, 1000, 32767, 32768, 65535}) {
    shape.param = static_cast<std::uint16_t>(param);
    EXPECT_FALSE(opens()) << param;
  }
}

// Every payload that opens can be asked anything: under the sanitizers this finds reads outside it.
TEST_F(RibbonPayload, AnswersSafelyWhateverTheBits) {
  std::mt19937_64 random(11);
  const Hashes hashes = random_hashes(500, 12);
  unsigned opened = 0;
  for (int round = 0; round < 2000; ++round) {
    const AlignedBytes good = payload();
    // An allocation of exactly the payload, so that one byte more is a fault that tools see.
    const auto bytes = std::make_unique<std::byte[]>(good.size());
    std::memcpy(bytes.get(), good.data(), good.size());
    const std::size_t words = good.size() / 8;
    for (int change = 0; change < 1 + round % 20; ++change) {
      store_le(bytes.get() + 8 * (round % 2 == 0 ? 2 + random() % (words - 2) : random() % 4),
               random() >> (random() % 64));
    }
    const auto filter = FilterRef::open(filter_.shape(), filter_.facts(), {bytes.get(), good.size()});
    if (!filter) continue;
    ++opened;
    (void)count_found(*filter, hashes);
    for (const std::uint64_t hash : hashes) (void)filter->may_contain_hash(hash);
  }
  EXPECT_GT(opened, 500U);
}

}  // namespace
}  // namespace crivo

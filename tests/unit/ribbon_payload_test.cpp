// Tests ribbon payloads that no writer produces: some are rejected; the others must report correct statistics and
// answer lookups safely.

#include <cmath>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>

#include "filter/filter_plan.h"
#include "ribbons.h"

namespace crivo::testing {
namespace {

class RibbonPayload : public RibbonOfWidth {
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
INSTANTIATE_TEST_SUITE_P(Width, RibbonPayload, kWidths);

TEST_P(RibbonPayload, RefusesCountsThatDoNotFit) {
  const std::uint64_t header = word(0);
  EXPECT_EQ(header & 255, 2U);
  const std::string levels = "levels must be at most 16, got 17";
  EXPECT_EQ(with_word(0, (header & ~255ULL) | 17), levels);
  EXPECT_EQ(with_word(0, header & ~255ULL), "payload without levels must be all zeros, got nonzero words");
  EXPECT_EQ(with_word(0, header | 64 << 8), "base seed must be at most 63, got 64");
  EXPECT_EQ(with_word(0, header & 0xFFFF), "distinct keys must be in [1, 1099511627776], got 0");
  EXPECT_NE(with_word(0, header | ~0ULL << 16), "");
  for (const std::uint64_t blocks : Hashes{0, 1, word(1) - 1, word(1) + 1, 1ULL << 40, (1ULL << 40) + 1, ~0ULL}) {
    EXPECT_NE(with_word(1, blocks), "") << blocks;
  }
  EXPECT_NE(with_word(0, (header & ~255ULL) | 1), "");
  EXPECT_NE(with_word(0, (header & ~255ULL) | 3), "");
  const std::size_t last = 1 + RibbonLevelShape(word(1), RibbonForm(filter_.shape()), false).threshold_words();
  EXPECT_EQ(with_word(last, word(last) | 1ULL << 63), "padding of the thresholds must be 0");
}

// Each level has two blocks of one column, and all of its keys are bumped, to a base that is all zeros. By the format,
// a key is then found if the lowest bit of its fingerprint is 0.
TEST_P(RibbonPayload, ReadsSixteenLevelsAndNoMore) {
  for (const unsigned levels : {15U, 16U, 17U}) {
    const std::size_t words = 1 + 4 * (levels - 1) + 3;
    AlignedBytes payload(8 * words);
    store_le(payload.data(), RibbonHeader::word(levels, 0, 1));
    for (std::size_t level = 0; level < levels; ++level) {
      std::byte* at = payload.data() + 8 * (1 + 4 * level);
      store_le(at, std::uint64_t{2});
      if (level + 1 == levels) continue;
      store_le(at + 8,
               std::uint64_t{width() == kWideRibbon ? 3U : 15U});  // the only bucket's threshold, or both buckets'
      store_le(at + 16, ~std::uint64_t{0});
    }
    const Shape shape{.kind = Kind::kRibbon, .k = 1, .param = RibbonForm(width(), 0).param(), .units = words};
    const auto filter = FilterRef::open(shape, {.capacity = 1, .fp_rate = 0.5}, payload);
    ASSERT_EQ(static_cast<bool>(filter), levels <= kMaxRibbonLevels) << levels;
    if (!filter) continue;
    EXPECT_EQ(filter->stats().current_fp_rate, 0.5 + (1 - 0.5) * 0x1p-64);
    for (const std::uint64_t hash : random_hashes(200, levels)) {
      ASSERT_EQ(filter->may_contain_hash(hash), reference::ribbon_contains(*filter, hash));
      ASSERT_EQ(filter->may_contain_hash(hash), (hash * kRibbonFingerprint >> 32 & 1) == 0);
    }
  }
}

TEST_P(RibbonPayload, StatesTheRateThatWasPlanned) {
  for (const double rate : {0.378, 0.012, 0.7}) {
    const AnyFilter two = ribbon_of(random_hashes(10, 1), rate);
    EXPECT_EQ(two.ref().stats().current_fp_rate, two.ref().predicted_fp_rate(10));
    EXPECT_LE(two.ref().stats().current_fp_rate, rate);
    const AnyFilter three = ribbon_of(random_hashes(130, 1), rate);
    // The predicted rate of a filter without keys.
    const auto planned = plan_filter(ribbon_spec(130, rate, width()), UINT64_MAX);
    const AlignedBytes empty(planned->payload_bytes);  // the payload of a new filter
    const View view{planned->shape, empty.data(), empty.size()};
    EXPECT_EQ(planned->row->predicted_fp_rate(view, 10), two.ref().predicted_fp_rate(10));
    EXPECT_EQ(planned->row->predicted_fp_rate(view, 130), three.ref().predicted_fp_rate(130));
    EXPECT_EQ(planned->payload_bytes, three.payload().size());
  }
}

/// A level of this many blocks before the smallest base. Its columns are all zeros.
AlignedBytes payload_of_level(const RibbonForm& form, std::uint64_t blocks) {
  const RibbonLevelShape level(blocks, form, false);
  const RibbonLevelShape base(kMinRibbonBlocks, form, true);
  AlignedBytes payload(8 * (1 + level.words() + base.words()));
  store_le(payload.data(), RibbonHeader::word(2, 0, 1));
  store_le(payload.data() + 8, blocks);
  store_le(payload.data() + 8 + 8 * level.words(), kMinRibbonBlocks);
  return payload;
}

FilterRef opened(const RibbonForm& form, const AlignedBytes& payload) {
  const Shape shape{.kind = Kind::kRibbon,
                    .k = static_cast<std::uint8_t>(form.lean),
                    .param = form.param(),
                    .units = payload.size() / 8};
  return *FilterRef::open(shape, {.capacity = 1, .fp_rate = 0.5}, payload);
}

/// The rate of such a payload, computed start by start.
double reference_rate(const RibbonForm& form, const AlignedBytes& payload) {
  const RibbonLevelView view(payload.data() + 8, form, false);
  const RibbonLevelShape base(kMinRibbonBlocks, form, true);
  const auto rate_at = [](const RibbonLevelShape& level, std::uint64_t start) {
    return std::exp2(-static_cast<double>(level.columns_of(start / kRibbonBlockSlots)));
  };
  double base_rates = 0;
  for (std::uint64_t start = 0; start < base.starts(); ++start) base_rates += rate_at(base, start);
  const std::uint64_t starts = view.level.starts();
  double rates = 0;
  for (std::uint64_t start = 0; start < starts; ++start) {
    rates += view.access.bumped(start) ? base_rates / static_cast<double>(base.starts()) : rate_at(view.level, start);
  }
  return rates / static_cast<double>(starts);
}

TEST_P(RibbonPayload, StatesTheRateOfItsLayoutWhateverItsThresholds) {
  std::mt19937_64 random(13);
  for (const std::uint64_t shares : {6 * kRibbonShares, kRibbonShares / 2, 3 * kRibbonShares + 9876}) {
    const RibbonForm form(width(), shares);
    for (const std::uint64_t blocks : Hashes{2, 3, 64, 65, 66, 127, 128, 129, 130, 333, 1000}) {
      AlignedBytes payload = payload_of_level(form, blocks);
      for (std::uint64_t bucket = 0; bucket < RibbonLevelShape(blocks, form, false).buckets(); ++bucket) {
        payload[16 + bucket / 4] |= static_cast<std::byte>((random() & 3) << (2 * (bucket % 4)));
      }
      EXPECT_NEAR(opened(form, payload).stats().current_fp_rate, reference_rate(form, payload), 1e-12) << blocks;
    }
  }
}

/// The CPU time of stats(), which other programs do not affect; the lowest of several runs.
double time_of_stats(const FilterRef& filter) {
  double least = HUGE_VAL;
  for (int run = 0; run < 3; ++run) {
    const std::clock_t start = std::clock();
    EXPECT_GT(filter.stats().bits, 0U);
    least = std::min(least, static_cast<double>(std::clock() - start));
  }
  return least;
}

// A forged payload can consist of thresholds only, four buckets in each byte, and compress to almost nothing.
TEST_P(RibbonPayload, TakesLittleLongerToDescribeThanToReadWhateverItsThresholds) {
  const RibbonForm form(width(), 1);  // almost no columns
  const AlignedBytes payload = payload_of_level(form, std::uint64_t{1} << 26);
  const Shape bits{.kind = Kind::kClassic, .k = 1, .units = payload.size() * 8};
  const auto only_counted = FilterRef::open(bits, {.capacity = 1, .fp_rate = 0.5}, payload);
  EXPECT_LT(time_of_stats(opened(form, payload)), 15 * time_of_stats(*only_counted));
}

TEST_P(RibbonPayload, RefusesColumnsThatDoNotFit) {
  Shape shape = filter_.shape();
  const auto opens = [&] { return static_cast<bool>(FilterRef::open(shape, filter_.facts(), payload())); };
  ASSERT_TRUE(opens());
  for (const int probes : {0, 5, 7, 32, 33, 255}) {
    shape.k = static_cast<std::uint8_t>(probes);
    EXPECT_FALSE(opens()) << probes;
  }
  shape = filter_.shape();
  for (const int param : {0, 1000, 32767, 32768, 65535}) {
    shape.param = static_cast<std::uint16_t>(param);
    EXPECT_FALSE(opens()) << param;
  }
}

// Every payload that opens must answer every query. Under the sanitizers, this test finds reads outside the payload.
TEST_P(RibbonPayload, AnswersSafelyWhateverTheBits) {
  std::mt19937_64 random(11);
  const Hashes hashes = random_hashes(500, 12);
  unsigned opened = 0;
  for (int round = 0; round < 2000; ++round) {
    const AlignedBytes good = payload();
    // The allocation has exactly the payload's size, so that sanitizers detect any read after it.
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
}  // namespace crivo::testing

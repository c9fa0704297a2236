// The ribbon kind with 10^8 keys and more than 2^32 bits. The tests are long, as they need minutes and gigabytes.

#include <cmath>

#include "crivo/host/sizing.h"
#include "ribbons.h"
#include "split_mix.h"

namespace crivo::testing {
namespace {

/// The distinct hashes first ... first + count - 1.
Hashes sequence(std::uint64_t first, std::size_t count) {
  Hashes hashes(count);
  for (std::uint64_t& hash : hashes) hash = distinct_hash(first++);
  return hashes;
}

constexpr std::uint64_t kAbsent = std::uint64_t{1} << 40;  // the first hash that is in no filter

class LongRibbon : public RibbonOfWidth {
 protected:
  static std::uint64_t planned_words(std::size_t keys, double fp_rate) {
    return size_ribbon(keys, fp_rate, width())->units;
  }

  /// Expects every key to be found, and the filter to have the planned size, or two blocks more in its base. The plan
  /// assumes that one of 16 seeds solves the base.
  static AnyFilter build_checked(const Hashes& hashes, double fp_rate) {
    AnyFilter filter = ribbon_of(hashes, fp_rate);
    EXPECT_EQ(count_found(filter.ref(), hashes), hashes.size()) << fp_rate;
    EXPECT_LE(filter.shape().units, planned_words(hashes.size(), fp_rate) + 2 * RibbonForm(filter.shape()).most());
    return filter;
  }
};
INSTANTIATE_TEST_SUITE_P(Width, LongRibbon, kWidths);

// X counts the false positives of T absent hashes. One in a million filters exceeds T p + 4.75 sqrt(T p (1 - p)).
void expect_rate(const FilterRef& filter, double rate) {
  constexpr std::size_t kTrials = 2'500'000;
  const auto found = static_cast<double>(count_found(filter, sequence(kAbsent, kTrials)));
  EXPECT_LE(found, kTrials * rate + 4.75 * std::sqrt(kTrials * rate * (1 - rate))) << rate;
}

// In total 1.9 * 10^8 keys.
TEST_P(LongRibbon, LosesNoKeyOfTenMillionAtAnyRateAndKeepsIt) {
  const Hashes hashes = sequence(0, 10'000'000);
  std::vector<double> rates = {0.03, 0.01, 0.003};
  for (int r = 1; r <= 16; ++r) rates.push_back(std::ldexp(1.0, -r));
  for (const double rate : rates) expect_rate(build_checked(hashes, rate).ref(), rate);
}

TEST_P(LongRibbon, LosesNoKeyOfFiftyMillion) {
  const AnyFilter filter = build_checked(sequence(0, 50'000'000), 0.01);
  expect_rate(filter.ref(), 0.01);
}

// For each size, 10^7 keys in different sets, so the ends of levels and bases differ too. Two of the 1000 sets of 10^4
// keys are larger than planned; all other sets have the planned size.
TEST_P(LongRibbon, LosesNoKeyOfManySetsAndSeldomNeedsMoreThanPlanned) {
  constexpr std::size_t kKeys = 10'000'000;
  for (const std::size_t n : {1'000U, 10'000U, 100'000U, 1'000'000U}) {
    const std::size_t sets = kKeys / n;
    std::size_t larger = 0;
    for (std::uint64_t set = 0; set < sets; ++set) {
      const AnyFilter filter = build_checked(sequence(set * n, n), 0.01);
      larger += filter.shape().units > planned_words(n, 0.01) ? 1 : 0;
    }
    EXPECT_LE(larger, std::max<std::size_t>(2, sets / 100)) << n;
  }
}

// The first level alone has more than 2^32 bits. If the bits after the first 2^32 are cleared, the keys with rows in
// them are lost, except for one in 2^32, whose fingerprint is 0. There is one such key per slot, except for the empty
// slots: one in a thousand, or one in 125 in a narrow ribbon.
TEST_P(LongRibbon, ReachesPastTwoToThe32Bits) {
  const Hashes hashes = sequence(0, 150'000'000);
  const AnyFilter filter = build_checked(hashes, 0x1.1p-32);
  const RibbonLevelView first(filter.payload().data() + 8, RibbonForm(filter.shape()), false);
  const std::ptrdiff_t end = first.end() - filter.payload().data();
  constexpr std::ptrdiff_t kFrom = std::ptrdiff_t{1} << 29;
  ASSERT_GT(end, kFrom);

  AlignedBytes cut(filter.payload().begin(), filter.payload().end());
  std::fill(cut.begin() + kFrom, cut.begin() + end, std::byte{0});
  const auto damaged = FilterRef::open(filter.shape(), filter.facts(), cut);
  const std::uint64_t lost = hashes.size() - count_found(*damaged, hashes);
  const double slots = static_cast<double>(end - kFrom) * 8 / 32;
  EXPECT_GT(slots, 1e6);
  EXPECT_NEAR(static_cast<double>(lost) / slots, width() == kWideRibbon ? 1 : 0.992, 0.002);
}

}  // namespace
}  // namespace crivo::testing

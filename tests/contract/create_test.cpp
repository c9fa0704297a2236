// Which specs create and build reject, and with which messages.
#include <cmath>

#include "crivo/types.h"
#include "every_kind.h"

namespace crivo::testing {
namespace {

class Create : public PerKind {};
class CreateEmpty : public PerKind {};  // only kinds that can add: the size of other kinds follows from their keys
CRIVO_FOR_EVERY_KIND(Create);
CRIVO_FOR_KINDS_THAT(CreateEmpty, add);

void expect_refused(const FilterSpec& spec, const std::string& message) {
  for (const auto& made : {AnyFilter::create(spec), AnyFilter::build(spec, std::span<const std::uint64_t>())}) {
    EXPECT_EQ(made.error().code, ErrorCode::kBadArgument);
    EXPECT_EQ(made.error().message, message);
  }
}

TEST_P(Create, RefusesARateOutsideZeroAndOne) {
  const std::string range = GetParam().can.find    ? "(0, 1] for a map"
                            : GetParam().can.exact ? "(0, 1] for an exact filter"
                                                   : "(0, 1)";
  expect_refused(spec_for(1000, 0), "fp_rate must be in " + range + ", got 0");
  if (!GetParam().can.needs_values()) expect_refused(spec_for(1000, 1), "fp_rate must be in (0, 1), got 1");
  expect_refused(spec_for(1000, 1.5), "fp_rate must be in " + range + ", got 1.5");
  expect_refused(spec_for(1000, -0.01), "fp_rate must be in " + range + ", got -0.01");
  expect_refused(spec_for(1000, std::nan("")), "fp_rate must be in " + range + ", got nan");
  expect_refused(spec_for(1000, HUGE_VAL), "fp_rate must be in " + range + ", got inf");
}

TEST_P(Create, RefusesACapacityOutsideOneAndTwoToThe40) {
  if (!needs_no_capacity()) expect_refused(spec_for(0), "capacity must be in [1, 1099511627776], got 0");
  expect_refused(spec_for(kMaxCapacity + 1), "capacity must be in [1, 1099511627776], got 1099511627777");
  expect_refused(spec_for(UINT64_MAX), "capacity must be in [1, 1099511627776], got 18446744073709551615");
}

TEST_P(Create, RefusesBitsPerKeyOutsideZeroAndAThousand) {
  for (const auto& [bits, text] : {std::pair{0.0, "0"}, {-1.0, "-1"}, {1000.5, "1000.5"}, {HUGE_VAL, "inf"}}) {
    FilterSpec spec = spec_for(1000);
    spec.bits_per_key = bits;
    expect_refused(spec, std::string("bits_per_key must be in (0, 1000], got ") + text);
  }
  FilterSpec spec = spec_for(1000);
  spec.bits_per_key = std::nan("");
  expect_refused(spec, "bits_per_key must be in (0, 1000], got nan");
}

TEST_P(Create, RefusesARateThatHashesCannotKeep) {
  const auto created = AnyFilter::create(spec_for(1'000'000, 1e-15));
  EXPECT_EQ(created.error().code, ErrorCode::kBadArgument);
  EXPECT_THAT(created.error().message, StartsWith("fp_rate must "));
}

TEST(CreateAnyKind, RefusesANumberThatNamesNone) {
  for (const int number : {0, 200, 255}) {
    FilterSpec spec{.kind = static_cast<Kind>(number), .capacity = 1000};
    expect_refused(spec, "kind must be known, got " + std::to_string(number));
  }
}

TEST_P(CreateEmpty, HonoursTheByteLimitExactly) {
  const FilterSpec spec = spec_for(100'000);
  const std::uint64_t needed = build_filter(spec, 0).payload().size();
  EXPECT_TRUE(AnyFilter::create(spec, needed));
  const auto refused = AnyFilter::create(spec, needed - 1);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(refused.error().message, "capacity must fit in " + std::to_string(needed - 1) +
                                         " bytes, got 100000 keys, which need " + std::to_string(needed));
}

TEST_P(Create, NeverTakesMoreThanTheByteLimit) {
  const FilterSpec spec = spec_for(10'000);
  const auto hashes = present_hashes(10'000, 0);
  const std::uint64_t needed = build_filter(spec, 10'000).payload().size();
  for (const std::uint64_t limit : {std::uint64_t{0}, needed / 2, needed - 1, needed, 2 * needed}) {
    const auto built = build_from(spec, hashes, {.max_bytes = limit});
    if (built) {
      EXPECT_LE(built->payload().size(), limit);
    } else {
      EXPECT_EQ(built.error().code, ErrorCode::kTooLarge);
      EXPECT_LT(limit, 2 * needed);
    }
  }
}

// 2^40 keys need about 1.3 TB. The limit must reject them before memory is allocated.
TEST_P(Create, TheLargestCapacityMeetsTheLimitAndNotTheAllocator) {
  if (needs_no_capacity()) return;
  const auto refused = AnyFilter::create(spec_for(kMaxCapacity), 1 << 20);
  EXPECT_EQ(refused.error().code, ErrorCode::kTooLarge);
  FilterSpec most = spec_for(kMaxCapacity);
  most.bits_per_key = 1000;
  const auto too_many = AnyFilter::create(most, 1 << 20);
  EXPECT_EQ(too_many.error().code, ErrorCode::kTooLarge);
}

TEST_P(Create, TheSmallestFilterIsAFilter) {
  const AnyFilter filter = build_filter(spec_for(1, 0.999), 1);
  EXPECT_TRUE(filter.may_contain(present_key(0)));
  EXPECT_GE(filter.payload().size(), 1U);
}

TEST_P(Create, TakesBitsPerKeyInsteadOfARate) {
  for (const double bits : {8.0, 10.0, 16.0}) {
    FilterSpec spec = spec_for(100'000);
    spec.bits_per_key = needs_no_capacity() ? 2 * bits : bits;
    spec.fp_rate = std::nan("");  // ignored
    const auto filter = build_from(spec, present_hashes(100'000, 0));
    EXPECT_EQ(count_found(filter->ref(), present_hashes(100'000, 0)), 100'000U);
    const double promised = filter->facts().fp_rate;
    EXPECT_GT(promised, 0);
    EXPECT_LT(promised, 1);
    const double predicted = filter->ref().predicted_fp_rate(100'000);
    EXPECT_GE(promised, predicted / 1.001);         // the layout of a built ribbon varies around its plan
    if (!GetParam().can.grow) {                     // a growing filter leaves a share of the rate to later layers
      EXPECT_NEAR(predicted / promised, 1, 0.002);  // a ribbon's promise ignores its size, here 1500 blocks
    }
  }
}

TEST_P(Create, StatesWhatItWasAskedFor) {
  FilterSpec spec = spec_for(12'345, 0.02);
  spec.seed = 99;
  const AnyFilter filter = build_filter(spec, 10);
  EXPECT_EQ(filter.facts(), (Facts{.keys = 10, .capacity = 12'345, .fp_rate = 0.02, .pinned_raw = false}));
  EXPECT_EQ(filter.shape().kind, kind());
  EXPECT_EQ(filter.shape().seed, 99U);
  EXPECT_EQ(filter.ref().kind().name, GetParam().name);
}

}  // namespace
}  // namespace crivo::testing

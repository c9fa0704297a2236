// Filters of kind range in C: ordered numbers, and lookups of ranges.
#include <limits>

#include "c_filters.h"

namespace crivo::testing {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

std::uint64_t ordered(std::string_view key) { return crivo_ordered_bytes(key.data(), key.size()); }
std::uint64_t last_ordered(std::string_view prefix) { return crivo_last_ordered_bytes(prefix.data(), prefix.size()); }

Filter of_numbers(const std::vector<std::uint64_t>& numbers, const char* kind = "range:64", double fp_rate = 0) {
  const crivo_options options = options_of(kind, 0, fp_rate);
  return make(crivo_build_from_hashes, &options, numbers.data(), std::uint64_t{numbers.size()});
}

std::int32_t has_range(const Filter& filter, std::uint64_t low, std::uint64_t high) {
  crivo_error error{};
  const std::int32_t hit = crivo_contains_range(filter.get(), low, high, &error);
  EXPECT_TRUE(hit == 0 || hit == 1) << hit << " " << error.message;
  return hit;
}

TEST(Ordered, NumbersHaveTheOrderOfTheirKeys) {
  std::uint64_t before = 0;
  for (const std::int64_t value : {kMin, kMin + 1, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, kMax}) {
    const std::uint64_t number = crivo_ordered_integer(value);
    EXPECT_TRUE(value == kMin ? number == 0 : number > before) << value;
    before = number;
  }
  EXPECT_EQ(before, UINT64_MAX);
  EXPECT_EQ(ordered("abcdefgh"), 0x6162636465666768U);
  EXPECT_EQ(ordered("abcdefghi"), ordered("abcdefgh"));
  EXPECT_EQ(ordered("a"), 0x6100000000000000U);
  EXPECT_EQ(last_ordered("a"), 0x61FFFFFFFFFFFFFFU);
  EXPECT_EQ(crivo_ordered_bytes(nullptr, 3), 0U);
  EXPECT_EQ(crivo_last_ordered_bytes(nullptr, 0), UINT64_MAX);
}

TEST(Ranges, AreInclusiveOfBothEnds) {
  const Filter filter = of_numbers({crivo_ordered_integer(-1000), crivo_ordered_integer(1000)}, "range:64", 1e-9);
  const auto has_integers = [&](std::int64_t low, std::int64_t high) {
    return has_range(filter, crivo_ordered_integer(low), crivo_ordered_integer(high));
  };
  EXPECT_EQ(has_integers(-1010, -1000), 1);
  EXPECT_EQ(has_integers(1000, 1010), 1);
  EXPECT_EQ(has_integers(-999, -990), 0);
  EXPECT_EQ(has_integers(1000, -1000), 0);
  EXPECT_EQ(crivo_contains_hash(filter.get(), crivo_ordered_integer(1000), nullptr), 1);
}

TEST(Ranges, OtherKindsHaveNoRanges) {
  for (std::size_t i = 0; crivo_kind_name(i) != nullptr; ++i) {
    const std::string kind = crivo_kind_name(i);
    EXPECT_EQ((crivo_kind_can(i) & CRIVO_CAN_RANGE) != 0, kind == "range");
    if (kind == "range") continue;
    const Filter filter = filter_of(kind, 10);
    crivo_error error{};
    EXPECT_EQ(crivo_contains_range(filter.get(), 0, UINT64_MAX, &error), -CRIVO_UNSUPPORTED);
    EXPECT_EQ(std::string(error.message), "kind must be range, got " + kind);
  }
  EXPECT_EQ(crivo_contains_range(nullptr, 0, 1, nullptr), -CRIVO_BAD_ARGUMENT);
}

}  // namespace
}  // namespace crivo::testing

// Each number has one text as a key.
#include "crivo/key.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "crivo/host/text.h"

namespace crivo {
namespace {

template <class Number>
std::string text_of(Number value) {
  return std::string(NumberKey(value).view());
}
std::string integer(std::int64_t value) { return text_of(value); }
std::string real(double value) { return text_of(value); }

TEST(NumberKey, IntegersAreTheirDecimalDigits) {
  EXPECT_EQ(integer(0), "0");
  EXPECT_EQ(integer(-1), "-1");
  EXPECT_EQ(integer(42), "42");
  EXPECT_EQ(integer(std::numeric_limits<std::int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(integer(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(NumberKey, ARealEqualToAnIntegerIsThatInteger) {
  EXPECT_EQ(real(1.0), "1");
  EXPECT_EQ(real(0.0), "0");
  EXPECT_EQ(real(-0.0), "0");
  EXPECT_EQ(real(-17.0), "-17");
  EXPECT_EQ(real(1e15), "1000000000000000");
  EXPECT_EQ(real(9007199254740993.0), "9007199254740992");  // 2^53 + 1 is not a double
  EXPECT_EQ(real(-0x1p63), "-9223372036854775808");
  EXPECT_EQ(real(0x1.fffffffffffffp62), "9223372036854774784");  // the largest double below 2^63
}

TEST(NumberKey, ARealEqualToAnUnsignedIntegerIsThatInteger) {
  EXPECT_EQ(text_of(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(real(0x1p63), "9223372036854775808");
  EXPECT_EQ(real(1e19), "10000000000000000000");  // "1e+19" would be shorter
  EXPECT_EQ(real(std::nextafter(0x1p64, 0)), "18446744073709549568");
}

TEST(NumberKey, ARealBeyondTheIntegersIsItsShortestText) {
  EXPECT_EQ(real(0x1p64), "18446744073709551616");  // one more than the largest integer
  EXPECT_EQ(real(-1e19), "-1e+19");
  EXPECT_EQ(real(std::nextafter(-0x1p63, -HUGE_VAL)), "-9223372036854777856");
  EXPECT_EQ(real(1e20), "1e+20");
  EXPECT_EQ(real(-1e20), "-1e+20");
  EXPECT_EQ(real(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
}

TEST(NumberKey, AnyOtherRealIsTheShortestTextThatReadsBackTheSame) {
  EXPECT_EQ(real(0.1), "0.1");
  EXPECT_EQ(real(-2.5), "-2.5");
  EXPECT_EQ(real(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(real(1e-7), "1e-07");
  EXPECT_EQ(real(std::numeric_limits<double>::min()), "2.2250738585072014e-308");
  EXPECT_EQ(real(std::numeric_limits<double>::denorm_min()), "5e-324");
  EXPECT_EQ(real(-std::numeric_limits<double>::denorm_min()), "-5e-324");
}

TEST(NumberKey, InfinitiesHaveATextToo) {
  EXPECT_EQ(real(HUGE_VAL), "inf");
  EXPECT_EQ(real(-HUGE_VAL), "-inf");
}

// On x86, inf - inf is a NaN with the sign set; on AArch64, the sign is clear.
TEST(NumberKey, EveryNanIsOneKey) {
  for (const std::uint64_t bits :
       {0x7FF8000000000000U, 0xFFF8000000000000U, 0x7FF0000000000001U, 0xFFF0000000000001U, 0xFFFFFFFFFFFFFFFFU}) {
    EXPECT_EQ(real(std::bit_cast<double>(bits)), "nan") << std::hex << bits;
  }
}

TEST(NumberKey, EqualNumbersShareAKeyAndOthersDoNot) {
  std::mt19937_64 random(1);
  const auto compare = [](auto value) {
    const auto as_real = static_cast<double>(value);
    // long double represents both exactly.
    const bool equal = static_cast<long double>(as_real) == static_cast<long double>(value);
    EXPECT_EQ(real(as_real) == text_of(value), equal) << value;
  };
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t bits = random();
    compare(static_cast<std::int64_t>(bits) >> (random() % 64));
    compare(bits);
    compare(bits << (random() % 64));  // an integer with few significant bits equals a real
  }
}

TEST(NumberKey, EveryTextReadsBackAsTheSameDouble) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100'000; ++i) {
    const double value = std::bit_cast<double>(std::uint64_t{random()});
    if (std::isnan(value)) continue;
    const std::string text = real(value);
    EXPECT_EQ(read_real(text), value) << text;
  }
}

TEST(NumberKey, ACopyHasATextOfItsOwn) {
  NumberKey first(std::int64_t{123});
  const NumberKey copy = first;
  first = NumberKey(0.5);
  EXPECT_EQ(copy.view(), "123");
  EXPECT_EQ(first.view(), "0.5");
}

}  // namespace
}  // namespace crivo

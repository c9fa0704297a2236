// Compares the elementary functions with those of the C library for long double, and with recorded bits.
#include "base/portable.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace crivo {
namespace {

/// |got - wanted| in units in the last place of `wanted`.
double ulps(double got, long double wanted) {
  const auto nearest = static_cast<double>(wanted);
  if (got == nearest) return 0;
  const double unit = std::nextafter(std::abs(nearest), std::numeric_limits<double>::infinity()) - std::abs(nearest);
  return static_cast<double>(std::abs(static_cast<long double>(got) - wanted)) / unit;
}

long double wide(double x) { return x; }

TEST(Portable, ExpIsWithinTwoUnitsInTheLastPlace) {
  for (double x = -700; x < 709; x += 0.0917) ASSERT_LE(ulps(portable::exp(x), std::exp(wide(x))), 2) << x;
  EXPECT_EQ(portable::exp(0), 1);
  EXPECT_EQ(portable::exp(-1000), 0);
  EXPECT_EQ(portable::exp(1000), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(portable::exp(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Portable, ExpReachesFromTheSmallestDoubleToTheLargest) {
  constexpr double kMin = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(portable::exp(-745.1), kMin);
  EXPECT_EQ(portable::exp(-745.2), 0);
  for (double x = -745; x < -700; x += 0.0917)
    ASSERT_NEAR(portable::exp(x), std::exp(x), 4 * kMin + 1e-15 * std::exp(x)) << x;
  EXPECT_LE(ulps(portable::exp(709.78), std::exp(wide(709.78))), 2);
  EXPECT_EQ(portable::exp(709.79), std::numeric_limits<double>::infinity());
}

TEST(Portable, Expm1IsWithinFourUnitsInTheLastPlace) {
  for (double x = 1e-300; x < 700; x *= 1.37) {
    ASSERT_LE(ulps(portable::expm1(x), std::expm1(wide(x))), 4) << x;
    ASSERT_LE(ulps(portable::expm1(-x), std::expm1(wide(-x))), 4) << -x;
  }
  EXPECT_EQ(portable::expm1(0), 0);
}

TEST(Portable, LogarithmsAreWithinTwoUnitsInTheLastPlace) {
  for (double x = 1e-307; x < 1e307; x *= 1.0917) {
    ASSERT_LE(ulps(portable::log(x), std::log(wide(x))), 2) << x;
    ASSERT_LE(ulps(portable::log2(x), std::log2(wide(x))), 3) << x;
    ASSERT_LE(ulps(portable::log1p(x), std::log1p(wide(x))), 3) << x;
  }
  for (double x = 0.5; x < 2; x += 0.000917) {
    ASSERT_LE(ulps(portable::log(x), std::log(wide(x))), 3) << x;
  }
  for (double x = 1e-300; x < 1; x *= 1.0917) {
    ASSERT_LE(ulps(portable::log1p(-x), std::log1p(wide(-x))), 3) << -x;
  }
  EXPECT_EQ(portable::log(1), 0);
  EXPECT_EQ(portable::log(0), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(portable::log(-1)));
  EXPECT_EQ(portable::log1p(-1), -std::numeric_limits<double>::infinity());
}

TEST(Portable, Log2OfAPowerOfTwoIsExact) {
  for (int i = -1022; i < 1024; ++i) ASSERT_EQ(portable::log2(std::ldexp(1.0, i)), i);
}

TEST(Portable, PowersOfRatesAreWithinAHundredUnitsInTheLastPlace) {
  for (double base = 1e-9; base < 1; base *= 1.31) {
    for (double exponent = 1.0 / 64; exponent <= 32; exponent *= 1.7) {
      const double error = ulps(portable::pow(base, exponent), std::pow(wide(base), wide(exponent)));
      // The exponent multiplies the logarithm's error, so the result's error is about |y log x| units, plus a few.
      ASSERT_LE(error, 4 + 2 * std::abs(exponent * std::log(base))) << base << "^" << exponent;
    }
  }
  EXPECT_EQ(portable::pow(0, 3), 0);
  EXPECT_EQ(portable::pow(0, 0), 1);
}

// The digest was recorded on one machine. A different digest means a bug in this machine's arithmetic or in Crivo's
// code.
TEST(Portable, ResultsNeverChange) {
  std::uint64_t digest = 0;
  const auto add = [&digest](double value) {
    digest = (digest ^ std::bit_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15;
    digest ^= digest >> 29;
  };
  for (double x = 1e-12; x < 600; x *= 1.0131) {
    add(portable::exp(x));
    add(portable::exp(-x));
    add(portable::expm1(-x));
    add(portable::log(x));
    add(portable::log1p(x));
    add(portable::log2(x));
    add(portable::pow(x, 0.37));
    add(portable::log_factorial(std::floor(x)));
  }
  EXPECT_EQ(digest, 2644444835908210039U);
}

}  // namespace
}  // namespace crivo

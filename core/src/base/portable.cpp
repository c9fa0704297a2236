#include "base/portable.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

namespace crivo::portable {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// ln 2 as a sum. The first part has so few bits that its product with an exponent is exact.
constexpr double kLn2High = 0x1.62e42feep-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

/// The Taylor series of e^x - 1 for |x| <= ln(2) / 2. The first omitted term is below 2^-57 of the sum.
double expm1_series(double x) noexcept {
  constexpr auto kInverseFactorials = [] {
    std::array<double, 15> inverse{1};
    double factorial = 1;
    for (std::size_t i = 1; i < inverse.size(); ++i) inverse[i] = 1 / (factorial *= static_cast<double>(i));
    return inverse;
  }();
  double sum = 0;
  for (std::size_t i = kInverseFactorials.size() - 1; i > 1; --i) sum = (sum + kInverseFactorials[i]) * x;
  return x + x * sum;
}

/// The logarithm of (1 + s) / (1 - s) for |s| <= 0.172, by its series 2 (s + s^3/3 + s^5/5 ...). The first omitted term
/// is below 2^-58 of the sum.
double log_series(double s) noexcept {
  constexpr auto kInverses = [] {
    std::array<double, 12> inverses{};  // the inverses of the odd numbers
    for (std::size_t i = 0; i < inverses.size(); ++i) inverses[i] = 1 / (2 * static_cast<double>(i) + 1);
    return inverses;
  }();
  const double square = s * s;
  double sum = 0;
  for (std::size_t i = kInverses.size() - 1; i > 0; --i) sum = (sum + kInverses[i]) * square;
  return 2 * s + 2 * s * sum;
}

/// A number as mantissa * 2^exponent, with a mantissa from sqrt(1/2) to sqrt(2).
struct Scaled {
  int exponent = 0;  // declared before mantissa, because the initializer of mantissa sets it
  double mantissa;
  explicit Scaled(double x) noexcept : mantissa(std::frexp(x, &exponent)) {
    if (mantissa < std::numbers::sqrt2 / 2) {
      mantissa *= 2;
      --exponent;
    }
  }
  [[nodiscard]] double log_of_mantissa() const noexcept { return log_series((mantissa - 1) / (mantissa + 1)); }
};

bool has_plain_logarithm(double x) noexcept { return x > 0 && x < kInfinity; }

double special_logarithm(double x) noexcept {
  if (x == 0) return -kInfinity;
  return x > 0 ? x : std::numeric_limits<double>::quiet_NaN();  // NaN if x is negative or NaN
}

}  // namespace

double exp(double x) noexcept {
  if (std::isnan(x)) return x;
  if (x > 709.79) return kInfinity;
  if (x < -745.2) return 0;
  const double exponent_of_two = std::round(x / std::numbers::ln2);
  const double rest = (x - exponent_of_two * kLn2High) - exponent_of_two * kLn2Low;
  return std::ldexp(1 + expm1_series(rest), static_cast<int>(exponent_of_two));
}

double expm1(double x) noexcept { return std::abs(x) < 0.34 ? expm1_series(x) : exp(x) - 1; }

double log(double x) noexcept {
  if (!has_plain_logarithm(x)) return special_logarithm(x);
  const Scaled scaled(x);
  return scaled.exponent * kLn2High + (scaled.log_of_mantissa() + scaled.exponent * kLn2Low);
}

double log1p(double x) noexcept {
  if (std::abs(x) < 0.29) return log_series(x / (2 + x));
  const double sum = 1 + x;
  if (!has_plain_logarithm(sum)) return special_logarithm(sum);
  return log(sum) + (x - (sum - 1)) / sum;  // the last term adds the rounding error of 1 + x
}

double log2(double x) noexcept {
  if (!has_plain_logarithm(x)) return special_logarithm(x);
  const Scaled scaled(x);
  return scaled.exponent + scaled.log_of_mantissa() * std::numbers::log2e;
}

double pow(double base, double exponent) noexcept {
  if (exponent == 0 || base == 1) return 1;
  return exp(exponent * log(base));
}

double integer_power(double base, unsigned exponent) noexcept {
  double result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) result *= base;
  }
  return result;
}

double log_factorial(double n) noexcept {
  constexpr double kExact = 18;  // factorials up to 18! are exact doubles
  if (n <= kExact) {
    double product = 1;
    for (double factor = 2; factor <= n; ++factor) product *= factor;
    return log(product);
  }
  // Stirling's series: Abramowitz & Stegun 1964, 6.1.41.
  const double square = 1 / (n * n);
  const double series = (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680))) / n;
  constexpr double kHalfLogTwoPi = 0.91893853320467274178;
  return (n + 0.5) * log(n) - n + kHalfLogTwoPi + series;
}

}  // namespace crivo::portable

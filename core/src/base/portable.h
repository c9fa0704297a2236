// Elementary functions for rates and sizes, with the same bits on every machine.
//
// C libraries differ in exp, log and pow, and choose variants by CPU (fused multiply-adds round differently). But a
// rate that is stored in a blob, decides on a size, or is indexed in a database must not depend on the machine. These
// functions use only operations that IEEE 754 rounds exactly (+, -, *, /, sqrt, scaling by powers of two), and the core
// is compiled without contraction. Unless noted below, the error is a few units in the last place. Method: argument
// reduction (Muller, "Elementary Functions", 3rd edition 2016, chapter 11), then a series that ends below half a unit.
#pragma once

namespace crivo::portable {

/// e^x; infinite above 709.79, 0 below -745.2.
[[nodiscard]] double exp(double x) noexcept;
/// e^x - 1, accurate near 0.
[[nodiscard]] double expm1(double x) noexcept;
/// The natural logarithm: NaN below 0, minus infinity at 0.
[[nodiscard]] double log(double x) noexcept;
/// log(1 + x), accurate near 0.
[[nodiscard]] double log1p(double x) noexcept;
/// The binary logarithm, exact for powers of two.
[[nodiscard]] double log2(double x) noexcept;
/// base^exponent for a base of at least 0; the relative error grows with |exponent log(base)|.
[[nodiscard]] double pow(double base, double exponent) noexcept;
/// base^exponent by squaring: faster, and the relative error grows with the exponent alone.
[[nodiscard]] double integer_power(double base, unsigned exponent) noexcept;
/// log(n!) for an integer n of at least 0.
[[nodiscard]] double log_factorial(double n) noexcept;
/// The Poisson probability of `count` keys in a block or bucket, given their mean number, which must be above 0.
[[nodiscard]] inline double poisson(double mean, double count) noexcept {
  return exp(count * log(mean) - mean - log_factorial(count));
}

}  // namespace crivo::portable

// The Poisson distribution, which tells how many keys fall into a block or a bucket.
#pragma once

#include <cmath>

namespace crivo {

/// The probability that a Poisson variable with this mean, which must be above 0, has the value `count`.
[[nodiscard]] inline double poisson(double mean, double count) noexcept {
  int sign = 0;  // std::lgamma leaves it in a global, where threads that size filters would race for it
  return std::exp(count * std::log(mean) - mean - lgamma_r(count + 1, &sign));
}

}  // namespace crivo

// The Poisson distribution, which tells how many keys fall into a block or a bucket.
#pragma once

#include <cmath>

namespace crivo {

/// The probability of `count` at this mean, which is above 0.
[[nodiscard]] inline double poisson(double mean, double count) noexcept {
  int sign = 0;  // std::lgamma leaves it in a global, where threads that size filters would race for it
  return std::exp(count * std::log(mean) - mean - lgamma_r(count + 1, &sign));
}

}  // namespace crivo

// The Poisson distribution, which tells how many keys fall into a block or a bucket.
#pragma once

#include "base/portable.h"

namespace crivo {

/// The probability that a Poisson variable with this mean, which must be above 0, has the value `count`.
[[nodiscard]] inline double poisson(double mean, double count) noexcept {
  return portable::exp(count * portable::log(mean) - mean - portable::log_factorial(count));
}

}  // namespace crivo

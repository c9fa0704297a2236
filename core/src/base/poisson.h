// The Poisson distribution: the number of keys in a block or bucket.
#pragma once

#include "base/portable.h"

namespace crivo {

/// The probability of `count` for a Poisson variable with this mean, which must be above 0.
[[nodiscard]] inline double poisson(double mean, double count) noexcept {
  return portable::exp(count * portable::log(mean) - mean - portable::log_factorial(count));
}

}  // namespace crivo

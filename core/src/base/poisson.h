// The Poisson distribution, which tells how many keys fall into a block or a bucket.
#pragma once

#include "base/portable.h"

namespace crivo {

/// The probability of `count` at this mean, which is above 0.
[[nodiscard]] inline double poisson(double mean, double count) noexcept {
  return portable::exp(count * portable::log(mean) - mean - portable::log_factorial(count));
}

}  // namespace crivo

// The search behind every size: finds the smallest number of units that meets a rate.
#pragma once

#include <algorithm>
#include <cstdint>

namespace crivo {

/// The smallest number of units at which `rate(units)` is at most fp_rate. The rate must fall as units grow. The search
/// starts from `guess`, and takes few steps if that is close.
template <class Rate>
std::uint64_t smallest_units(double guess, double fp_rate, const Rate& rate) {
  constexpr double kMost = 9e18;
  auto units = static_cast<std::uint64_t>(std::clamp(guess, 1.0, kMost));
  std::uint64_t step = 1;
  while (rate(static_cast<double>(units)) > fp_rate && units < static_cast<std::uint64_t>(kMost)) {
    units += step;
    step *= 2;
  }
  step = 1;
  std::uint64_t low = units;  // walk down until the target is missed, then bisect between
  while (low > 1 && rate(static_cast<double>(low)) <= fp_rate) {
    units = low;
    low -= std::min(low - 1, step);
    step *= 2;
  }
  if (rate(static_cast<double>(low)) <= fp_rate) return low;
  while (units - low > 1) {
    const std::uint64_t middle = low + (units - low) / 2;
    (rate(static_cast<double>(middle)) <= fp_rate ? units : low) = middle;
  }
  return units;
}

}  // namespace crivo

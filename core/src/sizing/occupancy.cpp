#include "sizing/occupancy.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/portable.h"
#include "layout/positions.h"

namespace crivo {
namespace {

constexpr double kExactThrows = 256;  // beyond them the recurrence below takes longer than it is worth

/// The probability that the throws set all bits that the probes look at. `missing[r]` is the probability that the
/// throws that are still to come set r given bits: the next throw sets one of them with probability r / bits. Likewise,
/// if r different bits were looked at before, a probe looks at a new one with probability 1 - r / bits. Every term is
/// positive, so no digits are lost by cancellation, as they are in the closed form of Bose et al.
double exact_mean(double bits, unsigned throws, unsigned probes) noexcept {
  const auto most = static_cast<unsigned>(std::min<double>(probes, bits));  // different bits that the probes look at
  std::array<double, kMaxClassicProbes + 1> missing{1};
  for (unsigned i = 0; i < throws; ++i) {
    for (unsigned r = std::min(most, i + 1); r > 0; --r) missing[r] += r / bits * (missing[r - 1] - missing[r]);
  }
  std::array<double, kMaxClassicProbes + 1> distinct{1};
  for (unsigned i = 0; i < probes; ++i) {
    for (unsigned r = std::min(most, i + 1); r > 0; --r) {
      distinct[r] = distinct[r] * (r / bits) + distinct[r - 1] * (1 - (r - 1) / bits);
    }
    distinct[0] = 0;
  }
  double mean = 0;
  for (unsigned r = 1; r <= most; ++r) mean += distinct[r] * missing[r];
  return mean;
}

/// An approximation that takes the fill for a gamma distribution with the fill's true mean and variance (Johnson & Kotz
/// 1977, section 3.1). The moments of a gamma distribution are products: where j probes have found their bits set, the
/// array is likely to be a fuller one, and its mean fill is larger by j variance / mean. A true fill cannot exceed 1,
/// so its moments grow less, and the approximation is never too low.
double gamma_mean(double bits, double throws, unsigned probes) noexcept {
  if (bits <= 1) return 1;
  const double clear = portable::exp(throws * portable::log1p(-1 / bits));
  const double two_clear_excess = portable::expm1(
      throws * portable::log1p(-1 / ((bits - 1) * (bits - 1))));  // the excess is stated as a share of clear^2
  const double two_clear = clear * clear * (1 + two_clear_excess);
  const double mean = 1 - clear;
  const double variance = std::max(0.0, (clear - two_clear) / bits + clear * clear * two_clear_excess);
  double product = 1;
  for (unsigned j = 0; j < probes; ++j) product *= mean + j * variance / mean;
  return std::min(1.0, product);
}

}  // namespace

double mean_power_of_fill(double bits, double throws, unsigned probes) noexcept {
  if (!(throws > 0)) return 0;
  if (throws > kExactThrows) return gamma_mean(bits, throws, probes);
  return exact_mean(bits, static_cast<unsigned>(std::ceil(throws)), probes);
}

}  // namespace crivo

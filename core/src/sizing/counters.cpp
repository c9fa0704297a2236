// The formulas of the kinds that have counters: counting and spectral.
#include <cmath>

#include "base/poisson.h"
#include "base/portable.h"
#include "crivo/sizing.h"
#include "crivo/types.h"

namespace crivo {

double counting_saturated_share(double blocks, double keys, unsigned probes) noexcept {
  constexpr int kSaturated = 15;
  constexpr int kNegligible = 100;  // at a mean of at most 15, larger counts have a probability below 1e-40
  const double mean = keys / blocks * -portable::expm1(probes * portable::log1p(-1.0 / kBlockBits));
  if (!(mean > 0)) return 0;
  const auto sum = [mean](int from, int to) {
    double share = 0;
    for (int x = from; x < to; ++x) share += poisson(mean, x);
    return share;
  };
  return mean <= kSaturated ? sum(kSaturated, kNegligible) : 1 - sum(0, kSaturated);
}

double spectral_error_bound(double counters, double keys, double additions, unsigned probes) noexcept {
  const double load = probes / counters;
  return load * additions * portable::integer_power(-portable::expm1(-load * keys), probes - 1);
}

}  // namespace crivo

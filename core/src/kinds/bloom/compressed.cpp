#include "kinds/bloom/compressed.h"

#include <algorithm>
#include <cmath>

#include "base/bit_array.h"
#include "base/portable.h"
#include "kinds/bloom/positions.h"
#include "kinds/bloom/sizes.h"
#include "kinds/checks.h"
#include "kinds/collisions.h"

namespace crivo {
namespace {

double fill_of(double bits_per_key, unsigned probes) noexcept {
  return -portable::expm1(-double(probes) / bits_per_key);
}

/// The largest number of bits per key in [low, high] for which the blob has at most `stored_bits` bits per key; `low`
/// must meet this bound. Bisection works, because for fixed k the entropy of a sparse filter increases with m: its
/// derivative with respect to m is H(f) + (1 - f) ln(1 - f) log2((1 - f) / f) > 0 at every fill f.
double most_bits_per_key(double stored_bits, unsigned probes, double low, double high) noexcept {
  if (stored_bits_per_key(high, probes) <= stored_bits) return high;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (stored_bits_per_key(middle, probes) <= stored_bits ? low : high) = middle;
  }
  return low;
}

}  // namespace

double stored_bits_per_key(double bits_per_key, unsigned probes) noexcept {
  const double fill = fill_of(bits_per_key, probes);
  return fill <= kSparseFill ? bits_per_key * bit_entropy(fill) : bits_per_key;
}

Result<FilterSize> size_compressed(std::uint64_t capacity, double fp_rate) {
  const Result<FilterSize> classic = size_classic(capacity, fp_rate);
  if (!classic) return classic.error();
  FilterSize best = *classic;
  const double hash_rate = without_collisions(fp_rate, capacity);
  const auto keys = static_cast<double>(capacity);
  double best_bits = stored_bits_per_key(static_cast<double>(best.units) / keys, best.probes);
  for (unsigned probes = 1; probes <= kMaxClassicProbes; ++probes) {
    const double estimate = -double(probes) / portable::log1p(-portable::pow(hash_rate, 1.0 / probes));
    if (!(estimate <= kMaxCompressedBitsPerKey)) continue;
    // Fewer bits than the estimate miss the rate, and more bits have more entropy. So if a filter of the estimated size
    // does not have a smaller blob than the best size so far, no filter with this k does.
    if (estimate * bit_entropy(fill_of(estimate, probes)) >= best_bits) continue;
    const std::uint64_t units = classic_bits(capacity, hash_rate, probes);
    const double bits = stored_bits_per_key(static_cast<double>(units) / keys, probes);
    if (bits >= best_bits) continue;
    best = {units, probes};
    best_bits = bits;
  }
  return best;
}

Result<FilterSize> size_compressed_by_bits(std::uint64_t capacity, double stored_bits) {
  if (auto valid = check_capacity(capacity); !valid) return valid.error();
  if (auto valid = check_bits_per_key(stored_bits); !valid) return valid.error();
  double best_bits = stored_bits;  // starts with the filter that is stored raw
  unsigned best_probes = best_classic_probes(stored_bits);
  double best_rate = bloom_fp_rate(best_bits, best_probes);
  const double most = std::max(kMaxCompressedBitsPerKey, stored_bits);
  for (unsigned probes = 1; probes <= kMaxClassicProbes; ++probes) {
    // With at least `sparse` bits per key, the blob is compressed.
    const double sparse = -double(probes) / portable::log1p(-kSparseFill) * (1 + 1e-12);
    const double low = std::max(stored_bits, sparse);
    if (low > most || stored_bits_per_key(low, probes) > stored_bits) continue;
    const double bits = most_bits_per_key(stored_bits, probes, low, most);
    const double rate = bloom_fp_rate(bits, probes);
    if (rate >= best_rate) continue;
    best_bits = bits;
    best_probes = probes;
    best_rate = rate;
  }
  const double units = std::ceil(static_cast<double>(capacity) * best_bits);
  return FilterSize{std::max<std::uint64_t>(1, static_cast<std::uint64_t>(units)), best_probes};
}

}  // namespace crivo

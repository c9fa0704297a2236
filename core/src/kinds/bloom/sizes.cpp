#include "kinds/bloom/sizes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/portable.h"
#include "kinds/bloom/block.h"
#include "kinds/bloom/positions.h"
#include "kinds/checks.h"
#include "kinds/collisions.h"

namespace crivo {
namespace {

/// The smallest number of units with rate(units) <= fp_rate, where rate is decreasing. Fast if `guess` is close.
template <class Rate>
std::uint64_t smallest_units(double guess, double fp_rate, const Rate& rate) {
  constexpr double kMax = 9e18;
  auto units = static_cast<std::uint64_t>(std::clamp(guess, 1.0, kMax));
  std::uint64_t step = 1;
  while (rate(static_cast<double>(units)) > fp_rate && units < static_cast<std::uint64_t>(kMax)) {
    units += step;
    step *= 2;
  }
  step = 1;
  std::uint64_t low = units;  // walk down until the rate is missed, then bisect
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

constexpr double kExactThrows = 256;  // above this, the exact recurrence is too slow

/// The probability that the throws set all bits that the probes test. After some throws, `missing[r]` is the
/// probability that r given bits are all set; one throw sets one of them with probability r / bits. Likewise, after r
/// different bits were tested, a probe tests a new bit with probability 1 - r / bits. (The closed form of Bose et al.
/// loses digits by cancellation.)
double exact_mean(double bits, unsigned throws, unsigned probes) noexcept {
  const auto most = static_cast<unsigned>(std::min<double>(probes, bits));  // different bits that are tested
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

/// Approximates the fill by a gamma distribution with the true mean and variance (Johnson & Kotz 1977, section 3.1).
/// The moments of a gamma distribution are products. If j probes found their bits set, the array is probably fuller,
/// and its mean fill is larger by j variance / mean. A true fill cannot exceed 1, so its moments grow less, and the
/// approximation is never too low.
double gamma_mean(double bits, double throws, unsigned probes) noexcept {
  if (bits <= 1) return 1;
  const double clear = portable::exp(throws * portable::log1p(-1 / bits));
  const double two_clear_excess =
      portable::expm1(throws * portable::log1p(-1 / ((bits - 1) * (bits - 1))));  // the excess, as a share of clear^2
  const double two_clear = clear * clear * (1 + two_clear_excess);
  const double mean = 1 - clear;
  const double variance = std::max(0.0, (clear - two_clear) / bits + clear * clear * two_clear_excess);
  double product = 1;
  for (unsigned j = 0; j < probes; ++j) product *= mean + j * variance / mean;
  return std::min(1.0, product);
}

/// The probability that `probes` random bits are all set, after `throws` random bits of `bits` bits were set, with
/// repetition: the mean of fill^probes. Exact up to 256 throws. For more throws, the result is up to 6% too high; for
/// at least 100 * probes throws (100 keys), it is less than 0.02% too high. bits >= 1, throws >= 0.
double mean_power_of_fill(double bits, double throws, unsigned probes) noexcept {
  if (!(throws > 0)) return 0;
  if (throws > kExactThrows) return gamma_mean(bits, throws, probes);
  return exact_mean(bits, static_cast<unsigned>(std::ceil(throws)), probes);
}

/// The rate in a block: the mean of (set bits / 512)^k. `clear` is the probability that a given bit is clear, and
/// `two_clear` that two given bits are clear. For a fill with mean f and variance v, the rate is f^k (1 + k(k-1)/2
/// v/f^2) to second order. Source of mean and variance: Johnson & Kotz 1977, section 3.1.
double in_block_rate(double clear, double two_clear, unsigned probes) noexcept {
  constexpr double kBits = kBlockBits;
  const double fill = 1 - clear;
  const double variance = std::max(0.0, two_clear * (kBits - 1) / kBits + clear / kBits - clear * clear);
  const double k = probes;
  return std::min(1.0, portable::integer_power(fill, probes) * (1 + k * (k - 1) / 2 * variance / (fill * fill)));
}

/// The smallest size over all numbers of probes; of equal sizes, the one with the fewest probes. There is one minimum
/// in k, so the search starts at `center`, and continues in each direction until no better size follows.
template <class UnitsFor>
FilterSize smallest_over_probes(double center, unsigned max_probes, const UnitsFor& units_for) {
  const auto start = static_cast<unsigned>(std::clamp(std::round(center), 1.0, double(max_probes)));
  FilterSize best{units_for(start), start};
  for (const int direction : {-1, 1}) {
    for (int k = static_cast<int>(start) + direction; k >= 1 && k <= static_cast<int>(max_probes); k += direction) {
      const std::uint64_t units = units_for(static_cast<unsigned>(k));
      if (units > best.units || (units == best.units && direction > 0)) break;
      best = {units, static_cast<unsigned>(k)};
    }
  }
  return best;
}

/// The keys per block at which a blocked filter of k probes just meets the rate, to about ten digits. The log of the
/// rate is nearly linear in the log of the keys, so the method of false position (Illinois variant: Dowell & Jarratt
/// 1971) needs few steps.
double keys_per_block(double fp_rate, unsigned probes) noexcept {
  const auto excess = [&](double log_keys) {
    return portable::log(blocked_fp_rate(1, portable::exp(log_keys), probes)) - portable::log(fp_rate);
  };
  double low = portable::log(kBlockBits * std::numbers::ln2 / probes);  // where half of the bits are set
  double high = low;
  double below = excess(low);
  double above = below;
  while (below > 0) below = excess(low -= 1);
  while (above < 0 && high < 16) above = excess(high += 1);
  for (int i = 0; i < 40 && high - low > 1e-11; ++i) {
    const double middle = low - below * (high - low) / (above - below);
    const double value = excess(middle);
    if (std::abs(value) < 1e-10) return portable::exp(middle);
    if (value < 0) {
      low = middle;
      below = value;
      above /= 2;
    } else {
      high = middle;
      above = value;
      below /= 2;
    }
  }
  return portable::exp(low);
}

}  // namespace

double bloom_fp_rate(double bits_per_key, unsigned probes) noexcept {
  return portable::integer_power(-portable::expm1(-double(probes) / bits_per_key), probes);
}

double classic_fp_rate(double bits, double keys, unsigned probes) noexcept {
  const double fill = -portable::expm1(-double(probes) * keys / bits);
  const double by_chance = mean_power_of_fill(bits, double(probes) * keys, probes);
  return by_chance + (1 - by_chance) * related_hash_rate(fill, keys, probes);
}

double blocked_fp_rate(double blocks, double keys, unsigned probes) noexcept {
  const double mean = keys / blocks;
  if (!(mean > 0)) return 0;
  if (std::isinf(mean)) return 1;  // keys / blocks overflows; the sum below would not end
  // The counts outside mean +- reach have a total probability below 1e-20.
  const double reach = 10 * std::sqrt(mean) + 40;
  const double first = std::max(1.0, std::floor(mean - reach));
  double probability = portable::poisson(mean, first);
  const double clear_per_key = portable::integer_power(1 - 1.0 / kBlockBits, probes);
  const double two_clear_per_key = portable::integer_power(1 - 2.0 / kBlockBits, probes);
  double clear = portable::pow(clear_per_key, first);
  if (clear < 1e-20) return 1;  // all blocks are full, and the sum would take long
  double two_clear = portable::pow(two_clear_per_key, first);
  double rate = 0;
  for (double count = first; count <= mean + reach; ++count) {
    rate += probability * in_block_rate(clear, two_clear, probes);
    probability *= mean / (count + 1);
    clear *= clear_per_key;
    two_clear *= two_clear_per_key;
  }
  return std::min(1.0, rate);
}

std::uint64_t classic_bits(std::uint64_t capacity, double hash_rate, unsigned probes) noexcept {
  const auto keys = static_cast<double>(capacity);
  const double limit =
      -double(probes) * keys / portable::log1p(-portable::pow(hash_rate, 1.0 / probes));  // right for many keys
  // For few keys, this size misses the rate. Near the best k, the rate is proportional to bits^(-k ln 2).
  const double missed_by = std::max(1.0, classic_fp_rate(std::ceil(limit), keys, probes) / hash_rate);
  const double guess = std::ceil(limit * portable::pow(missed_by, 1 / (probes * std::numbers::ln2)));
  return smallest_units(guess, hash_rate, [&](double bits) { return classic_fp_rate(bits, keys, probes); });
}

Result<FilterSize> size_classic(std::uint64_t capacity, double fp_rate) {
  const Result<double> rate = check_request(capacity, fp_rate);
  if (!rate.has_value()) return rate.error();
  return smallest_over_probes(-portable::log2(*rate), kMaxClassicProbes,
                              [&](unsigned probes) { return classic_bits(capacity, *rate, probes); });
}

Result<FilterSize> size_blocked(std::uint64_t capacity, double fp_rate) {
  const Result<double> rate = check_request(capacity, fp_rate);
  if (!rate.has_value()) return rate.error();
  const auto keys = static_cast<double>(capacity);
  return smallest_over_probes(-portable::log2(*rate), kMaxBlockedProbes, [&](unsigned probes) {
    const double guess = std::ceil(keys / keys_per_block(*rate, probes));
    return smallest_units(guess, *rate, [&](double blocks) { return blocked_fp_rate(blocks, keys, probes); });
  });
}

unsigned best_classic_probes(double bits_per_key) noexcept {
  const double optimal = bits_per_key * std::numbers::ln2;
  const auto below = static_cast<unsigned>(std::clamp(std::floor(optimal), 1.0, double(kMaxClassicProbes)));
  const unsigned above = std::min(below + 1, kMaxClassicProbes);
  return bloom_fp_rate(bits_per_key, below) <= bloom_fp_rate(bits_per_key, above) ? below : above;
}

unsigned best_blocked_probes(double bits_per_key) noexcept {
  const double blocks_per_key = bits_per_key / kBlockBits;
  unsigned best = 1;
  double best_rate = 2;
  for (unsigned probes = 1; probes <= kMaxBlockedProbes; ++probes) {
    const double rate = blocked_fp_rate(blocks_per_key, 1, probes);
    if (rate >= best_rate) break;
    best = probes;
    best_rate = rate;
  }
  return best;
}

double classic_cardinality(double bits, double set, unsigned probes) noexcept {
  return -bits / probes * portable::log1p(-set / bits);
}

double blocked_cardinality(double blocks, double set, unsigned probes) noexcept {
  constexpr double kBits = kBlockBits;
  const double clear_per_key = portable::integer_power(1 - 1 / kBits, probes);
  return -blocks * portable::log1p(-set / (blocks * kBits)) / (1 - clear_per_key);
}

double scalable_layer_rate(double fp_rate, unsigned layer) noexcept {
  constexpr double kRatio = 0.75;
  return fp_rate * (1 - kRatio) * portable::integer_power(kRatio, layer);
}

double bit_entropy(double probability) noexcept {
  if (!(probability > 0 && probability < 1)) return 0;
  return -(probability * portable::log2(probability) + (1 - probability) * portable::log2(1 - probability));
}

}  // namespace crivo

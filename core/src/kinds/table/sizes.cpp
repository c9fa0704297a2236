#include "kinds/table/sizes.h"

#include <algorithm>
#include <cmath>

#include "base/error_text.h"
#include "base/portable.h"
#include "kinds/checks.h"
#include "kinds/table/packed_slots.h"

namespace crivo {
namespace {

constexpr double kMaxLoad = 0.95;
constexpr double kImpossible = 2;   // the rate if the keys do not fit
constexpr double kMaxUnits = 9e18;  // above the limit of every kind

/// The number of fingerprints of f bits: all values but 0, which marks an empty slot.
double fingerprint_values(unsigned bits) noexcept { return std::ldexp(1.0, static_cast<int>(bits)) - 1; }

std::uint64_t to_units(double units) noexcept { return static_cast<std::uint64_t>(std::min(units, kMaxUnits)); }

/// The size make_size(bits) with the smallest cost, for fingerprints of min_bits to 32 bits.
template <class MakeSize, class Cost>
FingerprintSize best_size(unsigned min_bits, const MakeSize& make_size, const Cost& cost) {
  FingerprintSize best = make_size(min_bits);
  double best_cost = cost(best);
  for (unsigned bits = min_bits + 1; bits <= kMaxFingerprintBits; ++bits) {
    const FingerprintSize size = make_size(bits);
    const double size_cost = cost(size);
    if (size_cost < best_cost) {
      best = size;
      best_cost = size_cost;
    }
  }
  return best;
}

double total_bits(const FingerprintSize& size) noexcept { return static_cast<double>(size.units) * size.bits; }

Result<void> check_fit(std::uint64_t capacity, double bits_per_key, unsigned min_bits) {
  if (auto valid = check_capacity(capacity); !valid) return valid;
  if (auto valid = check_bits_per_key(bits_per_key); !valid) return valid;
  const double least = min_bits / kMaxLoad;
  if (bits_per_key >= least) return {};
  return bad_argument("bits_per_key must be at least ", least, ", fingerprints of ", min_bits, " bits at a load of ",
                      kMaxLoad, ", got ", bits_per_key);
}

// Cuckoo.

double even_at_least(double buckets) noexcept { return std::max(2.0, 2 * std::ceil(buckets / 2)); }

/// The fewest fingerprint bits with which all keys can be placed. With V = 2^f - 1 values, the number of keys that
/// share a fingerprint and a pair of buckets is Poisson distributed, with a mean of at most 8 * 0.95 / V; a ninth does
/// not fit. Over all (buckets / 2) V groups, the probability of a ninth may be at most 1e-5. So 5 bits suffice up to
/// 3.5e5 keys, 6 up to 8.6e7, 7 up to 2e10, and 8 always. With 4 bits, full filters have too few relocation paths.
unsigned min_cuckoo_bits(double keys) noexcept {
  constexpr double kSlots = 2 * kCuckooBucketSlots;
  for (unsigned bits = 5;; ++bits) {
    const double values = fingerprint_values(bits);
    const double mean = kSlots * kMaxLoad / values;
    const double groups = keys / (kSlots * kMaxLoad) * values;
    if (groups * portable::poisson(mean, kSlots + 1) <= 1e-5) return bits;
  }
}

/// The number of buckets that hold `keys` keys. Two buckets hold any eight keys; with seven, the load (7/8) is still
/// within kMaxLoad. Large filters reach loads of 0.97. In small filters, more than 4 (a + b) keys may have both buckets
/// among the same a odd and b even buckets, so that not all keys can be placed. The probability of such an overload is
/// at most the sum over a and b of C(B/2, a) C(B/2, b) P(Binomial(keys, 4ab / B^2) > 4 (a + b)), where B is the number
/// of buckets. The extra buckets keep the sum at 1e-9 for up to 400 keys. For more keys, they keep the load several
/// standard deviations below the load at which a filter becomes full. (At 4000 keys, one standard deviation is 0.4%.)
double buckets_with_spare(double keys) noexcept {
  if (keys <= 7) return 2;
  const double full = keys / (kCuckooBucketSlots * kMaxLoad);
  return even_at_least(full + std::min(16.0, 2.4 * full));
}

double cuckoo_load(double keys, double buckets) noexcept { return keys / (kCuckooBucketSlots * buckets); }

FingerprintSize cuckoo_buckets_for(double keys, double fp_rate, unsigned bits) noexcept {
  const double load =
      portable::log1p(-fp_rate) / (2 * kCuckooBucketSlots * portable::log1p(-1 / fingerprint_values(bits)));
  double buckets = even_at_least(keys / (kCuckooBucketSlots * load));
  if (cuckoo_fp_rate(cuckoo_load(keys, buckets), bits) > fp_rate) buckets += 2;  // the load was rounded
  return {to_units(std::max(buckets_with_spare(keys), buckets)), bits};
}

// Hash compaction.

bool is_prime(std::uint64_t number) noexcept {
  if (number % 2 == 0) return number == 2;
  for (std::uint64_t divisor = 3; divisor * divisor <= number; divisor += 2) {
    if (number % divisor == 0) return false;
  }
  return number > 1;
}

/// The first prime from `number` on. With a prime number of slots, every step visits all slots.
std::uint64_t prime_from(std::uint64_t number) noexcept {
  while (!is_prime(number)) ++number;
  return number;
}

/// The fill and the rate of a table, for a number of keys per slot.
struct TableState {
  double stored;  // occupied slots / slots: below the load, as a false positive is not stored
  double rate;
};

/// The state of a table of m slots after n = `load` m keys. An ordered table equals one in which the values were added
/// from the largest, V, down to the smallest, each to the first free slot of its sequence. Let e be the share of slots
/// without a larger value, and assume that these slots are random. The step depends only on the value, so each free
/// slot ends a run of L slots along that step. L is geometric with mean 1 / e. The slot is occupied if any of the n / V
/// keys of this value starts in the run: with probability 1 - z^L, where z = exp(-n / (V m)). So
///   e' = e - e E[1 - z^L] = z e^2 / (1 - z + z e),
/// and an absent key of this value, which starts in a run of L slots with probability e L, is found with probability
///   e E[L (1 - z^L)] = 1 - (e' / e)^2 / z.
/// The rate is the mean over the values. As the product of all e' / e is 1 - stored, and squares are convex, the rate
/// is nearly, and never above, 1 - exp((load + 2 ln(1 - stored)) / V): for load 0.95, 5.04 / V. Linear probing would
/// give 19 / V, and an unordered table 200 / V (Knuth, volume 3, section 6.4).
TableState table_state(double load, unsigned bits) noexcept {
  constexpr double kFewValues = 511;  // above this, the bound is at most 1% too high and the recursion slow
  const double values = fingerprint_values(bits);
  if (values > kFewValues) {
    if (load >= 1) return {1, 1};
    const double found =
        2 * (load + (1 - load) * portable::log1p(-load)) - load * load / 2;  // V times the rate, integrated up to load
    const double stored = load - found / values;
    return {stored, -portable::expm1((load + 2 * portable::log1p(-stored)) / values)};
  }
  const double z = portable::exp(-load / values);
  if (z == 0) return {1, 1};
  const double one_minus_z = -portable::expm1(-load / values);
  double free = 1;
  double squares = 0;
  for (double value = 0; value < values; ++value) {
    const double ratio = z * free / (one_minus_z + z * free);
    squares += ratio * ratio;
    free *= ratio;
  }
  return {1 - free, std::max(0.0, 1 - squares / (values * z))};
}

/// The largest x in [low, high] for which the condition holds; low if it never holds. The condition must hold up to
/// some x, and not beyond.
template <class Condition>
double bisect(double low, double high, const Condition& holds) {
  if (holds(high)) return high;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

/// The number of slots for a rate. If the load would be below half of kMaxLoad, one more bit per slot costs less. The
/// result is then kMaxUnits, so that best_size() does not choose it, except at kMaxFingerprintBits.
FingerprintSize hash_compaction_slots_for(double keys, double fp_rate, unsigned bits) noexcept {
  const bool too_few_bits = hash_compaction_fp_rate(kMaxLoad / 2, bits) > fp_rate;
  if (too_few_bits && bits < kMaxFingerprintBits) return {to_units(kMaxUnits), bits};
  const double load = bisect(0, kMaxLoad, [&](double x) { return hash_compaction_fp_rate(x, bits) <= fp_rate; });
  return {std::max<std::uint64_t>(2, to_units(std::ceil(keys / load))), bits};
}

}  // namespace

double cuckoo_fp_rate(double load, unsigned bits) noexcept {
  return -portable::expm1(2 * kCuckooBucketSlots * load * portable::log1p(-1 / fingerprint_values(bits)));
}

Result<FingerprintSize> size_cuckoo(std::uint64_t capacity, double fp_rate) {
  const Result<double> rate = check_request(capacity, fp_rate);
  if (!rate.has_value()) return rate.error();
  const auto keys = static_cast<double>(capacity);
  return best_size(
      min_cuckoo_bits(keys), [&](unsigned bits) { return cuckoo_buckets_for(keys, *rate, bits); }, &total_bits);
}

Result<FingerprintSize> size_cuckoo_by_bits(std::uint64_t capacity, double bits_per_key) {
  const auto keys = static_cast<double>(capacity);
  const unsigned min_bits = min_cuckoo_bits(keys);
  if (auto valid = check_fit(capacity, bits_per_key, min_bits); !valid) return valid.error();
  const double min_buckets = buckets_with_spare(keys);
  FingerprintSize size = best_size(
      min_bits,
      [&](unsigned bits) -> FingerprintSize {
        return {to_units(even_at_least(keys * bits_per_key / (kCuckooBucketSlots * bits))), bits};
      },
      [&](const FingerprintSize& candidate) {
        const auto buckets = static_cast<double>(candidate.units);
        return buckets >= min_buckets ? cuckoo_fp_rate(cuckoo_load(keys, buckets), candidate.bits) : kImpossible;
      });
  size.units = std::max(size.units, to_units(min_buckets));
  return size;
}

double hash_compaction_fp_rate(double load, unsigned bits) noexcept { return table_state(load, bits).rate; }

double hash_compaction_cardinality(double slots, double occupied, unsigned bits) noexcept {
  const double stored = occupied / slots;
  double high = 1;
  while (table_state(high, bits).stored < stored) high *= 2;
  return slots * bisect(0, high, [&](double load) { return table_state(load, bits).stored < stored; });
}

Result<FingerprintSize> size_hash_compaction(std::uint64_t capacity, double fp_rate) {
  const Result<double> rate = check_request(capacity, fp_rate);
  if (!rate.has_value()) return rate.error();
  const auto keys = static_cast<double>(capacity);
  FingerprintSize size = best_size(
      kMinHashCompactionBits, [&](unsigned bits) { return hash_compaction_slots_for(keys, *rate, bits); }, &total_bits);
  size.units = prime_from(size.units);
  return size;
}

Result<FingerprintSize> size_hash_compaction_by_bits(std::uint64_t capacity, double bits_per_key) {
  if (auto valid = check_fit(capacity, bits_per_key, kMinHashCompactionBits); !valid) return valid.error();
  const auto keys = static_cast<double>(capacity);
  FingerprintSize size = best_size(
      kMinHashCompactionBits,
      [&](unsigned bits) -> FingerprintSize {
        return {std::max<std::uint64_t>(2, to_units(std::ceil(keys * bits_per_key / bits))), bits};
      },
      [&](const FingerprintSize& candidate) {
        if (candidate.bits > kMaxLoad * bits_per_key) return kImpossible;
        return hash_compaction_fp_rate(keys / static_cast<double>(candidate.units), candidate.bits);
      });
  size.units = prime_from(size.units);
  return size;
}

}  // namespace crivo

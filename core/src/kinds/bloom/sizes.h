// The formulas of the classic filter, and of the layers of a scalable one. Those of blocked are in crivo/host/sizing.h,
// which tells what n, m and k are.
#pragma once

#include <cstdint>

#include "crivo/host/sizing.h"
#include "crivo/result.h"

namespace crivo {

/// The rate of the classic filter with n keys in m bits: the mean of (bits set / m)^k, which approaches the textbook's
/// (1 - e^(-kn/m))^k (Broder & Mitzenmacher 2004, (1)) from above as n grows: 2 to 15 times that at one key, 1.1 to 1.4
/// at ten, 1.001 to 1.003 at a thousand. It is 0 without keys. Sources: Bose et al. 2008, "On the false-positive rate
/// of Bloom filters"; Christensen, Roginsky & Jimeno 2010.
[[nodiscard]] double classic_fp_rate(double bits, double keys, unsigned probes) noexcept;

/// The smallest classic filter whose classic_fp_rate at `capacity` keys is at most fp_rate, over all k up to 64. (If k
/// need not be an integer, that is m = -n ln p / (ln 2)^2.) Errors: kBadArgument for a capacity outside
/// 1..kMaxCapacity, an fp_rate outside (0, 1), or one at or below capacity * 2^-64, the rate at which different keys
/// have the same 64-bit hash.
[[nodiscard]] Result<FilterSize> size_classic(std::uint64_t capacity, double fp_rate);

/// The number of probes per key that has the lowest rate for a given size. bits_per_key must be above 0.
[[nodiscard]] unsigned best_classic_probes(double bits_per_key) noexcept;

/// The estimated number of keys in a classic filter with `set` of `bits` bits set: -(m / k) ln(1 - set / m); infinite
/// when all bits are set. Source: Swamidass & Baldi 2007.
[[nodiscard]] double classic_cardinality(double bits, double set, unsigned probes) noexcept;

/// The rate for which layer number `layer` (0, 1, ...) of a scalable filter is sized: fp_rate (1 - r) r^layer with r =
/// 3/4. However many layers there are, 1 - prod(1 - rate) stays below fp_rate. Source: Almeida et al. 2007, who advise
/// r of 0.8 to 0.9. At a growth of 2 and rates of 0.1 to 0.0001, 3/4 takes at most 3% more bits than the best r after
/// 100-fold growth, and 3 to 6% fewer than 0.8 before any.
[[nodiscard]] double scalable_layer_rate(double fp_rate, unsigned layer) noexcept;

/// The Shannon entropy, in bits, of one bit that is 1 with this probability: what an ideal coder needs for it. It is 0
/// at 0 and 1.
[[nodiscard]] double bit_entropy(double probability) noexcept;

/// The fewest bits in which a classic filter of `probes` probes finds absent hashes at no more than `hash_rate`.
[[nodiscard]] std::uint64_t classic_bits(std::uint64_t capacity, double hash_rate, unsigned probes) noexcept;

/// The limit of classic_fp_rate as the number of keys grows: (1 - e^(-k / bits_per_key))^k. Source: Broder &
/// Mitzenmacher 2004, (1).
[[nodiscard]] double bloom_fp_rate(double bits_per_key, unsigned probes) noexcept;

}  // namespace crivo

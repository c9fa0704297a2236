// The formulas of the classic filter, and of the layers of a scalable filter. crivo/host/sizing.h has the formulas of
// blocked filters, and defines n, m and k.
#pragma once

#include <cstdint>

#include "crivo/host/sizing.h"
#include "crivo/result.h"

namespace crivo {

/// The rate of the classic filter with n keys in m bits: the mean of (bits set / m)^k, combined with related_hash_rate.
/// As n grows, the mean approaches the textbook's (1 - e^(-kn/m))^k (Broder & Mitzenmacher 2004, (1)) from above: the
/// ratio is 2 to 15 for one key, 1.1 to 1.4 for ten, and 1.001 to 1.003 for a thousand. The rate is 0 without keys.
/// Sources: Bose et al. 2008, "On the false-positive rate of Bloom filters"; Christensen, Roginsky & Jimeno 2010.
[[nodiscard]] double classic_fp_rate(double bits, double keys, unsigned probes) noexcept;

/// The smallest classic filter with classic_fp_rate <= fp_rate at `capacity` keys, for k up to 64. (With a real-valued
/// k, m would be -n ln fp_rate / (ln 2)^2.) Errors: kBadArgument for a capacity outside 1..kMaxCapacity, or an fp_rate
/// outside (capacity * 2^-64, 1). The lower bound is the rate at which different keys share a 64-bit hash.
[[nodiscard]] Result<FilterSize> size_classic(std::uint64_t capacity, double fp_rate);

/// The number of probes with the lowest rate for this many bits per key, which must be above 0.
[[nodiscard]] unsigned best_classic_probes(double bits_per_key) noexcept;

/// The estimated number of keys in a classic filter with `set` of `bits` bits set: -(m / k) ln(1 - set / m); infinite
/// if all bits are set. Source: Swamidass & Baldi 2007.
[[nodiscard]] double classic_cardinality(double bits, double set, unsigned probes) noexcept;

/// The rate for which layer `layer` (0, 1, ...) of a scalable filter is sized: fp_rate (1 - r) r^layer with r = 3/4.
/// For any number of layers, 1 - prod(1 - rate) stays below fp_rate. Source: Almeida et al. 2007, who advise r of 0.8
/// to 0.9. At a growth of 2 and rates of 0.1 to 0.0001, r = 3/4 needs at most 3% more bits than the best r after
/// 100-fold growth. Before any growth, it needs 3 to 6% fewer bits than r = 0.8.
[[nodiscard]] double scalable_layer_rate(double fp_rate, unsigned layer) noexcept;

/// The Shannon entropy, in bits, of a bit that is 1 with this probability; 0 at 0 and 1.
[[nodiscard]] double bit_entropy(double probability) noexcept;

/// The fewest bits of a classic filter with this many probes and a rate of at most `hash_rate` at `capacity` keys.
[[nodiscard]] std::uint64_t classic_bits(std::uint64_t capacity, double hash_rate, unsigned probes) noexcept;

/// The limit of classic_fp_rate for many keys: (1 - e^(-k / bits_per_key))^k. Source: Broder & Mitzenmacher 2004, (1).
[[nodiscard]] double bloom_fp_rate(double bits_per_key, unsigned probes) noexcept;

}  // namespace crivo

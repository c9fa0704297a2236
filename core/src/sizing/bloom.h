// What the sizes of classic filters and those of compressed ones share.
#pragma once

#include <cstdint>

namespace crivo {

/// The fewest bits in which a classic filter of `probes` probes finds absent hashes at no more than `hash_rate`.
[[nodiscard]] std::uint64_t classic_bits(std::uint64_t capacity, double hash_rate, unsigned probes) noexcept;

/// The limit of classic_fp_rate as the number of keys grows: (1 - e^(-k / bits_per_key))^k. Source: Broder &
/// Mitzenmacher 2004, (1).
[[nodiscard]] double bloom_fp_rate(double bits_per_key, unsigned probes) noexcept;

}  // namespace crivo

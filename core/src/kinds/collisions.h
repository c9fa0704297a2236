// Lower limits of the rate, due to 64-bit hashes. Most kinds identify a key only by its hash, so they find an absent
// key with the hash of an added key.
#pragma once

#include <algorithm>
#include <cstdint>

namespace crivo {

/// The probability that a key has the same hash as one of `keys` other keys.
[[nodiscard]] inline double collision_rate(double keys) noexcept { return std::min(1.0, keys * 0x1p-64); }

/// The rate for absent keys, from the rate for absent hashes in a filter of `keys` keys.
[[nodiscard]] inline double with_collisions(double hash_rate, double keys) noexcept {
  return hash_rate + (1 - hash_rate) * collision_rate(keys);
}

/// The inverse of with_collisions: the rate for absent hashes that gives the rate `fp_rate` for absent keys. `fp_rate`
/// must be above collision_rate(capacity). Collisions below a millionth of the rate are not subtracted, so that a rate
/// that a kind can meet exactly, such as 1/128 for a ribbon, stays the same.
[[nodiscard]] inline double without_collisions(double fp_rate, std::uint64_t capacity) noexcept {
  constexpr double kNegligible = 1e-6;
  const double collisions = collision_rate(static_cast<double>(capacity));
  return collisions <= kNegligible * fp_rate ? fp_rate : (fp_rate - collisions) / (1 - collisions);
}

/// The rate at which a classic filter finds an absent hash because the hash shares most positions with a key's hash. If
/// M is the multiplier of the positions, the hashes h M^i and h / M^i share all but i positions with h. The other i
/// positions are set by chance. `fill` is the share of set bits.
[[nodiscard]] inline double related_hash_rate(double fill, double keys, unsigned probes) noexcept {
  const double per_key = fill < 1 ? std::min(probes - 1.0, fill / (1 - fill)) : probes - 1.0;  // >= the sum of fill^i
  return std::min(1.0, 2 * per_key * collision_rate(keys));
}

}  // namespace crivo

// The published formulas for the sizes and rates of blocked and ribbon filters. Pure arithmetic.
//
// n is the number of keys, m the number of bits, k the number of probes per key, and fp_rate the false-positive rate,
// in (0, 1): 0.01 is one false positive per hundred absent keys.
#pragma once

#include <cmath>
#include <cstdint>

#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// Bits per block of the blocked kind: one cache line.
inline constexpr unsigned kBlockBits = 512;

/// The rate of a blocked filter: the mean over all blocks. The number of keys in a block has a Poisson distribution
/// with mean n / blocks. Source: Putze, Sanders & Singler 2007, (3). The rate in a block also accounts for the varying
/// fill of blocks with equal numbers of keys, unlike the paper's (1 - (1-1/B)^(kj))^k.
[[nodiscard]] double blocked_fp_rate(double blocks, double keys, unsigned probes) noexcept;

/// Whether the rate exceeds the promised rate because of too many distinct keys. Facts::keys includes repeated keys, so
/// the estimated cardinality must also exceed the capacity, by its square root: the standard deviation of the estimate
/// is 0.3 times the square root at a rate of 1%, and 0.7 times at 50%. Each pane of a window is sized for a share of
/// the capacity, so fewer keys than the capacity can overfill a pane. A window's rate may exceed the promised rate by
/// half, because the number of keys per pane varies.
[[nodiscard]] inline bool is_over_capacity(const Facts& facts, const Stats& stats, bool is_window) noexcept {
  if (is_window) return stats.current_fp_rate > 1.5 * facts.fp_rate;
  if (facts.keys <= facts.capacity || stats.current_fp_rate <= facts.fp_rate) return false;
  const auto capacity = static_cast<double>(facts.capacity);
  return !stats.cardinality || *stats.cardinality > capacity + std::sqrt(capacity);
}

/// The size of a Bloom filter: units (bits for classic, 512-bit blocks for blocked) and probes per key.
struct FilterSize {
  std::uint64_t units;
  unsigned probes;
};

/// The smallest blocked filter with blocked_fp_rate <= fp_rate at `capacity` keys, for k up to 16. Errors: kBadArgument
/// for a capacity outside 1..kMaxCapacity, or an fp_rate outside (capacity * 2^-64, 1): the lower bound is the rate of
/// hash collisions.
[[nodiscard]] Result<FilterSize> size_blocked(std::uint64_t capacity, double fp_rate);

/// The number of probes with the lowest rate for a size. bits_per_key must be above 0.
[[nodiscard]] unsigned best_blocked_probes(double bits_per_key) noexcept;

/// The estimated number of keys in a blocked filter with `set` bits set; infinite if all bits are set. With
/// Poisson-distributed keys per block, the expected share of clear bits is e^(-(n / blocks) (1 - (1 - 1/512)^k)), which
/// is solved for n.
[[nodiscard]] double blocked_cardinality(double blocks, double set, unsigned probes) noexcept;

/// The size of a ribbon: `columns` bits per key, and one more bit per key in rich_share / 32768 of the blocks.
struct RibbonSize {
  std::uint64_t units;  // words of 8 bytes, approximately; a build allocates what its hashes need
  unsigned columns;     // 0 to 32
  unsigned rich_share;  // 0 to 32767
};

/// The rate of a ribbon that has keys: 2^-columns (1 - rich_share / 65536). Source: Dillinger & Walzer 2021: r columns
/// give the rate 2^-r. The rate of a ribbon whose blocks differ in columns is the mean over the blocks.
[[nodiscard]] double ribbon_fp_rate(unsigned columns, unsigned rich_share) noexcept;

/// The smallest ribbon for a rate of at least 2^-32. For at least 1e5 keys and several columns, the size is within 0.5%
/// of columns + rich_share / 32768 bits per key, or within 1.5% for width 32. Errors: kBadArgument, also for a width
/// other than 64 and 32.
[[nodiscard]] Result<RibbonSize> size_ribbon(std::uint64_t capacity, double fp_rate, unsigned width = 64);
/// The ribbon with the lowest rate that needs at most bits_per_key. Errors: kBadArgument unless bits_per_key is in (0,
/// 1000] and the width is 64 or 32.
[[nodiscard]] Result<RibbonSize> size_ribbon_by_bits(std::uint64_t capacity, double bits_per_key, unsigned width = 64);

}  // namespace crivo

// The published formulas about the sizes and rates of blocked and ribbon filters, one function each. These are pure
// arithmetic: no filter is built here.
//
// In all of them n is the number of keys, m the number of bits, k the number of probes per key, and fp_rate the share
// of absent keys that are found, in (0, 1): 0.01 is one false hit in a hundred absent keys.
#pragma once

#include <cstdint>

#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// Bits in a block of the blocked kind: one cache line.
inline constexpr unsigned kBlockBits = 512;

/// The rate of the blocked filter: the mean of the rate in a block, whose number of keys follows a Poisson distribution
/// with mean n / blocks. Source: Putze, Sanders & Singler 2007, (3); the rate in a block takes into account that the
/// fill of blocks with the same number of keys varies, which their (1 - (1-1/B)^(kj))^k leaves out.
[[nodiscard]] double blocked_fp_rate(double blocks, double keys, unsigned probes) noexcept;

/// Whether a filter is over its capacity: its rate has gone above the promised one. More additions than the capacity do
/// not prove that, because repeated keys count as additions, too. A window is sized for each pane: keys that
/// come at once can exceed it though they are fewer than the capacity, and a rate up to half above the promised one may
/// be chance, as the keys of panes scatter.
[[nodiscard]] constexpr bool is_over_capacity(const Facts& facts, double current_fp_rate, bool is_window) noexcept {
  if (is_window) return current_fp_rate > 1.5 * facts.fp_rate;
  return facts.keys > facts.capacity && current_fp_rate > facts.fp_rate;
}

/// A size of a Bloom filter: the unit count (bits for classic, 512-bit blocks for blocked) and the probes per key.
struct FilterSize {
  std::uint64_t units;
  unsigned probes;
};

/// The smallest blocked filter whose blocked_fp_rate at `capacity` keys is at most fp_rate, over all k up to 16.
/// Errors: kBadArgument for a capacity outside 1..kMaxCapacity, an fp_rate outside (0, 1), or one at or below capacity
/// * 2^-64, the rate at which different keys have the same 64-bit hash.
[[nodiscard]] Result<FilterSize> size_blocked(std::uint64_t capacity, double fp_rate);

/// The number of probes per key that has the lowest rate for a given size. bits_per_key must be above 0.
[[nodiscard]] unsigned best_blocked_probes(double bits_per_key) noexcept;

/// The estimated number of keys in a blocked filter with `set` bits set; infinite when all are. The Poisson number of
/// keys per block makes the expected share of clear bits e^(-(n / blocks) (1 - (1 - 1/512)^k)), which is solved for n.
[[nodiscard]] double blocked_cardinality(double blocks, double set, unsigned probes) noexcept;

/// The size of a ribbon: `columns` bits per key, and one more in a share of rich_share / 32768 of the blocks.
struct RibbonSize {
  std::uint64_t units;  // words of 8 bytes; a build takes as many as its hashes need, about this number
  unsigned columns;     // 0 to 32
  unsigned rich_share;  // 0 to 32767
};

/// The rate of a ribbon with any number of keys above 0: 2^-columns (1 - rich_share / 65536). Source: Dillinger &
/// Walzer 2021, where r columns give 2^-r, and mixing two numbers of columns mixes their rates.
[[nodiscard]] double ribbon_fp_rate(unsigned columns, unsigned rich_share) noexcept;

/// The cheapest ribbon for a rate, from 2^-32 on: within half a percent of columns + rich_share / 32768 bits per key
/// once there are 1e5 keys and several columns, or within one and a half if its width is 32. Errors: kBadArgument,
/// also unless the width is 64 or 32.
[[nodiscard]] Result<RibbonSize> size_ribbon(std::uint64_t capacity, double fp_rate, unsigned width = 64);
/// The ribbon of the lowest rate that takes at most bits_per_key in all. Errors: kBadArgument unless bits_per_key lies
/// in (0, 1000], or unless the width is 64 or 32.
[[nodiscard]] Result<RibbonSize> size_ribbon_by_bits(std::uint64_t capacity, double bits_per_key, unsigned width = 64);

}  // namespace crivo

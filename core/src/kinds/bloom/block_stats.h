// Fill statistics of the kinds with 512-bit blocks.
#pragma once

#include <array>

#include "base/portable.h"
#include "crivo/detail/view.h"
#include "crivo/host/bytes.h"
#include "crivo/host/sizing.h"
#include "kinds/bloom/block.h"

namespace crivo {

/// Element s is the rate of a block with s bits set, for k probes.
using RateOfBlocks = std::array<double, kBlockBits + 1>;
inline RateOfBlocks rate_of_blocks(std::uint32_t k) noexcept {
  RateOfBlocks rate_at{};
  for (unsigned set = 0; set <= kBlockBits; ++set) rate_at[set] = portable::integer_power(set / double{kBlockBits}, k);
  return rate_at;
}

/// The statistics of a filter. `bits_set_in(block)` must return the number of set bits in a block.
template <class BitsSetIn>
Stats stats_of_blocks(const Shape& shape, const BitsSetIn& bits_set_in) noexcept {
  Stats stats;
  stats.bits = shape.units * kBlockBits;
  const RateOfBlocks rate_at = rate_of_blocks(shape.k);
  double rates = 0;
  for (std::uint64_t block = 0; block < shape.units; ++block) {
    const std::uint64_t set = bits_set_in(block);
    stats.bits_set += set;
    rates += rate_at[set];
  }
  const auto blocks = static_cast<double>(shape.units);
  stats.current_fp_rate = rates / blocks;
  if (stats.bits_set < stats.bits) {
    stats.cardinality = blocked_cardinality(blocks, static_cast<double>(stats.bits_set), shape.k);
  }
  return stats;
}

/// The same for blocks that are arrays of bits.
inline Stats stats_of_bit_blocks(const View& view) noexcept {
  return stats_of_blocks(view.shape, [&view](std::uint64_t block) {
    return count_bits({view.payload + block * kBlockBytes, kBlockBytes});
  });
}

}  // namespace crivo

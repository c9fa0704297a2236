// The positions of a key in a 512-bit block (docs/format.md, "blocked"). Every kernel computes exactly these positions.
//
// The block's number is the upper word of the product hash x blocks. The first eight positions are derived from the
// lower half of the hash, and the next eight from the upper half of the product hash x golden ratio. With more than
// eight probes, nearly all 64 bits distinguish the keys of a block. A position is the top nine bits of a 32-bit
// product, so one vector multiplication and one shift compute eight positions, or sixteen with AVX-512.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/math128.h"
#include "crivo/host/sizing.h"

namespace crivo {

inline constexpr std::size_t kBlockBytes = kBlockBits / 8;
/// The maximum number of probes per key: the positions fill the sixteen 32-bit lanes of a 512-bit register.
inline constexpr unsigned kMaxBlockedProbes = 16;
/// Up to this number of probes, the positions follow from low_seed alone.
inline constexpr unsigned kFewProbes = 8;
inline constexpr std::uint64_t kMaxBlocks = std::uint64_t{1} << 40;
inline constexpr unsigned kPositionShift = 32 - 9;

/// Odd multipliers, one per position, from Parquet's split-block Bloom filter.
inline constexpr std::uint32_t kPositionMultipliers[8] = {0x47B6137B, 0x44974D91, 0x8824AD5B, 0xA2B7289D,
                                                          0x705495C7, 0x2DF1424B, 0x9EFC4947, 0x5C6BFB31};

/// A key's block, and the seeds of its positions.
struct BlockKey {
  std::uint64_t block;
  std::uint32_t low_seed;   // for positions 0 to 7
  std::uint32_t high_seed;  // for positions 8 to 15

  BlockKey() noexcept = default;
  BlockKey(std::uint64_t hash, std::uint64_t blocks) noexcept
      : block(mulhi(hash, blocks)),
        low_seed(static_cast<std::uint32_t>(hash)),
        high_seed(static_cast<std::uint32_t>((hash * kGolden64) >> 32)) {}

  /// The position of probe i, in [0, 512).
  [[nodiscard]] unsigned position(unsigned i) const noexcept {
    return ((i < 8 ? low_seed : high_seed) * kPositionMultipliers[i & 7]) >> kPositionShift;
  }
};

}  // namespace crivo

// The payload of a range filter: the codes of its keys in Elias-Fano coding, and the hash that makes the codes
// (docs/format.md, "range").
//
// A code is below the reduced universe r. Its upper bits are the number of its bucket. The lower l bits of all codes
// are stored in ascending order of the codes. The bit array `upper` contains, for each bucket, a one per code and then
// a zero. To avoid long scans, a directory has the number of zeros before each block of 2048 bits of `upper`.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/math128.h"
#include "crivo/host/bytes.h"
#include "crivo/types.h"
#include "kinds/prepared.h"

namespace crivo {

inline constexpr unsigned kMaxRangeLowBits = 62;
inline constexpr unsigned kRangeShareBits = 11;
inline constexpr unsigned kRangeShares = 1U << kRangeShareBits;
inline constexpr unsigned kMaxRangeLengthBits = 31;
inline constexpr std::uint64_t kMaxRangeUniverse = std::uint64_t{1} << 63;
inline constexpr std::uint64_t kMaxRangeWords = std::uint64_t{1} << 41;
inline constexpr std::uint64_t kRangeDirectoryBits = 2048;  // of `upper`, per entry of the directory
inline constexpr std::uint64_t kRangeHeaderWords = 2;

/// The parameters in a shape: the reduced universe per key, 2^low_bits (1 + share / 2048), and the length of the ranges
/// for which the rate holds.
struct RangeScale {
  unsigned low_bits;
  unsigned share;
  unsigned length_bits;

  explicit RangeScale(const Shape& shape) noexcept
      : low_bits(shape.k), share(shape.param % kRangeShares), length_bits(shape.param / kRangeShares) {}
  RangeScale(unsigned low, unsigned share_above, unsigned length) noexcept
      : low_bits(low), share(share_above), length_bits(length) {}

  [[nodiscard]] std::uint16_t param() const noexcept {
    return static_cast<std::uint16_t>(length_bits << kRangeShareBits | share);
  }
  [[nodiscard]] std::uint64_t length() const noexcept { return std::uint64_t{1} << length_bits; }
  /// The reduced universe for `keys` keys; `keys` must be at most 2^40.
  [[nodiscard]] std::uint64_t universe(std::uint64_t keys) const noexcept {
    __extension__ using Wide = unsigned __int128;
    const Wide scaled = static_cast<Wide>(keys * (kRangeShares + share)) << low_bits;
    const Wide universe = (scaled + (kRangeShares - 1)) >> kRangeShareBits;
    return universe < kMaxRangeUniverse ? static_cast<std::uint64_t>(universe) : kMaxRangeUniverse;
  }
};

/// The parts of a payload. Offsets are in words of 8 bytes.
struct RangeLayout {
  std::uint64_t codes;
  std::uint64_t buckets;  // one zero of `upper` per bucket
  std::uint64_t bits;     // of `upper`
  std::uint64_t directory;
  std::uint64_t upper;
  std::uint64_t words;  // of the payload

  /// `universe` must be at least 1.
  RangeLayout(unsigned low_bits, std::uint64_t universe, std::uint64_t codes_stored) noexcept
      : codes(codes_stored),
        buckets(((universe - 1) >> low_bits) + 1),
        bits(codes + buckets),
        directory(kRangeHeaderWords + (codes * low_bits + 63) / 64),
        upper(directory + (bits + kRangeDirectoryBits - 1) / kRangeDirectoryBits),
        words(upper + (bits + 63) / 64) {}
  [[nodiscard]] std::uint64_t blocks() const noexcept { return upper - directory; }
};

/// The locality-preserving hash. Numbers in the same block of r numbers keep their distances, modulo r. Different
/// blocks are shifted relative to each other by a pairwise independent hash of the block number (Dietzfelbinger 1996:
/// the upper half of a 128-bit product).
struct RangeHash {
  std::uint64_t low_factor;
  std::uint64_t high_factor;
  std::uint64_t shift;
  std::uint64_t universe;

  std::uint64_t reciprocal;  // of the universe, scaled by a power of two to 64 bits

  RangeHash(std::uint64_t seed, std::uint64_t reduced_universe) noexcept
      : low_factor(mix(seed + kGolden64)),
        high_factor(mix(seed + 2 * kGolden64)),
        shift(mix(seed + 3 * kGolden64)),
        universe(reduced_universe),
        reciprocal(reciprocal_of(reduced_universe)) {}

  /// number / universe. The estimate from the reciprocal is rarely too small, and then by 1, so the branch is
  /// predictable.
  [[nodiscard]] std::uint64_t block_of(std::uint64_t number) const noexcept {
    const std::uint64_t block = mulhi(number, reciprocal) >> (63 - std::countl_zero(universe));
    return number - block * universe < universe ? block : block + 1;
  }
  /// The code of a block's first number.
  [[nodiscard]] std::uint64_t start_of(std::uint64_t block) const noexcept {
    return mulhi(mulhi(low_factor, block) + high_factor * block + shift, universe);
  }
  /// (code + distance) mod universe, where both are below the universe.
  [[nodiscard]] std::uint64_t advance(std::uint64_t code, std::uint64_t distance) const noexcept {
    const std::uint64_t sum = code + distance;  // below 2^64, as the universe is at most 2^63
    return sum >= universe ? sum - universe : sum;
  }

 private:
  [[nodiscard]] static std::uint64_t reciprocal_of(std::uint64_t universe) noexcept {
    __extension__ using Wide = unsigned __int128;
    const Wide scale = Wide{1} << (64 + 63 - std::countl_zero(universe));
    return static_cast<std::uint64_t>((scale - 1) / universe);
  }
  /// The output function of SplitMix64 (Steele, Lea & Flood 2014).
  [[nodiscard]] static std::uint64_t mix(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
};

[[nodiscard]] inline std::uint64_t range_keys(const View& view) noexcept {
  return load_le<std::uint64_t>(view.payload);
}
[[nodiscard]] inline std::uint64_t range_codes(const View& view) noexcept {
  return load_le<std::uint64_t>(view.payload + 8);
}
/// The layout of a filter with keys.
[[nodiscard]] inline RangeLayout range_layout(const View& view) noexcept {
  return {view.shape.k, RangeScale(view.shape).universe(range_keys(view)), range_codes(view)};
}

/// The parameters of a query, if the filter has keys.
struct RangePrepared {
  RangeHash hash;                   // its universe is 0 if the filter has no keys
  std::uint64_t blocks_per_bucket;  // blocks of the directory per bucket, times 2^64, to guess a bucket's block
  std::uint64_t directory;
  std::uint64_t upper;
};

inline void prepare_range(View& view) noexcept {
  if (range_keys(view) == 0) return;
  const RangeHash hash(view.shape.seed, RangeScale(view.shape).universe(range_keys(view)));
  const RangeLayout layout(view.shape.k, hash.universe, range_codes(view));
  const std::uint64_t blocks_per_bucket = ~std::uint64_t{0} / layout.buckets * layout.blocks();
  set_prepared(view, RangePrepared{hash, blocks_per_bucket, layout.directory, layout.upper});
}

}  // namespace crivo

// Where a key's row lies in a ribbon payload: docs/format.md, "ribbon". Queries, kernels and the builder share it.
//
// A ribbon filter stores no keys. Each key has a row: 64 random bits at a start slot, and a fingerprint of c bits. The
// solution is c columns of one bit per slot such that, for each key and column, the parity of (row AND the 64 solution
// bits from start on) is that bit of the fingerprint; an absent key's fingerprint agrees by chance, 2^-c. Levels are
// overloaded so that no slot stays empty, and what does not fit is bumped: of each bucket of 128 starts, a threshold of
// two bits tells below which start keys live in the next, much smaller level. The last level, the base, bumps nothing.
// Blocks of 64 slots store their columns as consecutive words, so a query reads 2 c adjacent words: block by block, and
// not slot by slot. The first blocks of a level are lean (r columns), the others rich (r + 1): the mix meets any rate.
// Papers: Dillinger, Huebschle-Schneider, Sanders & Walzer 2022, "Fast Succinct Retrieval and Approximate Membership
// Using Ribbon"; Dillinger & Walzer 2021, "Ribbon filter: practically smaller than Bloom and Xor".
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/bytes.h"
#include "base/math128.h"
#include "crivo/types.h"

namespace crivo {

inline constexpr unsigned kRibbonBlockSlots = 64;
inline constexpr unsigned kRibbonBucketStarts = 128;
inline constexpr unsigned kMaxRibbonColumns = 32;
inline constexpr unsigned kMaxRibbonLevels = 16;
inline constexpr unsigned kMaxRibbonSeed = 63;
inline constexpr unsigned kRibbonShares = 32768;  // param counts the rich blocks in these
inline constexpr std::uint64_t kMinRibbonBlocks = 2;
inline constexpr std::uint64_t kMaxRibbonBlocks = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kMaxRibbonUnits = std::uint64_t{1} << 46;

/// Batches ask for so many keys at a time; of a payload from this size on, which the second-level cache does not hold,
/// they first fetch what all of these will read.
inline constexpr std::size_t kRibbonBatch = 32;
inline constexpr std::size_t kRibbonFarBytes = std::size_t{1} << 22;

/// The first start of a bucket that threshold t keeps. Not inline: its address needs no look-up in a shared library.
constexpr std::uint8_t kRibbonKeptFrom[4] = {0, 20, 40, 128};
[[nodiscard]] constexpr unsigned ribbon_kept_from(std::uint64_t threshold) noexcept {
  return kRibbonKeptFrom[threshold];
}

/// From a key's hash at one level to its hash at the next, and from one base seed to the next.
inline constexpr std::uint64_t kRibbonNextLevel = 0xD1342543DE82EF95;
/// Fingerprints come from the hash itself, at every level.
inline constexpr std::uint64_t kRibbonFingerprint = 0xD6E8FEB86659FD93;

/// A key at a level, apart from where its start is.
[[nodiscard]] inline std::uint64_t ribbon_row(std::uint64_t level_hash) noexcept {
  constexpr std::uint64_t kRowFactor = 0xC28F82822B650BED;
  return mul_fold(level_hash, kRowFactor) | 1;
}
[[nodiscard]] inline std::uint32_t ribbon_fingerprint(std::uint64_t hash,
                                                      std::uint64_t factor = kRibbonFingerprint) noexcept {
  return static_cast<std::uint32_t>(hash * factor >> 32);
}

/// The two column counts of a filter, and what follows for a level of so many blocks.
struct RibbonColumns {
  unsigned lean;        // r
  std::uint64_t share;  // of rich blocks, in kRibbonShares

  explicit RibbonColumns(const Shape& shape) noexcept : lean(shape.probes), share(shape.param) {}
  /// From columns per key, in kRibbonShares.
  explicit RibbonColumns(std::uint64_t column_shares) noexcept
      : lean(static_cast<unsigned>(column_shares / kRibbonShares)), share(column_shares % kRibbonShares) {}
  [[nodiscard]] std::uint64_t column_shares() const noexcept { return lean * std::uint64_t{kRibbonShares} + share; }
  [[nodiscard]] unsigned most() const noexcept { return lean + (share != 0); }
  [[nodiscard]] std::uint64_t lean_blocks(std::uint64_t blocks) const noexcept {
    return blocks * (kRibbonShares - share) / kRibbonShares;
  }
};

/// What a level's block count fixes.
struct RibbonLevelShape {
  std::uint64_t blocks;
  std::uint64_t lean_blocks;
  unsigned lean_columns;
  bool base;

  RibbonLevelShape(std::uint64_t block_count, const RibbonColumns& columns, bool is_base) noexcept
      : blocks(block_count), lean_blocks(columns.lean_blocks(block_count)), lean_columns(columns.lean), base(is_base) {}

  [[nodiscard]] std::uint64_t slots() const noexcept { return blocks * kRibbonBlockSlots; }
  /// One block fewer than slots: a row never leaves its level, nor the block after the one it starts in.
  [[nodiscard]] std::uint64_t starts() const noexcept { return (blocks - 1) * kRibbonBlockSlots; }
  [[nodiscard]] std::uint64_t buckets() const noexcept { return blocks / 2; }
  [[nodiscard]] std::uint64_t threshold_words() const noexcept { return base ? 0 : (buckets() + 31) / 32; }
  [[nodiscard]] unsigned columns_of(std::uint64_t block) const noexcept {
    return lean_columns + (block >= lean_blocks);
  }
  /// Share of the starts whose block is lean. No key starts in the last block.
  [[nodiscard]] double lean_starts() const noexcept {
    return static_cast<double>(std::min(lean_blocks, blocks - 1)) / static_cast<double>(blocks - 1);
  }
  /// Words of the solution before this block; before the block after the last, all of them.
  [[nodiscard]] std::uint64_t words_before(std::uint64_t block) const noexcept {
    return block * lean_columns + (block > lean_blocks ? block - lean_blocks : 0);
  }
  /// With the block count's own.
  [[nodiscard]] std::uint64_t words() const noexcept { return 1 + threshold_words() + words_before(blocks); }
};

/// Word 0 of a payload.
struct RibbonHeader {
  unsigned levels;
  unsigned base_seed;
  std::uint64_t keys;

  explicit RibbonHeader(std::uint64_t word) noexcept
      : levels(word & 0xFF), base_seed(word >> 8 & 0xFF), keys(word >> 16) {}
  [[nodiscard]] static std::uint64_t word(unsigned levels, unsigned base_seed, std::uint64_t keys) noexcept {
    return levels | base_seed << 8 | keys << 16;
  }
};

/// One key's equation: `columns` words from `words` on are its start's block, as many after them are those of the next.
struct RibbonEquation {
  const std::byte* words;
  unsigned columns;
  unsigned shift;  // of the start in its block
  std::uint64_t row;
  std::uint32_t fingerprint;
};

/// What a query needs of a level.
struct RibbonAccess {
  std::uint64_t starts;
  std::uint64_t lean_blocks;
  unsigned lean_columns;
  const std::byte* thresholds;
  const std::byte* solution;

  [[nodiscard]] std::uint64_t start_of(std::uint64_t level_hash) const noexcept { return mulhi(level_hash, starts); }
  /// Was a key with this start bumped? Not asked of the base.
  [[nodiscard]] bool bumped(std::uint64_t start) const noexcept {
    return start % kRibbonBucketStarts < kept_from(start / kRibbonBucketStarts);
  }
  /// The first start of a bucket that its threshold keeps.
  [[nodiscard]] unsigned kept_from(std::uint64_t bucket) const noexcept {
    const unsigned four = std::to_integer<unsigned>(thresholds[bucket / 4]);
    return ribbon_kept_from(four >> (2 * (bucket % 4)) & 3);
  }
  [[nodiscard]] RibbonEquation equation(std::uint64_t start, std::uint64_t level_hash,
                                        std::uint64_t hash) const noexcept {
    const std::uint64_t block = start / kRibbonBlockSlots;
    const std::uint64_t rich_before = block > lean_blocks ? block - lean_blocks : 0;
    return {solution + 8 * (block * lean_columns + rich_before), lean_columns + (block >= lean_blocks),
            static_cast<unsigned>(start % kRibbonBlockSlots), ribbon_row(level_hash), ribbon_fingerprint(hash)};
  }
};

/// The level of a payload that starts at `at`.
struct RibbonLevelView {
  RibbonLevelShape level;
  RibbonAccess access;

  RibbonLevelView(const std::byte* at, const RibbonColumns& columns, bool base) noexcept
      : level(load_le<std::uint64_t>(at), columns, base),
        access{level.starts(), level.lean_blocks, level.lean_columns, at + 8, at + 8 + 8 * level.threshold_words()} {}

  [[nodiscard]] const std::byte* end() const noexcept { return access.solution + 8 * level.words_before(level.blocks); }
};

/// A payload without levels holds no key.
[[nodiscard]] inline bool ribbon_is_empty(const View& view) noexcept {
  return RibbonHeader(load_le<std::uint64_t>(view.payload)).levels == 0;
}

/// The key's equation, from level to level until one has kept it. For a payload of at least one level.
[[nodiscard]] inline RibbonEquation find_ribbon_equation(const View& view, std::uint64_t hash) noexcept {
  const RibbonHeader header(load_le<std::uint64_t>(view.payload));
  const RibbonColumns columns(view.shape);
  const std::byte* at = view.payload + 8;
  std::uint64_t level_hash = hash;
  for (unsigned left = header.levels; left > 1; --left) {
    const RibbonLevelView level(at, columns, false);
    const std::uint64_t start = level.access.start_of(level_hash);
    if (!level.access.bumped(start)) return level.access.equation(start, level_hash, hash);
    level_hash *= kRibbonNextLevel;
    at = level.end();
  }
  for (unsigned i = 0; i < header.base_seed; ++i) level_hash *= kRibbonNextLevel;
  const RibbonLevelView base(at, columns, true);
  return base.access.equation(base.access.start_of(level_hash), level_hash, hash);
}

// The first level answers for nearly all keys, so what a query needs of it is computed once per filter, and is in
// View::prepared: its starts (0 where there is no such level, or nobody prepared), its lean blocks, the solution's
// place.

inline void prepare_ribbon(View& view) noexcept {
  if (RibbonHeader(load_le<std::uint64_t>(view.payload)).levels < 2) return;  // nothing, or only the base
  const RibbonLevelView first(view.payload + 8, RibbonColumns(view.shape), false);
  view.prepared = {first.access.starts, first.access.lean_blocks,
                   static_cast<std::uint64_t>(first.access.solution - view.payload)};
}

/// For a view whose prepared[0] is not 0.
[[nodiscard]] inline RibbonAccess prepared_ribbon(const View& view) noexcept {
  return {view.prepared[0], view.prepared[1], view.shape.probes, view.payload + 16, view.payload + view.prepared[2]};
}

}  // namespace crivo

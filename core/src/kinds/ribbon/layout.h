// The layout of a ribbon payload, and where a key's equation is (docs/format.md, "ribbon").
//
// A ribbon filter stores no keys. Each key has a row (w random bits at a start slot) and a fingerprint of c bits. The
// solution is c columns of one bit per slot. For each key and column, the parity of (row AND the column's w bits from
// the start on) equals the fingerprint's bit for that column. An absent key's fingerprint agrees only by chance, with
// probability 2^-c. A level gets more keys than it has slots, so that hardly any slot stays empty. Keys that do not fit
// are bumped to the next, much smaller level. Each bucket of 2 w starts has a threshold of two bits, which encodes a
// start; the bucket's keys with lower starts are bumped. The last level, the base, has slots for all its keys. Every w
// slots store their columns as consecutive words of w bits, so a query reads 2 c adjacent words. The first blocks of 64
// slots of a level are lean (r columns), the others are rich (r + 1 columns): mixing them meets any rate. The ribbon
// width w is 64 or 32. With 32, a query reads half the bytes, and the filter is 1% larger.
// Papers: Dillinger, Huebschle-Schneider, Sanders & Walzer 2022, "Fast Succinct Retrieval and Approximate Membership
// Using Ribbon"; Dillinger & Walzer 2021, "Ribbon filter: practically smaller than Bloom and Xor".
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/math128.h"
#include "crivo/host/bytes.h"
#include "crivo/types.h"
#include "kinds/prepared.h"

namespace crivo {

inline constexpr unsigned kRibbonBlockSlots = 64;
/// The ribbon widths: bits per row.
inline constexpr unsigned kWideRibbon = 64;
inline constexpr unsigned kNarrowRibbon = 32;
inline constexpr unsigned kMaxRibbonColumns = 32;
inline constexpr unsigned kMaxMapColumns = 64;  // at most 32 bits of value and 32 check bits
inline constexpr unsigned kMaxRibbonLevels = 16;
inline constexpr unsigned kMaxRibbonSeed = 63;
inline constexpr unsigned kRibbonShares = 32768;       // Shape::param has the share of rich blocks times this
inline constexpr unsigned kNarrowRibbonParam = 32768;  // added to Shape::param if the ribbon is narrow
inline constexpr std::uint64_t kMinRibbonBlocks = 2;
inline constexpr std::uint64_t kMaxRibbonBlocks = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kMaxRibbonUnits = std::uint64_t{1} << 46;

/// The number of starts in a bucket.
[[nodiscard]] constexpr unsigned ribbon_bucket_starts(unsigned width) noexcept { return 2 * width; }
/// The bucket of a start.
[[nodiscard]] constexpr std::uint64_t ribbon_bucket(std::uint64_t start, unsigned width) noexcept {
  return width == kWideRibbon ? start / (2 * kWideRibbon) : start / (2 * kNarrowRibbon);
}
/// For wide ribbons, the first kept (not bumped) start of a bucket, indexed by the threshold. Not inline, so that a
/// shared library needs no lookup of its address.
constexpr std::uint8_t kRibbonKeptFrom[4] = {0, 20, 40, 128};
[[nodiscard]] constexpr unsigned ribbon_kept_from(std::uint64_t threshold, unsigned width) noexcept {
  return width == kWideRibbon ? kRibbonKeptFrom[threshold] : kRibbonKeptFrom[threshold] / 2U;
}

/// A key's hash at the next level is its hash at this level times this factor. In the base level, each further seed
/// multiplies the hash by this factor once more.
inline constexpr std::uint64_t kRibbonNextLevel = 0xD1342543DE82EF95;
/// The factor for fingerprints. A key's fingerprint is computed from its hash at the first level, and is the same at
/// every level.
inline constexpr std::uint64_t kRibbonFingerprint = 0xD6E8FEB86659FD93;

/// The row of a key at a level. Its lowest bit, always set, is that of the start slot.
[[nodiscard]] inline std::uint64_t ribbon_row(std::uint64_t level_hash, unsigned width) noexcept {
  constexpr std::uint64_t kRowFactor = 0xC28F82822B650BED;
  const std::uint64_t row = mul_fold(level_hash, kRowFactor) | 1;
  return width == kWideRibbon ? row : static_cast<std::uint32_t>(row);
}
[[nodiscard]] inline std::uint32_t ribbon_fingerprint(std::uint64_t hash,
                                                      std::uint64_t factor = kRibbonFingerprint) noexcept {
  return static_cast<std::uint32_t>(hash * factor >> 32);
}

/// The width and the column counts of a filter. They determine how many of a level's blocks are lean.
struct RibbonForm {
  unsigned width;
  unsigned lean;        // r, the columns of a lean block
  std::uint64_t share;  // of rich blocks, in units of 1 / kRibbonShares

  explicit RibbonForm(const Shape& shape) noexcept
      : width(shape.param < kNarrowRibbonParam ? kWideRibbon : kNarrowRibbon),
        lean(shape.k),
        share(shape.param % kRibbonShares) {}
  /// From the mean number of columns per block, in units of 1 / kRibbonShares.
  constexpr RibbonForm(unsigned ribbon_width, std::uint64_t column_shares) noexcept
      : width(ribbon_width),
        lean(static_cast<unsigned>(column_shares / kRibbonShares)),
        share(column_shares % kRibbonShares) {}
  [[nodiscard]] std::uint16_t param() const noexcept {
    return static_cast<std::uint16_t>(share + (width == kNarrowRibbon ? kNarrowRibbonParam : 0));
  }
  [[nodiscard]] std::uint64_t column_shares() const noexcept { return lean * std::uint64_t{kRibbonShares} + share; }
  [[nodiscard]] unsigned most() const noexcept { return lean + (share != 0); }
  [[nodiscard]] std::uint64_t lean_blocks(std::uint64_t blocks) const noexcept {
    return blocks * (kRibbonShares - share) / kRibbonShares;
  }
};

/// The properties of a level that follow from its number of blocks.
struct RibbonLevelShape {
  std::uint64_t blocks;
  std::uint64_t lean_blocks;
  unsigned lean_columns;
  unsigned width;
  bool base;

  RibbonLevelShape(std::uint64_t block_count, const RibbonForm& form, bool is_base) noexcept
      : blocks(block_count),
        lean_blocks(form.lean_blocks(block_count)),
        lean_columns(form.lean),
        width(form.width),
        base(is_base) {}

  [[nodiscard]] std::uint64_t slots() const noexcept { return blocks * kRibbonBlockSlots; }
  /// The number of starts. No key starts in the last `width` slots, so a row never leaves its level. A row ends in its
  /// start's block or in the next block.
  [[nodiscard]] std::uint64_t starts() const noexcept { return slots() - width; }
  [[nodiscard]] std::uint64_t bucket_of(std::uint64_t start) const noexcept { return ribbon_bucket(start, width); }
  [[nodiscard]] std::uint64_t buckets() const noexcept { return bucket_of(slots()); }
  [[nodiscard]] std::uint64_t threshold_words() const noexcept { return base ? 0 : (buckets() + 31) / 32; }
  [[nodiscard]] unsigned columns_of(std::uint64_t block) const noexcept {
    return lean_columns + (block >= lean_blocks);
  }
  /// The number of starts in lean blocks.
  [[nodiscard]] std::uint64_t lean_starts() const noexcept {
    return std::min(lean_blocks * kRibbonBlockSlots, starts());
  }
  [[nodiscard]] double lean_share() const noexcept {
    return static_cast<double>(lean_starts()) / static_cast<double>(starts());
  }
  /// The words of the solution before this block. If `block` equals `blocks`: all words of the solution.
  [[nodiscard]] std::uint64_t words_before(std::uint64_t block) const noexcept {
    return block * lean_columns + (block > lean_blocks ? block - lean_blocks : 0);
  }
  /// All words of the level, including the word of the block count.
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

/// One key's equation. From `words` on, `columns` words of the ribbon's width hold the solution at the start's group of
/// `width` slots. The next `columns` words hold the solution at the following group.
struct RibbonEquation {
  const std::byte* words;
  unsigned columns;
  unsigned shift;  // the start's bit number in its word
  std::uint64_t row;
  std::uint32_t fingerprint;
};

/// A level's parameters for a query.
struct RibbonAccess {
  unsigned width;
  std::uint64_t starts;
  std::uint64_t lean_blocks;
  unsigned lean_columns;
  const std::byte* thresholds;
  const std::byte* solution;

  [[nodiscard]] std::uint64_t start_of(std::uint64_t level_hash) const noexcept { return mulhi(level_hash, starts); }
  /// Whether a key with this start was bumped. Not for the base, which has no thresholds.
  [[nodiscard]] bool bumped(std::uint64_t start) const noexcept {
    const std::uint64_t bucket = ribbon_bucket(start, width);
    return start - bucket * ribbon_bucket_starts(width) < kept_from(bucket);
  }
  /// The first kept (not bumped) start of a bucket.
  [[nodiscard]] unsigned kept_from(std::uint64_t bucket) const noexcept {
    const unsigned four = std::to_integer<unsigned>(thresholds[bucket / 4]);
    return ribbon_kept_from(four >> (2 * (bucket % 4)) & 3, width);
  }
  [[nodiscard]] RibbonEquation equation(std::uint64_t start, std::uint64_t level_hash,
                                        std::uint64_t hash) const noexcept {
    const std::uint64_t block = start / kRibbonBlockSlots;
    const std::uint64_t rich_before = block > lean_blocks ? block - lean_blocks : 0;
    const unsigned columns = lean_columns + (block >= lean_blocks);
    const auto slot = static_cast<unsigned>(start % kRibbonBlockSlots);
    const std::uint64_t words_before = 8 * (block * lean_columns + rich_before);
    const std::uint64_t words_in_block = 4 * (width == kNarrowRibbon ? slot / kNarrowRibbon * columns : 0);
    return {solution + words_before + words_in_block, columns, slot & (width - 1), ribbon_row(level_hash, width),
            ribbon_fingerprint(hash)};
  }
};

/// The level at `at` in a payload.
struct RibbonLevelView {
  RibbonLevelShape level;
  RibbonAccess access;

  RibbonLevelView(const std::byte* at, const RibbonForm& form, bool base) noexcept
      : level(load_le<std::uint64_t>(at), form, base), access{level.width,
                                                              level.starts(),
                                                              level.lean_blocks,
                                                              level.lean_columns,
                                                              at + 8,
                                                              at + 8 + 8 * level.threshold_words()} {}

  [[nodiscard]] const std::byte* end() const noexcept { return access.solution + 8 * level.words_before(level.blocks); }
};

/// A payload without levels holds no key.
[[nodiscard]] inline bool ribbon_is_empty(const View& view) noexcept {
  return RibbonHeader(load_le<std::uint64_t>(view.payload)).levels == 0;
}

/// A map as a ribbon with the same columns. A map's shape has the value bits in place of a ribbon's share of rich
/// blocks.
[[nodiscard]] inline View as_ribbon(View view) noexcept {
  view.shape.param = 0;
  return view;
}

/// Finds the key's equation in a ribbon of this width: goes from level to level until the key is not bumped. The
/// payload must have at least one level.
[[nodiscard]] inline RibbonEquation find_ribbon_equation(const View& view, unsigned width,
                                                         std::uint64_t hash) noexcept {
  const RibbonHeader header(load_le<std::uint64_t>(view.payload));
  RibbonForm form(view.shape);
  form.width = width;  // the same value, but a constant after inlining
  const std::byte* at = view.payload + 8;
  std::uint64_t level_hash = hash;
  for (unsigned left = header.levels; left > 1; --left) {
    const RibbonLevelView level(at, form, false);
    const std::uint64_t start = level.access.start_of(level_hash);
    if (!level.access.bumped(start)) return level.access.equation(start, level_hash, hash);
    level_hash *= kRibbonNextLevel;
    at = level.end();
  }
  for (unsigned i = 0; i < header.base_seed; ++i) level_hash *= kRibbonNextLevel;
  const RibbonLevelView base(at, form, true);
  return base.access.equation(base.access.start_of(level_hash), level_hash, hash);
}

/// Nearly all keys are in the first level, so the first level's parameters for queries are computed once per filter.
struct RibbonPrepared {
  std::uint64_t starts;  // 0 if not prepared, or without a level above the base
  std::uint64_t lean_blocks;
  std::uint64_t solution;  // its offset in the payload
};

inline void prepare_ribbon(View& view) noexcept {
  if (RibbonHeader(load_le<std::uint64_t>(view.payload)).levels < 2) return;  // no level, or only the base
  const RibbonLevelView first(view.payload + 8, RibbonForm(view.shape), false);
  set_prepared(view, RibbonPrepared{first.access.starts, first.access.lean_blocks,
                                    static_cast<std::uint64_t>(first.access.solution - view.payload)});
}

[[nodiscard]] inline bool is_prepared_ribbon(const View& view) noexcept {
  return prepared_of<RibbonPrepared>(view).starts != 0;
}
/// The first level's parameters for a query. The view must be prepared; `width` is the ribbon's.
[[nodiscard]] inline RibbonAccess prepared_ribbon(const View& view, unsigned width) noexcept {
  const auto& first = prepared_of<RibbonPrepared>(view);
  return {width, first.starts, first.lean_blocks, view.shape.k, view.payload + 16, view.payload + first.solution};
}

}  // namespace crivo

// The banding of a ribbon: the triangular system that rows are added to, one bucket after the other.
//
// Elimination works on blocks of 64 slots instead of single ones. A row lies in two blocks: 64 bits in its own, 64 in
// the next. The rows that have a pivot in a block are kept fully reduced there: none has a bit at another's pivot. So a
// new row is reduced by XORing, at once and in any order, the rows whose pivots it has bits at; that is a masked XOR of
// eight vectors, where slot by slot each step would wait for the one before. What is left of the row takes its lowest
// bit as its pivot, and is XORed into the rows that have a bit there. A row with nothing left goes on to the next
// block, and has failed when no block has anything left of it. The pivots are those of elimination slot by slot, hence
// also the solution; and solving a block needs only the solution of the next: slots without a pivot are 0, so each
// pivot's bit is its result plus the parity of its bits in the next block. The bits in the own block serve only while
// rows are added there: a ring of four blocks has them. Bumping takes back the latest rows: the state is saved where
// the start passes a threshold. The idea of blockwise elimination is that of the "method of four Russians" (Albrecht,
// Bard & Hart 2010, M4RI).
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "kinds/ribbon_layout.h"

namespace crivo {

/// The rows with a pivot in a block, at their pivots; 0 at the other slots.
struct alignas(64) RibbonBlock {
  std::uint64_t next[kRibbonBlockSlots];  // their bits in the next block
  std::uint32_t result[kRibbonBlockSlots];
  std::uint64_t pivots;
};

/// Their bits in the block itself.
struct alignas(64) RibbonBits {
  std::uint64_t here[kRibbonBlockSlots];
};

/// The keys of one bucket, in ascending order of their hashes.
struct RibbonBucket {
  std::uint64_t number;
  const std::uint64_t* hashes;
  std::size_t count;
  std::uint64_t starts;  // of the level
  std::uint64_t fingerprint_factor;
  std::uint32_t fingerprint_mask;
  unsigned threshold;  // at least
};

/// What became of them: the first `bumped` were not added, and this threshold says so.
struct RibbonBumped {
  unsigned threshold;
  std::size_t bumped;
};

/// A shard of a level: consecutive blocks, the last of which may allow pivots only at some slots.
class RibbonBand {
 public:
  explicit RibbonBand(std::pmr::memory_resource* memory) : blocks_(memory) {}

  void reset(std::uint64_t first_block, std::uint64_t last_block, std::uint64_t last_pivots) {
    first_block_ = first_block;
    last_block_ = last_block;
    last_pivots_ = last_pivots;
    constexpr std::size_t kBeyond = 2;  // the last bucket's blocks may end one before those of other buckets
    blocks_.assign(static_cast<std::size_t>(last_block - first_block) + 1 + kBeyond, RibbonBlock{});
    bits(first_block) = {};
  }
  [[nodiscard]] std::uint64_t first_block() const noexcept { return first_block_; }
  [[nodiscard]] std::uint64_t last_block() const noexcept { return last_block_; }

  [[nodiscard]] RibbonBlock& block(std::uint64_t number) noexcept { return blocks_[number - first_block_]; }
  [[nodiscard]] RibbonBits& bits(std::uint64_t block) noexcept { return ring_[block % 4]; }
  [[nodiscard]] std::uint64_t allowed_pivots(std::uint64_t block) const noexcept {
    return block == last_block_ ? last_pivots_ : ~std::uint64_t{0};
  }

  // A bucket's rows reach into the first block of the next bucket, no further: three blocks.

  /// Called once per bucket, from left to right, before its first key.
  void open(std::uint64_t bucket) noexcept {
    bits(2 * bucket + 1) = {};
    bits(2 * bucket + 2) = {};
    save(bucket, kAll, 1);  // the others are empty
  }
  /// Called before the first key with a start that this threshold bumps.
  void save(std::uint64_t bucket, unsigned threshold) noexcept { save(bucket, threshold, kBucketBlocks); }
  /// Takes back every row since save(bucket, threshold); for the highest, since open(bucket).
  void restore(std::uint64_t bucket, unsigned threshold) noexcept {
    const Saved& saved = saved_[threshold];
    for (unsigned i = 0; i < kBucketBlocks; ++i) {
      block(2 * bucket + i) = threshold == kAll && i > 0 ? RibbonBlock{} : saved.blocks[i];
      bits(2 * bucket + i) = threshold == kAll && i > 0 ? RibbonBits{} : saved.bits[i];
    }
  }

 private:
  static constexpr unsigned kAll = 3;
  static constexpr unsigned kBucketBlocks = 3;
  struct Saved {
    RibbonBlock blocks[kBucketBlocks];
    RibbonBits bits[kBucketBlocks];
  };

  void save(std::uint64_t bucket, unsigned threshold, unsigned blocks) noexcept {
    for (unsigned i = 0; i < blocks; ++i) {
      saved_[threshold].blocks[i] = block(2 * bucket + i);
      saved_[threshold].bits[i] = bits(2 * bucket + i);
    }
  }

  std::uint64_t first_block_ = 0;
  std::uint64_t last_block_ = 0;
  std::uint64_t last_pivots_ = 0;
  std::pmr::vector<RibbonBlock> blocks_;
  RibbonBits ring_[4];
  Saved saved_[kAll + 1];
};

}  // namespace crivo

// The banding of a ribbon: the triangular system that rows are added to, one bucket after the other.
//
// A row covers 64 slots, so no two of its bits have the same slot modulo 64: a word holds it, with each bit at its slot
// modulo 64. Elimination goes from slot to slot; a row that has a bit there is changed by the row that is stored at the
// slot, and the first row to find none is stored. What is stored never changes again, so taking rows back means no more
// than to forget them. Rows of the same block are added together: on a slot they all ask for the same stored row, which
// makes them lanes of a vector. The order in which rows are added decides neither which slots are taken nor whether a
// set of rows fits (that takes the space they span), hence also not the solution: any instruction set may choose its
// own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "layout/ribbon_layout.h"

namespace crivo {

/// The keys of one bucket, in ascending order of their hashes.
struct RibbonBucket {
  std::uint64_t number;
  std::span<const std::uint64_t> hashes;
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

/// The slots of some consecutive buckets.
class RibbonBand {
 public:
  explicit RibbonBand(std::pmr::memory_resource* memory) : rows_(memory), results_(memory) {}

  /// No rows, and room for them at slots from ... end - 1; `from` begins a bucket.
  void reset(std::uint64_t from, std::uint64_t end) {
    constexpr std::size_t kBeyond = 2 * kRibbonBlockSlots;  // where rows have bits, and find nothing
    from_ = from;
    size_ = static_cast<std::size_t>(end - from);
    rows_.assign(size_ + kBeyond, 0);
    results_.assign(size_ + kBeyond, 0);
  }
  [[nodiscard]] std::uint64_t from() const noexcept { return from_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return from_ + size_; }

  // Slots from here on are counted from `from`.

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// 0: none is stored.
  [[nodiscard]] const std::uint64_t* rows() const noexcept { return rows_.data(); }
  [[nodiscard]] const std::uint32_t* results() const noexcept { return results_.data(); }

  void begin_group() noexcept {
    group_size_ = 0;
    group_fits_ = true;
  }
  /// Slots from size() on are none of ours; a row that found no other does not fit.
  void store(std::size_t slot, std::uint64_t row, std::uint32_t result) noexcept {
    group_fits_ &= slot < size_;
    rows_[slot] = row;
    results_[slot] = result;
    group_[group_size_++] = static_cast<std::uint32_t>(slot);
  }
  /// Stores the row if the slot, which is ours, is free; says whether it was. Half of the rows find their first slot
  /// free, which is too many for a branch.
  bool store_if_free(std::size_t slot, std::uint64_t row, std::uint32_t result) noexcept {
    const std::uint64_t stored = rows_[slot];
    const std::uint64_t if_free = 0 - static_cast<std::uint64_t>(stored == 0);
    rows_[slot] = stored | (row & if_free);
    results_[slot] |= result & static_cast<std::uint32_t>(if_free);
    group_[group_size_] = static_cast<std::uint32_t>(slot);
    group_size_ -= if_free;
    return stored == 0;
  }
  [[nodiscard]] bool group_fits() const noexcept { return group_fits_; }
  /// Everything stored since begin_group().
  void take_back() noexcept {
    for (; group_size_ > 0; --group_size_) rows_[group_[group_size_ - 1]] = results_[group_[group_size_ - 1]] = 0;
  }

 private:
  // A bucket's rows reach into the first block of the next bucket, no further.
  static constexpr std::size_t kMostOfBucket = kRibbonBucketStarts + kRibbonBlockSlots;

  std::uint64_t from_ = 0;
  std::size_t size_ = 0;
  std::pmr::vector<std::uint64_t> rows_;
  std::pmr::vector<std::uint32_t> results_;
  std::array<std::uint32_t, kMostOfBucket + 1> group_;
  std::size_t group_size_ = 0;
  bool group_fits_ = true;
};

}  // namespace crivo

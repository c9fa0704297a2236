// The band of a ribbon: a system of linear equations in triangular form, with at most one row per slot. The rows of
// keys are added to the band, bucket by bucket.
//
// A row covers at most 64 slots, so no two of its bits have the same slot number modulo 64. A 64-bit word therefore
// holds the row, with a slot's bit at the slot's number modulo 64. Elimination proceeds from slot to slot: a row with a
// bit at a slot is XORed with the row stored there, and the first row that reaches a free slot is stored there. A
// stored row never changes, so rows are removed by clearing their slots. At each slot, the rows that start in the same
// block need the same stored row, so vector code adds them together, as lanes. The order of additions affects neither
// which slots are occupied nor whether a set of rows fits: both depend only on the space that the rows span. So the
// solution does not depend on the order, either, and each instruction set may choose its own order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <type_traits>
#include <vector>

#include "crivo/host/hashed_value.h"
#include "kinds/ribbon/layout.h"

namespace crivo {

/// The right side of a key's equation: a filter's fingerprint, or a map's value with check bits above it.
template <class Record>
using RecordResult = std::conditional_t<std::is_same_v<Record, std::uint64_t>, std::uint32_t, std::uint64_t>;

/// The keys of one bucket, in ascending order of hashes.
template <class Record>
struct RecordBucket {
  unsigned width;             // of the ribbon
  std::uint64_t first_start;  // the bucket's first start in the level
  std::span<const Record> hashes;
  std::uint64_t starts;  // number of starts in the level
  std::uint64_t fingerprint_factor;
  RecordResult<Record> result_mask;
  unsigned value_bits;  // 0 for a filter
  unsigned threshold;   // lower bound of the bucket's threshold

  [[nodiscard]] RecordResult<Record> result_of(const Record& key) const noexcept {
    RecordResult<Record> result = ribbon_fingerprint(hash_of(key), fingerprint_factor);
    if constexpr (std::is_same_v<Record, HashedValue>) result = result << value_bits | key.value;
    return result & result_mask;
  }
};
using RibbonBucket = RecordBucket<std::uint64_t>;

/// The outcome of adding a bucket: its threshold, and the number of bumped keys, which are the bucket's first ones.
struct RibbonBumped {
  unsigned threshold;
  std::size_t bumped;
};

/// The band of consecutive buckets. Not thread-safe.
template <class Record>
class RecordBand {
 public:
  using Result = RecordResult<Record>;

  explicit RecordBand(std::pmr::memory_resource* memory) : rows_(memory), results_(memory) {}

  /// Removes all rows, and allocates the slots [from, end). `from` must be the first slot of a bucket.
  void reset(std::uint64_t from, std::uint64_t end) {
    constexpr std::size_t kBeyond = 2 * kRibbonBlockSlots;  // rows may extend there; a row stored there does not fit
    from_ = from;
    size_ = static_cast<std::size_t>(end - from);
    rows_.assign(size_ + kBeyond, 0);
    results_.assign(size_ + kBeyond, 0);
  }
  [[nodiscard]] std::uint64_t from() const noexcept { return from_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return from_ + size_; }

  // Slot numbers below are relative to `from`.

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The stored rows, by slot; 0 for a free slot.
  [[nodiscard]] const std::uint64_t* rows() const noexcept { return rows_.data(); }
  [[nodiscard]] const Result* results() const noexcept { return results_.data(); }

  void begin_group() noexcept {
    group_size_ = 0;
    group_fits_ = true;
  }
  /// Stores a row. A row that found its free slot at size() or beyond, in the next band, does not fit.
  void store(std::size_t slot, std::uint64_t row, Result result) noexcept {
    group_fits_ &= slot < size_;
    rows_[slot] = row;
    results_[slot] = result;
    group_[group_size_++] = static_cast<std::uint32_t>(slot);
  }
  /// Stores the row if the slot, which must be below size(), is free. Returns whether the slot was free. Has no branch,
  /// which would be unpredictable: half of the rows find their first slot free. (`?:` was slower.)
  bool store_if_free(std::size_t slot, std::uint64_t row, Result result) noexcept {
    const std::uint64_t stored = rows_[slot];
    const std::uint64_t if_free = 0 - static_cast<std::uint64_t>(stored == 0);
    rows_[slot] = stored | (row & if_free);
    results_[slot] |= result & static_cast<Result>(if_free);
    group_[group_size_] = static_cast<std::uint32_t>(slot);
    group_size_ -= if_free;
    return stored == 0;
  }
  [[nodiscard]] bool group_fits() const noexcept { return group_fits_; }
  /// Removes all rows stored since begin_group().
  void undo() noexcept {
    for (; group_size_ > 0; --group_size_) rows_[group_[group_size_ - 1]] = results_[group_[group_size_ - 1]] = 0;
  }

 private:
  // The rows of a bucket reach at most into the first block of the next bucket.
  static constexpr std::size_t kMaxOfBucket = ribbon_bucket_starts(kWideRibbon) + kRibbonBlockSlots;

  std::uint64_t from_ = 0;
  std::size_t size_ = 0;
  std::pmr::vector<std::uint64_t> rows_;
  std::pmr::vector<Result> results_;
  std::array<std::uint32_t, kMaxOfBucket + 1> group_;
  std::size_t group_size_ = 0;
  bool group_fits_ = true;
};
using RibbonBand = RecordBand<std::uint64_t>;

/// The maximum number of rows that are eliminated together. (16, 24 and 40 were slower.)
inline constexpr std::size_t kRibbonRows = 32;

/// At most kRibbonRows rows whose starts are in the same block of the band.
struct RibbonRows {
  std::size_t block;  // counted from the band's first block
  std::size_t count;
  alignas(64) std::uint64_t bits[kRibbonRows];   // a slot's bit is at the slot's number modulo 64
  alignas(64) std::uint64_t shift[kRibbonRows];  // the start's number in its block, in descending order
  alignas(64) std::uint64_t result[kRibbonRows];
};

}  // namespace crivo

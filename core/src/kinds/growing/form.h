// How a growing filter's payload is laid out, and where in it a hash belongs (docs/format.md, "growing").
//
// Groups of some 180 keys are split one by one, so that their number follows the number of keys (linear hashing: Litwin
// 1980). The address of a group is the first bits of a hash, and a group at level l has used up l of them. Of a new key
// it keeps the next F bits, so a key's bits become fewer as its group is split, and no key is forgotten or moved
// elsewhere. So that keys which came early keep enough, these are more in the first levels: 32 bits with the address.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/math128.h"
#include "crivo/detail/view.h"
#include "crivo/host/bytes.h"

namespace crivo {

inline constexpr unsigned kMinGrowingBits = 14;
inline constexpr unsigned kMaxGrowingBits = 63;
inline constexpr unsigned kLeastBits = 32;        // that an entry and the address of its group have together
inline constexpr unsigned kMaxGrowingLevel = 25;  // 2^25 groups, which hold 2^32 keys
inline constexpr std::uint64_t kMaxGroups = std::uint64_t{1} << kMaxGrowingLevel;

inline constexpr unsigned kBucketBits = 7;
inline constexpr unsigned kBuckets = 1U << kBucketBits;  // of a group
inline constexpr unsigned kMaxSlots = 576;               // of a group
inline constexpr unsigned kRunWords = (kBuckets + kMaxSlots) / 64;
inline constexpr unsigned kCellBytes = 128;
inline constexpr unsigned kCellUnit = 16;  // of the numbers that stand for the offsets of cells

// Offsets in the payload, and in a group's header.
inline constexpr std::size_t kGroupsAt = 64;  // before them: the first free cell, and how many are free
inline constexpr std::size_t kFreeCellsAt = 4;
inline constexpr std::size_t kRunsAt = 8;  // before them: the number of slots
inline constexpr std::size_t kCellsAt = kRunsAt + kRunWords * 8;

/// What depends on a group's level: how an entry's bits lie.
struct LevelForm {
  std::uint32_t per_cell_inverse = 0;  // 2^20 / slots of a cell, rounded up: what divides by them
  std::uint8_t level = 0;
  std::uint8_t entry_bits = 0;  // the most bits that an entry keeps, and one that marks their end
  std::uint8_t slot_bits = 0;   // those that are not the bucket's number
  std::uint8_t per_cell = 0;
  std::uint8_t digit_bits = 0;  // of a number of copies: slot_bits of the last levels

  LevelForm() = default;
  LevelForm(unsigned bits, unsigned at_level) noexcept
      : level(static_cast<std::uint8_t>(at_level)),
        entry_bits(static_cast<std::uint8_t>(std::max(bits, kLeastBits - std::min(at_level, kLeastBits)) + 1)),
        slot_bits(static_cast<std::uint8_t>(entry_bits - kBucketBits)),
        per_cell(static_cast<std::uint8_t>(8 * kCellBytes / slot_bits)),
        digit_bits(static_cast<std::uint8_t>(bits + 1 - kBucketBits)) {
    per_cell_inverse = (1U << 20) / per_cell + 1;
  }

  [[nodiscard]] unsigned cell_of(unsigned slot) const noexcept { return slot * per_cell_inverse >> 20; }
  [[nodiscard]] unsigned cells_of(unsigned slots) const noexcept { return cell_of(slots + per_cell - 1U); }
  [[nodiscard]] std::uint64_t slot_mask() const noexcept { return (std::uint64_t{1} << slot_bits) - 1; }
};

/// The bits of which groups and entries are made. Keys that come in the order of their hashes would fill one group
/// after the other.
[[nodiscard]] inline std::uint64_t scattered(std::uint64_t hash) noexcept { return hash * kGolden64; }

/// An entry as its hash gives it, with all bits that are kept.
struct Entry {
  unsigned bucket;
  std::uint64_t low;  // the bits behind the bucket's number, of which the last is the mark
  Entry(std::uint64_t hash, const LevelForm& form) noexcept {
    const std::uint64_t bits = (scattered(hash) << form.level) >> (64U - form.entry_bits) | 1;
    bucket = static_cast<unsigned>(bits >> form.slot_bits);
    low = bits & form.slot_mask();
  }
};

/// The offset of a cell by its number; 0 if it does not lie in the payload.
[[nodiscard]] inline std::uint64_t cell_in_payload(std::uint32_t number, std::uint64_t payload_bytes) noexcept {
  const std::uint64_t offset = number * std::uint64_t{kCellUnit};
  return offset + kCellBytes <= payload_bytes ? offset : 0;
}

/// The bytes of a group: its header, and cells for all groups.
struct GroupBytes {
  unsigned cells_in_header;
  unsigned header;
  unsigned cells;  // how many cells come with each group
  unsigned all;

  explicit GroupBytes(unsigned bits) noexcept {
    const unsigned per_cell = 8 * kCellBytes / (bits + 1 - kBucketBits);
    cells_in_header = (kMaxSlots + per_cell - 1) / per_cell;
    header = (static_cast<unsigned>(kCellsAt) + 4 * cells_in_header + kCellUnit - 1) / kCellUnit * kCellUnit;
    cells = (400 + per_cell) / (2 * per_cell);
    all = header + cells * kCellBytes;
  }
};

/// What a filter's questions need, computed once (kinds/prepared.h).
struct GrowingForm {
  LevelForm whole;  // of groups that are yet to be split at this level
  LevelForm halves;
  std::uint32_t split = 0;  // the groups before this one are halves, as are those from 2^level on
  std::uint32_t group_bytes = 0;
  std::uint32_t cells_in_header = 0;

  GrowingForm() = default;
  explicit GrowingForm(const Shape& shape) noexcept
      : whole(shape.param, static_cast<unsigned>(std::bit_width(shape.units)) - 1),
        halves(shape.param, whole.level + 1U) {
    const GroupBytes bytes(shape.param);
    split = static_cast<std::uint32_t>(shape.units - (std::uint64_t{1} << whole.level));
    group_bytes = bytes.all;
    cells_in_header = bytes.cells_in_header;
  }

  [[nodiscard]] const LevelForm& level_of(std::uint64_t group) const noexcept {
    return group < split || group >> whole.level != 0 ? halves : whole;
  }
  /// The group of a hash: its first bits, the first of them lowest.
  [[nodiscard]] std::uint64_t group_of(std::uint64_t hash) const noexcept {
    const std::uint64_t reversed = reverse_bits(scattered(hash));
    const std::uint64_t group = reversed & ((std::uint64_t{1} << whole.level) - 1);
    return group < split ? reversed & ((std::uint64_t{2} << whole.level) - 1) : group;
  }
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t group) const noexcept { return kGroupsAt + group * group_bytes; }

 private:
  /// The bits of the upper half in reverse order: no level needs more.
  static std::uint64_t reverse_bits(std::uint64_t hash) noexcept {
    auto bits = static_cast<std::uint32_t>(hash >> 32);
    bits = (bits >> 16) | (bits << 16);
    bits = ((bits >> 8) & 0x00FF00FF) | ((bits & 0x00FF00FF) << 8);
    bits = ((bits >> 4) & 0x0F0F0F0F) | ((bits & 0x0F0F0F0F) << 4);
    bits = ((bits >> 2) & 0x33333333) | ((bits & 0x33333333) << 2);
    return ((bits >> 1) & 0x55555555) | ((bits & 0x55555555) << 1);
  }
};

}  // namespace crivo

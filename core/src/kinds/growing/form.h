// The payload of a growing filter, and the position of a hash in it (docs/format.md, "growing").
//
// Groups of about 130 to 200 keys (fewer at the first levels) are split one by one, so the number of groups follows the
// number of keys (linear hashing: Litwin 1980). A group's address at level l is the first l bits of a hash. A new entry
// has the next F bits (Shape::param), or more at the first levels: entry and address together have at least 32 bits.
// Each split removes a bit from the entries, but never drops a key or moves it to an unrelated group.
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
inline constexpr unsigned kMinBits = 32;          // the minimum bits of an entry plus its group's address
inline constexpr unsigned kMaxGrowingLevel = 25;  // 2^25 groups hold 2^32 keys
inline constexpr std::uint64_t kMaxGroups = std::uint64_t{1} << kMaxGrowingLevel;

inline constexpr unsigned kBucketBits = 7;
inline constexpr unsigned kBuckets = 1U << kBucketBits;  // per group
inline constexpr unsigned kMaxSlots = 576;               // per group
inline constexpr unsigned kRunWords = (kBuckets + kMaxSlots) / 64;
inline constexpr unsigned kCellBytes = 128;
inline constexpr unsigned kCellUnit = 16;  // cell numbers count units of this size

// Offsets in the payload and in a group's header.
inline constexpr std::size_t kGroupsAt = 64;  // after the first free cell, the number of free cells, and padding
inline constexpr std::size_t kFreeCellsAt = 4;
inline constexpr std::size_t kRunsAt = 8;  // after the number of slots
inline constexpr std::size_t kCellsAt = kRunsAt + kRunWords * 8;

/// The layout of entries at a level.
struct LevelForm {
  std::uint32_t per_cell_inverse = 0;  // the first integer above 2^20 / per_cell, for divisions
  std::uint8_t level = 0;
  std::uint8_t entry_bits = 0;  // the maximum bits of an entry, plus 1 for the mark (group.h)
  std::uint8_t slot_bits = 0;   // entry_bits without the bucket number
  std::uint8_t per_cell = 0;
  std::uint8_t digit_bits = 0;  // bits per digit of a copy count; equals slot_bits at the last levels

  LevelForm() = default;
  LevelForm(unsigned bits, unsigned at_level) noexcept
      : level(static_cast<std::uint8_t>(at_level)),
        entry_bits(static_cast<std::uint8_t>(std::max(bits, kMinBits - std::min(at_level, kMinBits)) + 1)),
        slot_bits(static_cast<std::uint8_t>(entry_bits - kBucketBits)),
        per_cell(static_cast<std::uint8_t>(8 * kCellBytes / slot_bits)),
        digit_bits(static_cast<std::uint8_t>(bits + 1 - kBucketBits)) {
    per_cell_inverse = (1U << 20) / per_cell + 1;
  }

  [[nodiscard]] unsigned cell_of(unsigned slot) const noexcept { return slot * per_cell_inverse >> 20; }
  [[nodiscard]] unsigned cells_of(unsigned slots) const noexcept { return cell_of(slots + per_cell - 1U); }
  [[nodiscard]] std::uint64_t slot_mask() const noexcept { return (std::uint64_t{1} << slot_bits) - 1; }
};

/// The hash bits that select groups and entries. Without scattering, keys that are added in the order of their hashes
/// would fill one group after another.
[[nodiscard]] inline std::uint64_t scattered(std::uint64_t hash) noexcept { return hash * kGolden64; }

/// The entry of a new key at a level.
struct Entry {
  unsigned bucket;
  std::uint64_t low;  // the bits after the bucket number; the last one is the mark
  Entry(std::uint64_t hash, const LevelForm& form) noexcept {
    const std::uint64_t bits = (scattered(hash) << form.level) >> (64U - form.entry_bits) | 1;
    bucket = static_cast<unsigned>(bits >> form.slot_bits);
    low = bits & form.slot_mask();
  }
};

/// The offset of a cell, or 0 if the cell is not inside the payload.
[[nodiscard]] inline std::uint64_t cell_in_payload(std::uint32_t number, std::uint64_t payload_bytes) noexcept {
  const std::uint64_t offset = number * std::uint64_t{kCellUnit};
  return offset + kCellBytes <= payload_bytes ? offset : 0;
}

/// The bytes of a group: its header, and the cells that it adds to the common pool.
struct GroupBytes {
  unsigned cell_numbers;
  unsigned header;
  unsigned cells;  // added with each group
  unsigned all;

  explicit GroupBytes(unsigned bits) noexcept {
    const unsigned per_cell = 8 * kCellBytes / (bits + 1 - kBucketBits);
    cell_numbers = (kMaxSlots + per_cell - 1) / per_cell;
    header = (static_cast<unsigned>(kCellsAt) + 4 * cell_numbers + kCellUnit - 1) / kCellUnit * kCellUnit;
    cells = (400 + per_cell) / (2 * per_cell);
    all = header + cells * kCellBytes;
  }
};

/// Values precomputed for queries (kinds/prepared.h).
struct GrowingForm {
  LevelForm whole;  // for groups not yet split at this level
  LevelForm halves;
  std::uint32_t split = 0;  // groups below this one, and from 2^level on, are halves
  std::uint32_t group_bytes = 0;
  std::uint32_t cell_numbers = 0;

  GrowingForm() = default;
  explicit GrowingForm(const Shape& shape) noexcept
      : whole(shape.param, static_cast<unsigned>(std::bit_width(shape.units)) - 1),
        halves(shape.param, whole.level + 1U) {
    const GroupBytes bytes(shape.param);
    split = static_cast<std::uint32_t>(shape.units - (std::uint64_t{1} << whole.level));
    group_bytes = bytes.all;
    cell_numbers = bytes.cell_numbers;
  }

  [[nodiscard]] const LevelForm& level_of(std::uint64_t group) const noexcept {
    return group < split || group >> whole.level != 0 ? halves : whole;
  }
  /// The group's number: the first bits of the scattered hash, reversed. The first bit is the lowest bit of the number.
  [[nodiscard]] std::uint64_t group_of(std::uint64_t hash) const noexcept {
    const std::uint64_t reversed = reverse_bits(scattered(hash));
    const std::uint64_t group = reversed & ((std::uint64_t{1} << whole.level) - 1);
    return group < split ? reversed & ((std::uint64_t{2} << whole.level) - 1) : group;
  }
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t group) const noexcept { return kGroupsAt + group * group_bytes; }

 private:
  /// Reverses the upper 32 bits; no level needs more.
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

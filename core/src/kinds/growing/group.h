// Reads the entries of a group. Entries are stored in slots, sorted by their bits. The first bits of an entry are its
// bucket's number, encoded by the ends of the runs of slots (Elias 1974; in filters, Bender and others 2012). A slot
// has the entry's other bits, followed by a mark: a 1, and zeros in place of the bits that the entry lacks.
//
// A key that was added twice has two equal slots. For a count of three or more, the key's slot is followed by one slot
// of 0 per digit of the count, and then by the digits. The first digit is not 0.
//
// The bytes may be damaged. Whatever they contain, a reader never leaves the payload.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "crivo/host/bytes.h"
#include "kinds/growing/form.h"

namespace crivo {

/// The slots [begin, end) of a bucket.
struct Run {
  unsigned begin;
  unsigned end;
};

/// An entry, and its number of slots.
struct StoredEntry {
  std::uint64_t low;
  std::uint64_t copies;
  unsigned slots;
};

/// Saturating sum of copy counts.
[[nodiscard]] constexpr std::uint64_t added(std::uint64_t copies, std::uint64_t more) noexcept {
  return copies + std::min(more, std::numeric_limits<std::uint64_t>::max() - copies);
}

/// The position of the 1 bit that ends a bucket's run; kRunWords * 64 if there is none.
[[nodiscard]] inline unsigned end_bit(const std::byte* runs, unsigned bucket) noexcept {
  for (unsigned word = 0; word < kRunWords; ++word) {
    auto bits = load_le<std::uint64_t>(runs + std::size_t{word} * 8);
    const auto ones = static_cast<unsigned>(std::popcount(bits));
    if (bucket >= ones) {
      bucket -= ones;
      continue;
    }
    for (; bucket != 0; --bucket) bits &= bits - 1;
    return word * 64 + static_cast<unsigned>(std::countr_zero(bits));
  }
  return kRunWords * 64;
}

/// The position of the first 1 bit from `at` on; kRunWords * 64 if there is none.
[[nodiscard]] inline unsigned next_one(const std::byte* runs, unsigned at) noexcept {
  unsigned word = at / 64;
  if (word >= kRunWords) return kRunWords * 64;
  std::uint64_t bits = load_le<std::uint64_t>(runs + std::size_t{word} * 8) >> (at % 64) << (at % 64);
  while (bits == 0) {
    if (++word == kRunWords) return kRunWords * 64;
    bits = load_le<std::uint64_t>(runs + std::size_t{word} * 8);
  }
  return word * 64 + static_cast<unsigned>(std::countr_zero(bits));
}

/// The bits of a slot in its cell: the offset of a word to load inside the cell, and the shift in this word.
struct SlotPlace {
  unsigned byte;
  unsigned shift;
  SlotPlace(unsigned index, unsigned bits) noexcept
      : byte(std::min(index * bits / 8, kCellBytes - 8)), shift(index * bits - byte * 8) {}
};

/// The slots of a group in order, with their buckets.
struct SlotList {
  std::array<std::uint64_t, kMaxSlots> values;
  std::array<std::uint8_t, kMaxSlots> buckets;
  unsigned count = 0;
  void push(unsigned bucket, std::uint64_t value) noexcept {
    buckets[count] = static_cast<std::uint8_t>(bucket);
    values[count++] = value;
  }
};

class GroupReader {
 public:
  GroupReader(const View& view, const GrowingForm& form, std::uint64_t group) noexcept
      : payload_(view.payload),
        payload_bytes_(view.payload_bytes),
        header_(view.payload + form.offset_of(group)),
        cell_numbers_(form.cell_numbers),
        form_(form.level_of(group)) {}

  [[nodiscard]] const LevelForm& form() const noexcept { return form_; }
  [[nodiscard]] const std::byte* runs() const noexcept { return header_ + kRunsAt; }
  [[nodiscard]] std::uint32_t stored_slots() const noexcept { return load_le<std::uint32_t>(header_); }
  /// The number of slots, limited to the maximum of a group.
  [[nodiscard]] unsigned slots() const noexcept {
    return std::min({stored_slots(), std::uint32_t{kMaxSlots}, std::uint32_t{form_.per_cell} * cell_numbers_});
  }

  [[nodiscard]] Run run(unsigned bucket) const noexcept {
    const unsigned begin_bit = bucket == 0 ? 0 : end_bit(runs(), bucket - 1) + 1;
    const unsigned all = slots();
    return {std::min(begin_bit - bucket, all), std::min(next_one(runs(), begin_bit) - bucket, all)};
  }

  /// The number of a cell, from the header. The index `cell` must be below cell_numbers.
  [[nodiscard]] std::uint32_t cell(unsigned cell) const noexcept {
    return load_le<std::uint32_t>(header_ + kCellsAt + std::size_t{cell} * 4);
  }
  /// The offset of a cell. The kCellBytes bytes from there are inside the payload, whatever the header contains.
  [[nodiscard]] std::uint64_t cell_offset(unsigned cell) const noexcept {
    if (cell >= cell_numbers_) return 0;
    return cell_in_payload(this->cell(cell), payload_bytes_);
  }

  [[nodiscard]] std::uint64_t slot(unsigned index) const noexcept {
    const unsigned cell = form_.cell_of(index);
    const SlotPlace place(index - cell * form_.per_cell, form_.slot_bits);
    return load_le<std::uint64_t>(payload_ + cell_offset(cell) + place.byte) >> place.shift & form_.slot_mask();
  }

  /// Whether the padding is zero: after the number of slots, the cell numbers, and the slots of each cell.
  [[nodiscard]] bool has_zero_padding() const noexcept {
    const std::size_t numbers_end = kCellsAt + std::size_t{cell_numbers_} * 4;
    const std::size_t header_end = (numbers_end + kCellUnit - 1) / kCellUnit * kCellUnit;
    bool zero = load_le<std::uint32_t>(header_ + 4) == 0;
    for (std::size_t at = numbers_end; at < header_end; ++at) zero = zero && header_[at] == std::byte{0};
    const unsigned all = slots();
    for (unsigned cell = 0, first = 0; first < all; ++cell, first += form_.per_cell) {
      const unsigned used = std::min<unsigned>(all - first, form_.per_cell) * form_.slot_bits;
      for (unsigned word = used / 64; word < kCellBytes / 8; ++word) {
        const auto bits = load_le<std::uint64_t>(payload_ + cell_offset(cell) + std::size_t{word} * 8);
        zero = zero && (word == used / 64 ? bits >> (used % 64) : bits) == 0;
      }
    }
    return zero;
  }

  /// Whether a group of this level can have this number of slots.
  [[nodiscard]] bool can_hold(unsigned slots) const noexcept {
    return slots <= kMaxSlots && form_.cells_of(slots) <= cell_numbers_;
  }

  /// The entry that begins at slot `at` of a run that ends before `end`.
  [[nodiscard]] StoredEntry entry(unsigned at, unsigned end) const noexcept {
    StoredEntry entry{slot(at), 1, 1};
    unsigned digits = 0;
    while (at + 1 + digits < end && slot(at + 1 + digits) == 0) ++digits;
    if (digits == 0) {
      if (at + 1 < end && slot(at + 1) == entry.low) return {entry.low, 2, 2};
      return entry;
    }
    entry.copies = 0;
    entry.slots = std::min(1 + 2 * digits, end - at);
    for (unsigned i = 1 + digits; i < entry.slots; ++i) {
      entry.copies = entry.copies << form_.digit_bits | slot(at + i);
    }
    return entry;
  }

  /// Calls visit(entry) for each entry that matches the key, until visit returns true. Returns whether it did.
  template <class Visit>
  bool find(const Entry& key, const Visit& visit) const {
    const Run run = this->run(key.bucket);
    for (unsigned at = run.begin; at < run.end;) {
      const StoredEntry stored = entry(at, run.end);
      if (matches(stored.low, key.low) && visit(stored)) return true;
      at += stored.slots;
    }
    return false;
  }

  template <class Visit>
  void for_each_run(const Visit& visit) const {
    const unsigned all = slots();
    unsigned begin = 0;
    for (unsigned bucket = 0, bit = 0; bucket < kBuckets; ++bucket) {
      const unsigned one = next_one(runs(), bit);
      const unsigned end = std::max(begin, std::min(one - bucket, all));
      visit(bucket, begin, end);
      begin = end;
      bit = one + 1;
    }
  }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for_each_run([&](unsigned, unsigned at, unsigned end) {
      while (at < end) {
        const StoredEntry stored = entry(at, end);
        visit(stored);
        at += stored.slots;
      }
    });
  }

  /// The sum of the copies of all matching entries.
  [[nodiscard]] std::uint64_t count(std::uint64_t hash) const noexcept {
    std::uint64_t count = 0;
    find(Entry(hash, form_), [&](const StoredEntry& entry) {
      count = added(count, entry.copies);
      return false;
    });
    return count;
  }

  /// The expected number of entries that match an absent key: the sum of 2^-(level + bits of the entry).
  [[nodiscard]] double expected_matches() const noexcept {
    double expected_matches = 0;
    for_each([&](const StoredEntry& entry) {
      expected_matches += std::ldexp(1.0, std::countr_zero(entry.low) + 1 - form_.entry_bits - form_.level);
    });
    return expected_matches;
  }

  [[nodiscard]] unsigned count_entries() const noexcept {
    unsigned entries = 0;
    for_each([&](const StoredEntry&) { ++entries; });
    return entries;
  }

  [[nodiscard]] SlotList list() const noexcept {
    SlotList list;
    for_each_run([&](unsigned bucket, unsigned at, unsigned end) {
      for (; at < end; ++at) list.push(bucket, slot(at));
    });
    return list;
  }

  /// Whether the bits of an entry are the first bits of a key. The last bit of an entry is the one above its mark.
  [[nodiscard]] static bool matches(std::uint64_t low, std::uint64_t key) noexcept {
    return low != 0 && ((low ^ key) >> std::countr_zero(low) >> 1) == 0;
  }

 private:
  const std::byte* payload_;
  std::uint64_t payload_bytes_;
  const std::byte* header_;
  unsigned cell_numbers_;
  const LevelForm& form_;
};

}  // namespace crivo

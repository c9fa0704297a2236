#include "kinds/growing/editor.h"

#include <algorithm>

namespace crivo {
namespace {

constexpr unsigned kMaxDigits = 8;  // of a 64-bit count, in digits of at least 8 bits

struct EntrySlots {
  std::array<std::uint64_t, 1 + 2 * kMaxDigits> values;
  unsigned count = 0;

  EntrySlots(std::uint64_t low, std::uint64_t copies, unsigned digit_bits) noexcept {
    if (copies == 0) return;
    values[count++] = low;
    if (copies == 1) return;
    if (copies == 2) {
      values[count++] = low;
      return;
    }
    const unsigned digits = (static_cast<unsigned>(std::bit_width(copies)) + digit_bits - 1) / digit_bits;
    for (unsigned i = 0; i < digits; ++i) values[count++] = 0;
    const std::uint64_t mask = (std::uint64_t{1} << digit_bits) - 1;
    for (unsigned i = digits; i-- > 0;) values[count++] = copies >> (i * digit_bits) & mask;
  }
};

template <std::size_t kWords>
using Words = std::array<std::uint64_t, kWords>;
using RunBits = Words<kRunWords>;
using CellBits = Words<kCellBytes / 8>;

template <std::size_t kWords>
void load_words(Words<kWords>& words, const std::byte* from) noexcept {
  for (std::size_t i = 0; i < kWords; ++i) words[i] = load_le<std::uint64_t>(from + i * 8);
}

template <std::size_t kWords>
void store_words(std::byte* to, const Words<kWords>& words) noexcept {
  for (std::size_t i = 0; i < kWords; ++i) store_le(to + i * 8, words[i]);
}

/// The mask of the bits of a word that precede bit number `at` of the array.
std::uint64_t bits_before(std::size_t at, std::size_t word) noexcept {
  if (at >= (word + 1) * 64) return ~std::uint64_t{0};
  return at <= word * 64 ? 0 : (std::uint64_t{1} << (at % 64)) - 1;
}

/// Inserts `bits` zeros (1 to 63) at bit `at`, and moves the following bits up.
template <std::size_t kWords>
void open_gap(Words<kWords>& words, unsigned at, unsigned bits) noexcept {
  for (std::size_t i = kWords; i-- > at / 64;) {
    const std::uint64_t before = bits_before(at, i);
    const std::uint64_t carried = i > at / 64 ? (words[i - 1] & ~bits_before(at, i - 1)) >> (64 - bits) : 0;
    words[i] = (words[i] & before) | (words[i] & ~before) << bits | carried;
  }
}

/// Removes `bits` bits (1 to 63) at bit `at`, moves the following bits down, and fills the end with zeros.
template <std::size_t kWords>
void close_gap(Words<kWords>& words, unsigned at, unsigned bits) noexcept {
  for (std::size_t i = at / 64; i < kWords; ++i) {
    const std::uint64_t before = bits_before(at, i);
    const std::uint64_t next = i + 1 < kWords ? words[i + 1] << (64 - bits) : 0;
    words[i] = (words[i] & before) | ((words[i] >> bits | next) & ~before);
  }
}

}  // namespace

std::uint32_t FreeCells::take() noexcept {
  const auto cell = load_le<std::uint32_t>(payload_);
  std::byte* bytes = bytes_of(cell);
  store_le(payload_, load_le<std::uint32_t>(bytes));
  store_le(payload_ + kFreeCellsAt, count() - 1);
  store_le(bytes, std::uint32_t{0});
  return cell;
}

void FreeCells::add(std::uint32_t cell) noexcept {
  std::byte* bytes = bytes_of(cell);
  std::fill_n(bytes, kCellBytes, std::byte{0});
  store_le(bytes, load_le<std::uint32_t>(payload_));
  store_le(payload_, cell);
  store_le(payload_ + kFreeCellsAt, count() + 1);
}

bool GroupEditor::add(const Entry& key, std::uint64_t copies) noexcept {
  const Run run = this->run(key.bucket);
  unsigned at = run.begin;
  while (at < run.end) {
    const StoredEntry stored = entry(at, run.end);
    if (stored.low > key.low) break;
    if (stored.low == key.low) {
      return replace(key.bucket, at, stored.slots, key.low, added(stored.copies, copies));
    }
    at += stored.slots;
  }
  return replace(key.bucket, at, 0, key.low, copies);
}

bool GroupEditor::remove(const Entry& key) noexcept {
  const Run run = this->run(key.bucket);
  unsigned found_at = kMaxSlots;
  StoredEntry found{0, 0, 0};
  for (unsigned at = run.begin; at < run.end;) {
    const StoredEntry stored = entry(at, run.end);
    if (matches(stored.low, key.low) &&
        (found.low == 0 || std::countr_zero(stored.low) < std::countr_zero(found.low))) {
      found_at = at;
      found = stored;
    }
    at += stored.slots;
  }
  if (found.low == 0) return false;
  if (found.copies == std::numeric_limits<std::uint64_t>::max()) return true;  // saturated: the exact count is unknown
  return replace(key.bucket, found_at, found.slots, found.low, found.copies - 1);
}

bool GroupEditor::replace(unsigned bucket, unsigned at, unsigned old, std::uint64_t low,
                          std::uint64_t copies) noexcept {
  const EntrySlots entry(low, copies, form().digit_bits);
  const unsigned before = slots();
  const unsigned after = before - old + entry.count;
  if (after > before && !can_hold(after)) return false;
  if (after > before) fit_cells(before, after);
  for (; old < entry.count; ++old) open_slot(bucket, at);
  for (; old > entry.count; --old) close_slot(bucket, at);
  for (unsigned i = 0; i < entry.count; ++i) set_slot(at + i, entry.values[i]);
  if (after < before) fit_cells(before, after);
  return true;
}

void GroupEditor::open_slot(unsigned bucket, unsigned at) noexcept {
  const unsigned last = slots();
  const unsigned width = form().slot_bits;
  std::uint64_t value = 0;  // carried from the previous cell into this one
  for (unsigned cell = form().cell_of(at); cell <= form().cell_of(last); ++cell) {
    const unsigned first = cell * form().per_cell;
    const unsigned last_in_cell = first + form().per_cell - 1;
    const std::uint64_t pushed_out = slot(last_in_cell);
    set_slot(last_in_cell, 0);
    std::byte* bytes = payload_ + cell_offset(cell);
    CellBits bits;
    load_words(bits, bytes);
    open_gap(bits, (std::max(at, first) - first) * width, width);
    store_words(bytes, bits);
    set_slot(std::max(at, first), value);
    value = pushed_out;
  }
  RunBits bits;
  load_words(bits, header_ + kRunsAt);
  open_gap(bits, bucket + at, 1);
  store_words(header_ + kRunsAt, bits);
  set_slots(last + 1);
}

void GroupEditor::close_slot(unsigned bucket, unsigned at) noexcept {
  const unsigned last = slots() - 1;
  const unsigned width = form().slot_bits;
  for (unsigned cell = form().cell_of(at); cell <= form().cell_of(last); ++cell) {
    const unsigned first = cell * form().per_cell;
    std::byte* bytes = payload_ + cell_offset(cell);
    CellBits bits;
    load_words(bits, bytes);
    close_gap(bits, (std::max(at, first) - first) * width, width);
    store_words(bytes, bits);
    if (first + form().per_cell <= last) set_slot(first + form().per_cell - 1, slot(first + form().per_cell));
  }
  RunBits bits;
  load_words(bits, header_ + kRunsAt);
  close_gap(bits, bucket + at, 1);
  store_words(header_ + kRunsAt, bits);
  set_slots(last);
}

void GroupEditor::set_slot(unsigned index, std::uint64_t value) noexcept {
  const unsigned cell = form().cell_of(index);
  const SlotPlace place(index - cell * form().per_cell, form().slot_bits);
  std::byte* word = payload_ + cell_offset(cell) + place.byte;
  const std::uint64_t others = load_le<std::uint64_t>(word) & ~(form().slot_mask() << place.shift);
  store_le(word, others | value << place.shift);
}

void GroupEditor::fit_cells(unsigned before, unsigned after) noexcept {
  FreeCells free(payload_, payload_bytes_);
  unsigned cells = form().cells_of(before);
  const auto number = [this](unsigned cell) { return header_ + kCellsAt + std::size_t{cell} * 4; };
  for (; cells < form().cells_of(after); ++cells) store_le(number(cells), free.take());
  for (; cells > form().cells_of(after); --cells) {
    free.add(load_le<std::uint32_t>(number(cells - 1)));
    store_le(number(cells - 1), std::uint32_t{0});
  }
}

// The first bit of a bucket number selects the half. The first bit of a slot becomes the last bit of the new bucket
// number, so the order stays the same. The remaining bits move up by one bit, unless the slots of the next level are
// one bit shorter.
void GroupEditor::split_into(SlotList& lower, SlotList& upper) noexcept {
  const unsigned total = slots();
  const bool shifts = form().digit_bits == form().slot_bits;
  const std::uint64_t rest = form().slot_mask() >> 1;
  for_each_run([&](unsigned bucket, unsigned at, unsigned end) {
    SlotList& half = bucket < kBuckets / 2 ? lower : upper;
    while (at < end) {
      const StoredEntry stored = entry(at, end);
      const auto first_bit = static_cast<unsigned>(stored.low >> (form().slot_bits - 1U));
      const unsigned new_bucket = (bucket * 2 | first_bit) % kBuckets;
      const std::uint64_t low = (stored.low & rest) << (shifts ? 1 : 0);
      half.push(new_bucket, low);
      if (stored.slots == 2) half.push(new_bucket, low);
      for (unsigned i = 1; stored.slots > 2 && i < stored.slots; ++i) half.push(new_bucket, slot(at + i));
      at += stored.slots;
    }
  });
  fit_cells(total, 0);
  set_slots(0);
}

void GroupEditor::fill(const SlotList& list) noexcept {
  fit_cells(0, list.count);
  set_slots(list.count);
  RunBits bits{};
  for (unsigned at = 0, bucket = 0; bucket < kBuckets; ++bucket) {
    while (at < list.count && list.buckets[at] == bucket) ++at;
    bits[(at + bucket) / 64] |= std::uint64_t{1} << ((at + bucket) % 64);
  }
  store_words(header_ + kRunsAt, bits);
  for (unsigned at = 0; at < list.count; ++at) set_slot(at, list.values[at]);
}

void free_cells_of(const Shape& shape, AlignedBytes& payload, std::uint64_t group) noexcept {
  const GroupBytes bytes(shape.param);
  const std::uint64_t first = GrowingForm(shape).offset_of(group) + bytes.header;
  FreeCells free(payload.data(), payload.size());
  for (unsigned cell = bytes.cells; cell-- > 0;) {
    free.add(static_cast<std::uint32_t>((first + std::uint64_t{cell} * kCellBytes) / kCellUnit));
  }
}

void start_groups(const Shape& shape, AlignedBytes& payload) noexcept {
  for (std::uint64_t group = shape.units; group-- > 0;) free_cells_of(shape, payload, group);
  for (std::uint64_t group = 0; group < shape.units; ++group) fill_group(shape, payload, group, {});
}

void fill_group(const Shape& shape, AlignedBytes& payload, std::uint64_t group, const SlotList& slots) noexcept {
  const GrowingForm form(shape);
  GroupEditor({shape, payload.data(), payload.size()}, payload.data(), form, group).fill(slots);
}

}  // namespace crivo

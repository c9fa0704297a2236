#include "kinds/growing/page.h"

#include <algorithm>

#include "kinds/growing/sizes.h"

namespace crivo {
namespace {

constexpr std::size_t kLevelAt = 4;  // where a group in a payload has zeros

}  // namespace

std::size_t GroupPage::bytes(const Shape& shape) noexcept {
  return kCellsAt + std::size_t{GroupBytes(shape.param).cells_in_header} * kCellBytes;
}

unsigned GroupPage::level_of(const Shape& shape, std::uint64_t page) noexcept {
  return GrowingForm(shape).level_of(page).level;
}

std::uint32_t GroupPage::stored_level(const std::byte* page) noexcept {
  return load_le<std::uint32_t>(page + kLevelAt);
}

GroupPage::GroupPage(const Shape& shape, std::uint64_t page, const std::byte* stored, AlignedBytes& room)
    : bits_(shape.param), bytes_(shape.param), room_(room) {
  room_.resize(kGroupsAt + bytes_.header + std::size_t{bytes_.cells_in_header} * kCellBytes);
  const unsigned level = level_of(shape, page);
  start(stored != nullptr ? stored_level(stored) : level);
  if (stored == nullptr) return;
  std::byte* header = room_.data() + kGroupsAt;
  std::copy_n(stored, kLevelAt, header);
  std::copy_n(stored + kRunsAt, kCellsAt - kRunsAt, header + kRunsAt);
  const unsigned cells = form_.whole.cells_of(reader().slots());
  FreeCells free(room_.data(), room_.size());
  for (unsigned cell = 0; cell < cells; ++cell) {
    const std::uint32_t number = free.take();
    store_le(header + kCellsAt + std::size_t{cell} * 4, number);
    std::copy_n(stored + kCellsAt + std::size_t{cell} * kCellBytes, kCellBytes,
                room_.begin() + static_cast<std::ptrdiff_t>(cell_in_payload(number, room_.size())));
  }
  while (form_.whole.level < level) keep_half((page >> form_.whole.level & 1) != 0);
}

void GroupPage::start(unsigned level) noexcept {
  std::ranges::fill(room_, std::byte{0});
  form_ = GrowingForm();
  form_.whole = LevelForm(bits_, level);
  form_.halves = form_.whole;
  form_.group_bytes = static_cast<std::uint32_t>(room_.size() - kGroupsAt);
  form_.cells_in_header = bytes_.cells_in_header;
  FreeCells free(room_.data(), room_.size());
  for (unsigned cell = bytes_.cells_in_header; cell-- > 0;) {
    free.give(static_cast<std::uint32_t>((kGroupsAt + bytes_.header + cell * kCellBytes) / kCellUnit));
  }
  editor().fill({});
}

std::uint64_t GroupPage::count(std::uint64_t hash) const noexcept { return reader().count(hash); }

bool GroupPage::add(std::uint64_t hash) noexcept {
  GroupEditor group = editor();
  return group.add(Entry(hash, group.form()), 1);
}

bool GroupPage::remove(std::uint64_t hash) noexcept {
  GroupEditor group = editor();
  return group.remove(Entry(hash, group.form()));
}

bool GroupPage::is_crowded(const Shape& shape, const std::byte* page) noexcept {
  return load_le<std::uint32_t>(page) > 1.5 * keys_of_group(shape.param, stored_level(page));
}

std::uint64_t GroupPage::keys() const noexcept {
  std::uint64_t keys = 0;
  reader().for_each([&](const StoredEntry& entry) { keys = added(keys, entry.copies); });
  return keys;
}

void GroupPage::keep_half(bool upper) noexcept {
  SlotList lower_slots;
  SlotList upper_slots;
  editor().split_into(lower_slots, upper_slots);
  start(form_.whole.level + 1U);
  editor().fill(upper ? upper_slots : lower_slots);
}

void GroupPage::write(std::byte* page) const noexcept {
  const GroupReader group = reader();
  const std::byte* header = room_.data() + kGroupsAt;
  std::copy_n(header, kCellsAt, page);
  store_le(page + kLevelAt, std::uint32_t{form_.whole.level});
  std::byte* to = page + kCellsAt;
  const unsigned cells = form_.whole.cells_of(group.slots());
  for (unsigned cell = 0; cell < bytes_.cells_in_header; ++cell, to += kCellBytes) {
    if (cell < cells) {
      std::copy_n(room_.data() + group.cell_offset(cell), kCellBytes, to);
    } else {
      std::fill_n(to, kCellBytes, std::byte{0});
    }
  }
}

}  // namespace crivo

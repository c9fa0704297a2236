// A group of a growing filter in a page of its own, such as a row of a table: the header without the numbers of its
// cells, with the group's level behind the number of slots, and the cells in order. docs/format.md, "Filter tables".
//
// A page may be at a lower level than it should be, if a split was interrupted. Then it has entries that its other half
// has, too, which are left out when it is read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/memory.h"
#include "kinds/growing/editor.h"

namespace crivo {

/// A page that was read, or null for an empty group, in memory that is given.
class GroupPage {
 public:
  /// The bytes of a page; zeros at its end need not be stored.
  [[nodiscard]] static std::size_t bytes(const Shape& shape) noexcept;
  /// The level that a page should be at.
  [[nodiscard]] static unsigned level_of(const Shape& shape, std::uint64_t page) noexcept;
  /// The level that it is at.
  [[nodiscard]] static std::uint32_t stored_level(const std::byte* page) noexcept;

  /// Whether the filter should have more groups: this one has half more entries than all shall have on average.
  [[nodiscard]] static bool is_crowded(const Shape& shape, const std::byte* page) noexcept;

  /// Reads a page that is at most at its level.
  GroupPage(const Shape& shape, std::uint64_t page, const std::byte* stored, AlignedBytes& room);

  [[nodiscard]] std::uint64_t count(std::uint64_t hash) const noexcept;
  /// Returns false, with nothing changed, if there is no room.
  [[nodiscard]] bool add(std::uint64_t hash) noexcept;
  [[nodiscard]] bool remove(std::uint64_t hash) noexcept;
  [[nodiscard]] GroupReader reader() const noexcept { return {view(), form_, 0}; }
  /// The cells that its slots take.
  [[nodiscard]] unsigned cells() const noexcept { return form_.whole.cells_of(reader().slots()); }
  /// The keys in it, with their copies.
  [[nodiscard]] std::uint64_t keys() const noexcept;

  void write(std::byte* page) const noexcept;
  /// The group's slots, for a group in a payload.
  [[nodiscard]] SlotList slots() const noexcept { return reader().list(); }

 private:
  /// Keeps the lower half of the entries, or the upper, at the next level.
  void keep_half(bool upper) noexcept;
  [[nodiscard]] View view() const noexcept { return {{}, room_.data(), room_.size()}; }
  [[nodiscard]] GroupEditor editor() noexcept { return {view(), room_.data(), form_, 0}; }
  /// Makes the room an empty group at this level.
  void start(unsigned level) noexcept;

  unsigned bits_;
  GroupBytes bytes_;
  GrowingForm form_;
  AlignedBytes& room_;
};

}  // namespace crivo

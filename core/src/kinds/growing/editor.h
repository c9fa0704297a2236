// Creates and changes groups. A payload that KindRow::check_whole accepts stays valid. In any other payload, writes
// still stay inside the payload.
#pragma once

#include <array>
#include <cstdint>

#include "crivo/memory.h"
#include "kinds/growing/group.h"
#include "kinds/paging.h"

namespace crivo {

/// The free cells: a linked list in the payload.
class FreeCells {
 public:
  FreeCells(std::byte* payload, std::uint64_t payload_bytes) noexcept
      : payload_(payload), payload_bytes_(payload_bytes) {}
  [[nodiscard]] std::uint32_t count() const noexcept { return load_le<std::uint32_t>(payload_ + kFreeCellsAt); }
  /// Removes a cell from the list and returns it, zeroed. The list must not be empty.
  std::uint32_t take() noexcept;
  /// Zeroes a cell and returns it to the list.
  void add(std::uint32_t cell) noexcept;

 private:
  [[nodiscard]] std::byte* bytes_of(std::uint32_t cell) const noexcept {
    return payload_ + cell_in_payload(cell, payload_bytes_);
  }
  std::byte* payload_;
  std::uint64_t payload_bytes_;
};

class GroupEditor : public GroupReader {
 public:
  /// The view must be of this payload.
  GroupEditor(const View& view, std::byte* payload, const GrowingForm& form, std::uint64_t group) noexcept
      : GroupReader(view, form, group),
        header_(payload + form.offset_of(group)),
        payload_(payload),
        payload_bytes_(view.payload_bytes) {}

  /// Adds copies of a key; requires a free cell. Returns false, with nothing changed, if the group is full.
  [[nodiscard]] bool add(const Entry& key, std::uint64_t copies) noexcept;
  /// Removes one copy of the longest matching entry, unless the entry's count is saturated. If the removed entry
  /// belonged to another key, this key's own, shorter entry remains. The remaining entry is a prefix of both keys'
  /// bits, so both keys are still found. Returns false if no entry matches.
  [[nodiscard]] bool remove(const Entry& key) noexcept;

  /// Moves the slots, in the form of the next level, into two lists, and empties the group.
  void split_into(SlotList& lower, SlotList& upper) noexcept;
  /// Fills a group that is empty or all zeros. Requires enough free cells.
  void fill(const SlotList& list) noexcept;

 private:
  /// Replaces `old` slots from `at` on by an entry with this many copies, or removes the slots if `copies` is 0.
  /// Returns false, with nothing changed, if the group is full.
  [[nodiscard]] bool replace(unsigned bucket, unsigned at, unsigned old, std::uint64_t low,
                             std::uint64_t copies) noexcept;
  /// Inserts or removes one slot of a bucket.
  void open_slot(unsigned bucket, unsigned at) noexcept;
  void close_slot(unsigned bucket, unsigned at) noexcept;
  void set_slot(unsigned index, std::uint64_t value) noexcept;
  void set_slots(unsigned slots) noexcept { store_le(header_, static_cast<std::uint32_t>(slots)); }
  /// Allocates or frees cells for a change from `before` to `after` slots.
  void fit_cells(unsigned before, unsigned after) noexcept;

  std::byte* header_;
  std::byte* payload_;
  std::uint64_t payload_bytes_;
};

// Functions for the groups of a payload that is being created or enlarged.

/// Puts the cells that come with a group into the free list.
void free_cells_of(const Shape& shape, AlignedBytes& payload, std::uint64_t group) noexcept;
/// Initializes a zeroed payload with empty groups.
void start_groups(const Shape& shape, AlignedBytes& payload) noexcept;
/// Fills an empty group.
void fill_group(const Shape& shape, AlignedBytes& payload, std::uint64_t group, const SlotList& slots) noexcept;

/// The paging of this kind (pages.cpp).
extern const Paging kGroupPaging;

}  // namespace crivo

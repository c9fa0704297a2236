// A group that is being changed. A payload that KindRow::check_whole accepts is kept so; in any other, nothing is
// written outside.
#pragma once

#include <array>
#include <cstdint>

#include "kinds/growing/group.h"

namespace crivo {

/// The cells that no group has: a list in the payload.
class FreeCells {
 public:
  FreeCells(std::byte* payload, std::uint64_t payload_bytes) noexcept
      : payload_(payload), payload_bytes_(payload_bytes) {}
  [[nodiscard]] std::uint32_t count() const noexcept { return load_le<std::uint32_t>(payload_ + kFreeCellsAt); }
  /// A cell of zeros; there must be one.
  std::uint32_t take() noexcept;
  /// Takes a cell back, whatever is in it.
  void give(std::uint32_t cell) noexcept;

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

  /// Adds copies of a key. There must be a free cell. Returns false, with nothing changed, if the group has no room.
  [[nodiscard]] bool add(const Entry& key, std::uint64_t copies) noexcept;
  /// Takes back one addition, of the entry that has most bits in common with the key: where it was another key's, that
  /// one is left the key's own, which has fewer bits and so stands for both. Returns false if there is none.
  [[nodiscard]] bool remove(const Entry& key) noexcept;

  /// Empties the group into two, as the next level has its slots.
  void split_into(SlotList& lower, SlotList& upper) noexcept;
  /// Fills a group that is empty or all zeros. There must be cells enough.
  void fill(const SlotList& list) noexcept;

 private:
  /// Puts an entry with this many copies, none for no entry, where there are `old` slots.
  [[nodiscard]] bool replace(unsigned bucket, unsigned at, unsigned old, std::uint64_t low,
                             std::uint64_t copies) noexcept;
  /// Makes one slot more, or one less, in a bucket.
  void open_slot(unsigned bucket, unsigned at) noexcept;
  void close_slot(unsigned bucket, unsigned at) noexcept;
  void set_slot(unsigned index, std::uint64_t value) noexcept;
  void set_slots(unsigned slots) noexcept { store_le(header_, static_cast<std::uint32_t>(slots)); }
  /// Takes or gives back cells, from those for `before` slots to those for `after`.
  void fit_cells(unsigned before, unsigned after) noexcept;

  std::byte* header_;
  std::byte* payload_;
  std::uint64_t payload_bytes_;
};

}  // namespace crivo

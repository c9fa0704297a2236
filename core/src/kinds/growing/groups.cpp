#include "kinds/growing/groups.h"

namespace crivo {

void free_cells_of(const Shape& shape, AlignedBytes& payload, std::uint64_t group) noexcept {
  const GroupBytes bytes(shape.param);
  const std::uint64_t first = GrowingForm(shape).offset_of(group) + bytes.header;
  FreeCells free(payload.data(), payload.size());
  for (unsigned cell = bytes.cells; cell-- > 0;) {
    free.give(static_cast<std::uint32_t>((first + std::uint64_t{cell} * kCellBytes) / kCellUnit));
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

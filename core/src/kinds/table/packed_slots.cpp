#include "kinds/table/packed_slots.h"

#include "base/error_text.h"

namespace crivo {

std::uint64_t count_occupied(const std::byte* payload, std::uint64_t slots, unsigned bits) noexcept {
  std::uint64_t occupied = 0;
  for (std::uint64_t slot = 0; slot < slots; ++slot) occupied += load_slot(payload, slot, bits) != 0 ? 1 : 0;
  return occupied;
}

Result<void> check_packed_padding(const View& view, std::uint64_t slots) {
  const std::uint64_t bit = slots * view.shape.param;
  const std::byte* end = view.payload + view.payload_bytes;
  std::uint64_t padding = load_le<std::uint64_t>(end - 8);
  if (bit % 64 != 0) padding |= load_le<std::uint64_t>(end - 16) >> (bit % 64);
  if (padding == 0) return {};
  return corrupt("padding bits of the payload must be 0, got ", padding);
}

}  // namespace crivo

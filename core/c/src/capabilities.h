// The capabilities of a kind as bits.
#pragma once

#include <cstdint>

#include "crivo.h"
#include "crivo/types.h"

namespace crivo::c {

[[nodiscard]] inline std::uint32_t capability_bits(const Capabilities& can) noexcept {
  const auto bit = [](bool has, unsigned value) { return has ? value : 0U; };
  return bit(can.add, CRIVO_CAN_ADD) | bit(can.remove, CRIVO_CAN_REMOVE) | bit(can.count, CRIVO_CAN_COUNT) |
         bit(can.unite, CRIVO_CAN_UNITE) | bit(can.intersect, CRIVO_CAN_INTERSECT) | bit(can.grow, CRIVO_CAN_GROW) |
         bit(can.range, CRIVO_CAN_RANGE) | bit(can.find, CRIVO_CAN_FIND) | bit(can.exact, CRIVO_CAN_EXACT) |
         bit(can.advance, CRIVO_CAN_ADVANCE);
}

}  // namespace crivo::c

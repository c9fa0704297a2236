// Which bytes a question reads, for the kinds that have this in common. A kind that reads otherwise has functions of
// these names itself (KindRow::admit_open and KindRow::admit_question).
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/byte_gate.h"
#include "base/math128.h"
#include "crivo/types.h"
#include "kinds/position_tests.h"
#include "layout/counter_array.h"

namespace crivo {

/// The last two words of the payload, for the kinds whose validate() checks only the padding there.
inline bool admit_padding(const View& view, ByteGate& gate) {
  const std::uint64_t bytes = std::min<std::uint64_t>(16, view.payload_bytes);
  return gate.admit(view.payload_bytes - bytes, bytes);
}

/// The block of a kind in which all of a key lies in block mulhi(hash, units).
inline bool admit_block(const View& view, std::size_t block_bytes, std::uint64_t hash, ByteGate& gate) {
  return gate.admit(mulhi(hash, view.shape.units) * block_bytes, block_bytes);
}

/// The counters at the positions of layout/positions.h, up to the one at which the question ends, too: the first that
/// is 0, and those that are read together with it.
inline bool admit_positions(const View& view, unsigned bits, std::uint64_t hash, ByteGate& gate) {
  const unsigned together = is_near(view) ? kTestedTogether : 1;
  Positions positions(hash, view.shape.units);
  bool ends = false;
  for (unsigned i = 1; i <= view.shape.probes; ++i) {
    const CounterPlace place(positions.next(), bits);
    if (!gate.admit(place.byte, 8)) return false;
    ends |= place.load(view.payload + place.byte, bits) == 0;
    if (ends && i % together == 0) return true;
  }
  return true;
}

}  // namespace crivo

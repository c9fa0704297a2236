// Which bytes a question reads, for the kinds that have this in common. A kind that reads otherwise has functions of
// these names itself (KindRow::admit_open and KindRow::admit_question).
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/byte_gate.h"
#include "base/math128.h"
#include "crivo/detail/view.h"

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

}  // namespace crivo

// The bytes that a query reads, for the kinds that share a pattern. Other kinds define functions of their own
// (KindRow::admit_open and KindRow::admit_question).
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/byte_gate.h"
#include "base/math128.h"
#include "crivo/detail/view.h"

namespace crivo {

/// Admits the last two words of the payload, for kinds whose validate() checks only the padding there.
inline bool admit_padding(const View& view, ByteGate& gate) {
  const std::uint64_t bytes = std::min<std::uint64_t>(16, view.payload_bytes);
  return gate.admit(view.payload_bytes - bytes, bytes);
}

/// Admits the block mulhi(hash, units), for kinds that store a key in that block only.
inline bool admit_block(const View& view, std::size_t block_bytes, std::uint64_t hash, ByteGate& gate) {
  return gate.admit(mulhi(hash, view.shape.units) * block_bytes, block_bytes);
}

}  // namespace crivo

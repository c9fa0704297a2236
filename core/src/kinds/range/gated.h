// Queries of a range filter whose bytes are verified as they are read.
#pragma once

#include <cstdint>

#include "base/byte_gate.h"
#include "crivo/detail/view.h"

namespace crivo {

/// KindRow::admit_range of the range kind: follows the query's path.
bool admit_range_question(const View& view, std::uint64_t low, std::uint64_t high, ByteGate& gate);

}  // namespace crivo

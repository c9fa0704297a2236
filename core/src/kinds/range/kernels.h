// The kernels of the range kind. Bit instructions such as POPCNT make queries faster; AVX-512 does not.
#pragma once

#include <cstdint>

#include "base/byte_gate.h"
#include "crivo/detail/view.h"

namespace crivo {

struct RangeKernels {
  static const RangeKernels kScalar, kAvx2;
  Probe range;
};

/// KindRow::admit_range of the range kind: follows the path of the query, and passes to the gate the positions of all
/// bytes that the query reads.
bool admit_range_query(const View& view, std::uint64_t low, std::uint64_t high, ByteGate& gate);

}  // namespace crivo

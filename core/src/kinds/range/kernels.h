// The kernels of the range kind. Bit-counting instructions make it faster; wider vectors than AVX2 do not.
#pragma once

#include "crivo/detail/view.h"

namespace crivo {

struct RangeKernels {
  static const RangeKernels kScalar, kAvx2;
  Probe range;
};

}  // namespace crivo

// The kernels of the range kind. It gains by counting bits with an instruction, and by nothing beyond AVX2.
#pragma once

#include "crivo/detail/view.h"

namespace crivo {

struct RangeKernels {
  static const RangeKernels kScalar, kAvx2;
  Probe range;
};

}  // namespace crivo

// The kernels of the range kind. It gains by counting bits with an instruction, and by nothing beyond AVX2.
#pragma once

#include "kinds/isa.h"
#include "kinds/probe.h"

namespace crivo {

struct RangeKernels {
  Probe range;
};

extern const RangeKernels kRangeScalar;
#if defined(__x86_64__)
extern const RangeKernels kRangeAvx2;
#endif

/// The kernels of a level.
[[nodiscard]] const RangeKernels& range_kernels(Isa isa) noexcept;
/// Those of the level in use.
[[nodiscard]] const RangeKernels& range_kernels() noexcept;

}  // namespace crivo

#include "kinds/range/kernels.h"

namespace crivo {

const RangeKernels& range_kernels([[maybe_unused]] Isa isa) noexcept {
#if defined(__x86_64__)
  if (isa != Isa::kScalar) return kRangeAvx2;
#endif
  return kRangeScalar;
}

const RangeKernels& range_kernels() noexcept {
  static const RangeKernels& chosen = range_kernels(isa_in_use().isa);
  return chosen;
}

}  // namespace crivo

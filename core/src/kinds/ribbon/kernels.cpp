#include "kinds/ribbon/kernels.h"

namespace crivo {

const RibbonKernels& ribbon_kernels(Isa isa) noexcept {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::kAvx2:
      return kRibbonAvx2;
    case Isa::kAvx512:
      return kRibbonAvx512;
#elif defined(__AARCH64EL__)
    case Isa::kNeon:
      return kRibbonNeon;
#endif
    default:
      return kRibbonScalar;
  }
}

const RibbonKernels& ribbon_kernels() noexcept {
  static const RibbonKernels& chosen = ribbon_kernels(isa_in_use().isa);
  return chosen;
}

}  // namespace crivo

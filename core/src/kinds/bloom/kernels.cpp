#include "kinds/bloom/kernels.h"

namespace crivo {

const BlockedKernels& blocked_kernels(Isa isa) noexcept {
  switch (isa) {
#if defined(__x86_64__)
    case Isa::kAvx2:
      return kBlockedAvx2;
    case Isa::kAvx512:
      return kBlockedAvx512;
#elif defined(__AARCH64EL__)
    case Isa::kNeon:
      return kBlockedNeon;
#endif
    default:
      return kBlockedScalar;
  }
}

const BlockedKernels& blocked_kernels() noexcept {
  static const BlockedKernels& chosen = blocked_kernels(isa_in_use().isa);
  return chosen;
}

}  // namespace crivo

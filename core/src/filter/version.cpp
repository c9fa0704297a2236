#include "crivo/version.h"

#include "simd/kernels.h"

namespace crivo {

std::string_view version() noexcept { return CRIVO_VERSION; }

std::string_view active_isa() noexcept { return kernels().isa; }

}  // namespace crivo

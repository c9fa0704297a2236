#include "crivo/version.h"

#include <algorithm>
#include <string>

#include "base/error_text.h"
#include "simd/kernels.h"

namespace crivo {

std::string_view version() noexcept { return CRIVO_VERSION; }

std::string_view active_isa() noexcept { return kernels().isa; }

Result<void> check_isa() {
  const std::string_view wanted = isa_asked_for();
  if (wanted.empty() || std::ranges::find(all_kernels(), wanted, &Kernels::isa) != all_kernels().end()) return {};
  std::string names;
  for (const Kernels& level : all_kernels()) append_text(names += names.empty() ? "" : ", ", level.isa);
  return error(ErrorCode::kBadArgument, "CRIVO_ISA must be one of ", names, ", got ", wanted);
}

}  // namespace crivo

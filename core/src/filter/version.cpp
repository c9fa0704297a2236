#include "crivo/version.h"

#include <algorithm>
#include <string>

#include "base/error_text.h"
#include "kinds/isa.h"

namespace crivo {

std::string_view version() noexcept { return CRIVO_VERSION; }

std::string_view active_isa() noexcept { return isa_in_use().name; }

Result<void> check_isa() {
  const std::string_view wanted = requested_isa();
  if (wanted.empty() || std::ranges::find(all_isas(), wanted, &IsaLevel::name) != all_isas().end()) return {};
  std::string names;
  for (const IsaLevel& level : all_isas()) names.append(names.empty() ? "" : ", ").append(level.name);
  return bad_argument("CRIVO_ISA must be one of ", names, ", got ", wanted);
}

}  // namespace crivo

// Sizes an exact filter: the columns of its ribbon, and the map of the keys that pass the ribbon (exact_layout.h).
#pragma once

#include <cstdint>

#include "kinds/ribbon/layout.h"

namespace crivo {

struct ExactPlan {
  RibbonForm form = RibbonForm(kWideRibbon, 0);  // no columns: no ribbon
  double passing = 0;                            // expected other keys that pass the ribbon

  /// The estimated bytes of the payload, hardly ever too few.
  [[nodiscard]] std::uint64_t bytes(std::uint64_t members) const noexcept;
};

/// The smallest plan with at least the wanted columns.
[[nodiscard]] ExactPlan plan_exact(const RibbonForm& wanted, std::uint64_t members, std::uint64_t others) noexcept;

}  // namespace crivo

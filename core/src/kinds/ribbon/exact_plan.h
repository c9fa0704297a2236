// How an exact filter is sized: the columns of its ribbon, and the map of what the ribbon lets pass (exact_layout.h).
#pragma once

#include <cstdint>

#include "kinds/ribbon/layout.h"

namespace crivo {

struct ExactPlan {
  RibbonForm form = RibbonForm(kWideRibbon, 0);  // without columns there is no ribbon
  double passing = 0;                            // other keys that are expected to pass the ribbon

  /// Upper bound of the payload's bytes; it is hardly ever exceeded.
  [[nodiscard]] std::uint64_t bytes(std::uint64_t members) const noexcept;
};

/// The smallest plan that has at least the wanted columns.
[[nodiscard]] ExactPlan plan_exact(const RibbonForm& wanted, std::uint64_t members, std::uint64_t others) noexcept;

}  // namespace crivo

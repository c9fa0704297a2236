// What makes an exact filter small: its ribbon's columns, and the free slots that are chosen (exact_layout.h).
#pragma once

#include <cstdint>

#include "kinds/ribbon/layout.h"

namespace crivo {

struct ExactPlan {
  RibbonForm form = RibbonForm(kWideRibbon, 0);  // without columns there is no ribbon
  unsigned free_slots = 0;                       // of each block
  double passing = 0;                            // the others that are expected to pass

  /// Words of the ribbon's payload.
  [[nodiscard]] std::uint64_t filter_words(std::uint64_t members) const noexcept;
  /// Bytes that the whole payload hardly ever exceeds.
  [[nodiscard]] std::uint64_t bytes(std::uint64_t members) const noexcept;
};

/// The cheapest plan whose columns are at least those that are wanted.
[[nodiscard]] ExactPlan plan_exact(const RibbonForm& wanted, std::uint64_t members, std::uint64_t others) noexcept;

}  // namespace crivo

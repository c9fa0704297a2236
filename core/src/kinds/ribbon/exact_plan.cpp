#include "kinds/ribbon/exact_plan.h"

#include <cmath>

#include "crivo/host/sizing.h"
#include "kinds/ribbon/exact_layout.h"
#include "kinds/ribbon/sizes.h"

namespace crivo {

std::uint64_t ExactPlan::bytes(std::uint64_t members) const noexcept {
  const std::uint64_t filter_words = form.column_shares() == 0 ? 0 : ribbon_words(members, form);
  const auto others = static_cast<std::uint64_t>(passing + 4 * std::sqrt(passing) + passing / 64);
  const std::uint64_t map_words = members == 0 ? 1 : ribbon_words(members + others, kExactMapForm);
  return kExactHeaderBytes + 8 * (filter_words + map_words);
}

ExactPlan plan_exact(const RibbonForm& wanted, std::uint64_t members, std::uint64_t others) noexcept {
  constexpr double kMapBits = 1.016;  // per key of the map
  constexpr double kThresholdBits = 1.0 / kRibbonBlockSlots;
  if (members == 0) return {};
  const double others_each = static_cast<double>(others) / static_cast<double>(members);
  ExactPlan best;
  double fewest = HUGE_VAL;
  for (unsigned columns = wanted.lean; columns <= kMaxRibbonColumns; ++columns) {
    const RibbonForm form =
        columns == wanted.lean ? wanted : RibbonForm(kWideRibbon, columns * std::uint64_t{kRibbonShares});
    const double passing_each = others_each * ribbon_fp_rate(form.lean, static_cast<unsigned>(form.share));
    const double filter_bits =
        form.column_shares() == 0 ? 0 : static_cast<double>(form.column_shares()) / kRibbonShares + kThresholdBits;
    const double bits = filter_bits + kMapBits * (1 + passing_each);
    if (bits >= fewest) continue;
    fewest = bits;
    best = {form, passing_each * static_cast<double>(members)};
  }
  return best;
}

}  // namespace crivo

#include "kinds/ribbon/exact_plan.h"

#include <algorithm>
#include <cmath>

#include "kinds/ribbon/exact_layout.h"
#include "kinds/ribbon/free_slots.h"
#include "kinds/ribbon/sizes.h"

namespace crivo {
namespace {

/// The others that pass a block of the ribbon which so many start in.
double passing_of(double in_block, const RibbonForm& form, unsigned free_slots) noexcept {
  constexpr double kReached =
      0.68;  // of what could be gained, as a free slot changes only the slots below it; measured
  const double choosing = std::min<double>(in_block, kMostChoosingKeys);
  double passing = choosing;
  for (unsigned column = 0; column < form.lean; ++column) {
    passing = std::max(0.0, passing - kReached * expected_largest(free_slots) * std::sqrt(passing)) / 2;
  }
  passing += std::ldexp(in_block - choosing, -static_cast<int>(form.lean));
  return passing * (1 - static_cast<double>(form.share) / (2 * kRibbonShares));
}

/// Bits for each member, by which plans are compared.
double bits_with(const RibbonForm& form, unsigned free_slots, double others_each, double& passing_each) noexcept {
  constexpr double kMapBits = 1.016;      // for each key of the map
  constexpr double kThresholdBits = 1.0;  // of a block
  const double members = kRibbonBlockSlots - free_slots;
  passing_each = passing_of(others_each * members, form, free_slots) / members;
  const double columns = static_cast<double>(form.column_shares()) / kRibbonShares;
  const double block_bits = columns == 0 ? 0 : kRibbonBlockSlots * columns + kThresholdBits;
  return block_bits / members + kMapBits * (1 + passing_each);
}

}  // namespace

std::uint64_t ExactPlan::filter_words(std::uint64_t members) const noexcept {
  return form.column_shares() == 0 ? 0 : ribbon_words(members, form, free_slots);
}

std::uint64_t ExactPlan::bytes(std::uint64_t members) const noexcept {
  const auto others = static_cast<std::uint64_t>(passing + 4 * std::sqrt(passing) + passing / 64);
  const std::uint64_t map_words = members == 0 ? 1 : ribbon_words(members + others, kExactMapForm);
  return kExactHeaderBytes + 8 * (filter_words(members) + map_words);
}

ExactPlan plan_exact(const RibbonForm& wanted, std::uint64_t members, std::uint64_t others) noexcept {
  if (members == 0) return {};
  const double others_each = static_cast<double>(others) / static_cast<double>(members);
  ExactPlan best;
  double fewest = HUGE_VAL;
  for (unsigned columns = wanted.lean; columns <= kMaxRibbonColumns; ++columns) {
    const RibbonForm form =
        columns == wanted.lean ? wanted : RibbonForm(kWideRibbon, columns * std::uint64_t{kRibbonShares});
    const unsigned most_free = form.column_shares() == 0 ? 0 : kMostChosenSlots;
    for (unsigned free_slots = 0; free_slots <= most_free; ++free_slots) {
      double passing_each = 0;
      const double bits = bits_with(form, free_slots, others_each, passing_each);
      if (bits >= fewest) continue;
      fewest = bits;
      best = {form, free_slots, passing_each * static_cast<double>(members)};
    }
  }
  return best;
}

}  // namespace crivo

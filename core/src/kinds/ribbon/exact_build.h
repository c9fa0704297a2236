// Sizes an exact payload, and builds it from all keys of its universe.
#pragma once

#include <cstdint>
#include <memory>

#include "build/build_task.h"
#include "build/hash_source.h"
#include "crivo/memory.h"
#include "crivo/result.h"
#include "kinds/ribbon/layout.h"

namespace crivo {

/// The columns of the ribbon, and the expected number of other keys in the map (exact_layout.h).
struct ExactPlan {
  RibbonForm form = RibbonForm(kWideRibbon, 0);  // no columns: no ribbon
  double passing = 0;                            // the expected number of other keys that pass the ribbon

  /// The estimated bytes of the payload, rarely too low.
  [[nodiscard]] std::uint64_t bytes(std::uint64_t members) const noexcept;
};

/// The smallest plan with at least the wanted columns.
[[nodiscard]] ExactPlan plan_exact(const RibbonForm& wanted, std::uint64_t members, std::uint64_t others) noexcept;

/// Builds the payload for these keys: value 1 for a member, 0 for any other key. On entry, `form` has the columns for
/// the planned rate; on return, the columns of the ribbon. Errors: as build_ribbon (kinds/ribbon/build.h).
Result<AlignedBytes> build_exact(RibbonForm& form, std::unique_ptr<StoredSource<HashedValue>> keys,
                                 std::uint64_t max_bytes, BuildTask& task);

}  // namespace crivo

// Sizes that were searched for once and are used again, for whoever builds many small filters alike.
#pragma once

#include <cstdint>
#include <memory>

#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

struct FilterPlan;  // core/src/filter/filter_plan.h

/// Remembers what FilterBuilder found out for a spec: finding the size for a rate takes some 200 us, as long as adding
/// 20,000 keys. So the filters of many groups of rows share one of these. One thread. Keeps at most 1 MiB.
class PlannedSizes {
 public:
  PlannedSizes();
  ~PlannedSizes();
  PlannedSizes(const PlannedSizes&) = delete;
  PlannedSizes& operator=(const PlannedSizes&) = delete;

 private:
  friend class FilterBuilder;
  /// Errors: as AnyFilter::create.
  [[nodiscard]] Result<FilterPlan> plan(const FilterSpec& spec, std::uint64_t max_bytes);

  struct Kept;
  std::unique_ptr<Kept> kept_;
};

}  // namespace crivo

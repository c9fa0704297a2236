// A cache of filter sizes, for programs that build many small filters with the same options.
#pragma once

#include <cstdint>
#include <memory>

#include "crivo/build_options.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

class FilterBuilder;
struct FilterPlan;

/// Caches the sizes that FilterBuilder computes. Computing the size for a rate takes 200 us, as long as adding 20,000
/// keys. So the filters of many groups of rows should share a cache. Not thread-safe. Uses at most 1 MiB.
class PlannedSizes {
 public:
  PlannedSizes();
  ~PlannedSizes();
  PlannedSizes(const PlannedSizes&) = delete;
  PlannedSizes& operator=(const PlannedSizes&) = delete;

  /// FilterBuilder::create with this cache, which must outlive the builder.
  [[nodiscard]] Result<FilterBuilder> builder(const FilterSpec& spec, const BuildOptions& options);

 private:
  friend struct BuilderRequest;
  /// Errors: as AnyFilter::create.
  [[nodiscard]] Result<FilterPlan> plan(const FilterSpec& spec, std::uint64_t max_bytes);

  struct Plans;
  std::unique_ptr<Plans> plans_;
};

}  // namespace crivo

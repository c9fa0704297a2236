// The implementation of FilterBuilder. key_builder.cpp adds hashes to a filter or collects them for a build;
// pair_builder.cpp collects hashes with values.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "build/memory_budget.h"
#include "crivo/build_options.h"
#include "crivo/filter.h"
#include "crivo/result.h"
#include "filter/filter_plan.h"

namespace crivo {

class PlannedSizes;  // crivo/host/planned_sizes.h

class BuilderState {
 public:
  virtual ~BuilderState() = default;
  [[nodiscard]] virtual Result<void> add_hash(std::uint64_t key_hash) = 0;
  [[nodiscard]] virtual Result<void> add_hashes(std::span<const std::uint64_t> key_hashes) = 0;
  /// Requires as many values as hashes.
  [[nodiscard]] virtual Result<void> add_hashes(std::span<const std::uint64_t> key_hashes,
                                                std::span<const std::uint64_t> values) = 0;
  [[nodiscard]] virtual Result<AnyFilter> finish() = 0;
  [[nodiscard]] std::uint64_t keys() const noexcept { return keys_; }

  HashId hash_id = HashId::kXxh3_64;
  std::uint64_t seed = 0;

 protected:
  std::uint64_t keys_ = 0;
};

/// The arguments of FilterBuilder::create. `sizes` may be null.
struct BuilderRequest {
  FilterSpec spec;
  BuildOptions options;
  PlannedSizes* sizes;

  [[nodiscard]] Result<FilterPlan> plan(const FilterSpec& wanted) const;
};

/// If the capacity is not known yet, `plan` has capacity 1. Errors: as FilterBuilder::create.
[[nodiscard]] Result<std::unique_ptr<BuilderState>> key_builder(const BuilderRequest& request, FilterPlan plan);
/// For a kind with a value per key.
[[nodiscard]] std::unique_ptr<BuilderState> pair_builder(const BuilderRequest& request, const KindInfo& kind);

}  // namespace crivo

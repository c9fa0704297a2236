// Steps two and three of creating a filter: allocate and build (step one is filter_plan.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "build/build_task.h"
#include "build/hash_source.h"
#include "crivo/filter.h"
#include "filter/filter_plan.h"

namespace crivo {

struct FilterBuild {
  [[nodiscard]] static AnyFilter allocate(const FilterPlan& plan, const FilterSpec& spec,
                                          CacheAlignedAllocator<std::byte> memory = {});
  /// A filter of any kind with these hashes. Errors: as AnyFilter::build.
  [[nodiscard]] static Result<AnyFilter> from(const FilterPlan& plan, const FilterSpec& spec,
                                              std::span<const std::uint64_t> hashes, BuildTask& task);
  /// The same for a kind that is built once, from hashes in order.
  [[nodiscard]] static Result<AnyFilter> once(const FilterPlan& plan, std::unique_ptr<HashSource> hashes,
                                              BuildTask& task);
  /// The same for a kind with a value per key.
  [[nodiscard]] static Result<AnyFilter> once(const FilterPlan& plan, std::unique_ptr<StoredSource<HashedValue>> keys,
                                              BuildTask& task);
  /// The error for a key without a value.
  [[nodiscard]] static Error lacks_value(const KindInfo& kind);
  static void count_added(AnyFilter& filter, std::uint64_t keys) noexcept { filter.count_added(keys); }
  static void set_max_bytes(AnyFilter& filter, std::uint64_t max_bytes) noexcept { filter.max_bytes_ = max_bytes; }

 private:
  static Result<AnyFilter> finished(const FilterPlan& plan, const Shape& shape, std::uint64_t keys,
                                    Result<AlignedBytes> payload, BuildTask& task);
  static Result<void> add_watched(AnyFilter& filter, std::span<const std::uint64_t> hashes, BuildTask& task);
};

}  // namespace crivo

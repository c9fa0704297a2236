// The first of the three steps to a filter: plan, allocate, build (filter_build.h). A plan takes no memory for the
// payload.
#pragma once

#include <cstdint>

#include "crivo/result.h"
#include "crivo/types.h"
#include "kinds/kind.h"

namespace crivo {

/// What a filter of a spec will be, before any memory is taken for it.
struct FilterPlan {
  const KindRow* row;
  Shape shape;
  Facts facts;
  std::uint64_t payload_bytes;
  std::uint64_t max_bytes;  // the limit for the payload, also when it grows or when its keys are known
};

/// Checks every field of the spec. Errors: kBadArgument naming the field; kTooLarge when the payload would need more
/// than max_bytes.
[[nodiscard]] Result<FilterPlan> plan_filter(const FilterSpec& spec, std::uint64_t max_bytes);

/// What a filter promises that was sized by bits per key: the rate that its model states at capacity, above 0 and at
/// most 1. A kind that has a start() needs its payload for that; for the others the view's shape is enough.
[[nodiscard]] double promise_by_size(const KindRow& row, const View& view, std::uint64_t capacity) noexcept;

}  // namespace crivo

// The first of the three steps to a filter: plan, allocate, build. A plan takes no memory for the payload.
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

/// A rate that a model computed, as a filter may promise it: above 0 and at most 1.
[[nodiscard]] double as_promise(double fp_rate) noexcept;

}  // namespace crivo

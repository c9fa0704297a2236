// The first of the three steps to a filter: plan, allocate, build. A plan takes no memory for the payload.
#pragma once

#include <cstdint>

#include "crivo/result.h"
#include "crivo/types.h"
#include "kinds/kind.h"

namespace crivo {

/// What a spec comes to.
struct FilterPlan {
  const KindRow* row;
  Shape shape;
  Facts facts;
  std::uint64_t payload_bytes;
};

/// Checks every field of the spec. Errors: kBadArgument naming the field; kTooLarge when the payload would need more
/// than max_bytes.
[[nodiscard]] Result<FilterPlan> plan_filter(const FilterSpec& spec, std::uint64_t max_bytes);

/// A rate that a model computed, as a filter may promise it: above 0 and at most 1.
[[nodiscard]] double as_promise(double fp_rate) noexcept;

/// The error for a payload that would need more than the caller allows.
[[nodiscard]] Error too_large(std::uint64_t max_bytes, std::uint64_t keys, std::uint64_t needed);

}  // namespace crivo

// Step one of creating a filter: plan, without allocating the payload. filter_build.h has steps two and three.
#pragma once

#include <cstdint>

#include "crivo/result.h"
#include "crivo/types.h"
#include "kinds/kind.h"

namespace crivo {

/// The properties of a filter to be built from a spec, before its memory is allocated.
struct FilterPlan {
  const KindRow* row;
  Shape shape;
  Facts facts;
  std::uint64_t payload_bytes;
  std::uint64_t max_bytes;  // the limit of the payload, also for growth and for more keys than planned
};

/// Validates the fields of the spec that the kind uses. Errors: kBadArgument naming the field; kTooLarge if the payload
/// would exceed max_bytes or the kind's limit.
[[nodiscard]] Result<FilterPlan> plan_filter(const FilterSpec& spec, std::uint64_t max_bytes);

/// The promised rate of a filter sized by bits per key: its model's rate at capacity, above 0 and at most 1. For a kind
/// with a start(), the view needs the payload; for others, the shape suffices.
[[nodiscard]] double sized_rate(const KindRow& row, const View& view, std::uint64_t capacity) noexcept;

}  // namespace crivo

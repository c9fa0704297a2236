// From one kind of filter to another, where the bytes allow it.
#pragma once

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// The `blocked` filter that was built from the keys a `counting` filter holds now: the same shape, seed and facts, the
/// same answers, a quarter of the bytes. What was removed is gone from it too, as far as counters were not saturated.
/// Errors: kUnsupported for another kind.
[[nodiscard]] Result<AnyFilter> drop_counts(const FilterRef& counting);

}  // namespace crivo

// Conversions between kinds.
#pragma once

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// Converts a `counting` filter to the `blocked` filter of its present keys: the same shape, seed, facts and answers in
/// a quarter of the bytes. Removed keys are gone, except where a counter was saturated. Errors: kUnsupported for any
/// other kind.
[[nodiscard]] Result<AnyFilter> drop_counts(const FilterRef& counting);

}  // namespace crivo

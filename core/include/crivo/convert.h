// Conversions between kinds.
#pragma once

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// Converts a `counting` filter to the `blocked` filter of its present keys: the same parameters, facts and answers in
/// a quarter of the bytes. Errors: kUnsupported for other kinds.
[[nodiscard]] Result<AnyFilter> drop_counts(const FilterRef& counting);

}  // namespace crivo

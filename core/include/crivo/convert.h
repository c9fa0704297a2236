// Turns a filter of one kind into a filter of another kind, where the payload holds enough to do so.
#pragma once

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// The `blocked` filter that was built from the keys a `counting` filter holds now: it has the same shape, seed and
/// facts, gives the same answers, and takes a quarter of the bytes. Keys that were removed are gone from it too, except
/// where a counter was saturated. Errors: kUnsupported for another kind.
[[nodiscard]] Result<AnyFilter> drop_counts(const FilterRef& counting);

}  // namespace crivo

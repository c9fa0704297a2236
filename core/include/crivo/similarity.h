// How two sets relate, estimated from their filters.
#pragma once

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// Estimated numbers of distinct keys. The intersection is |A| + |B| - |A or B|, at least 0; jaccard is intersection /
/// union in [0, 1], and 1 for two empty filters.
struct Similarity {
  double first;
  double second;
  double united;
  double common;
  double jaccard;
};

/// Compares two filters that could be merged. Costs a copy of the first. Nothing in the optional when one of them, or
/// their union, is saturated. Errors: as AnyFilter::unite. Source: Swamidass & Baldi 2007; Papapetrou, Siberski & Nejdl
/// 2010.
[[nodiscard]] Result<std::optional<Similarity>> compare(const FilterRef& first, const FilterRef& second);

}  // namespace crivo

// Estimates how similar the key sets of two filters are.
#pragma once

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// Estimated numbers of distinct keys. common = first + second - united, at least 0. jaccard = common / united, from 0
/// to 1, and 1 for two empty filters.
struct Similarity {
  double first;
  double second;
  double united;
  double common;
  double jaccard;
};

/// Compares two filters that can be united. Copies the first filter. No value if a filter or the union is saturated.
/// Errors: as AnyFilter::unite. Source: Swamidass & Baldi 2007; Papapetrou, Siberski & Nejdl 2010.
[[nodiscard]] Result<std::optional<Similarity>> compare(const FilterRef& first, const FilterRef& second);

}  // namespace crivo

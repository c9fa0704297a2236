// Estimates from two filters how much their sets of keys have in common.
#pragma once

#include "crivo/filter.h"
#include "crivo/result.h"

namespace crivo {

/// Estimated numbers of distinct keys. `common` is first + second - united, at least 0; jaccard is common / united, in
/// [0, 1], and 1 for two empty filters.
struct Similarity {
  double first;
  double second;
  double united;
  double common;
  double jaccard;
};

/// Compares two filters that could be united. Takes a copy of the first one. The optional has no value when one of the
/// filters, or their union, is saturated. Errors: as AnyFilter::unite. Source: Swamidass & Baldi 2007; Papapetrou,
/// Siberski & Nejdl 2010.
[[nodiscard]] Result<std::optional<Similarity>> compare(const FilterRef& first, const FilterRef& second);

}  // namespace crivo

#include "crivo/similarity.h"

#include <algorithm>

namespace crivo {

Result<std::optional<Similarity>> compare(const FilterRef& first, const FilterRef& second) {
  AnyFilter both = AnyFilter::copy_of(first);
  if (auto united = both.unite(second); !united) return united.error();
  const auto first_keys = first.stats().cardinality;
  const auto second_keys = second.stats().cardinality;
  const auto united_keys = both.ref().stats().cardinality;
  if (!first_keys || !second_keys || !united_keys) return std::optional<Similarity>{};
  const double common = std::max(0.0, *first_keys + *second_keys - *united_keys);
  const double jaccard = *united_keys > 0 ? std::min(1.0, common / *united_keys) : 1.0;
  return std::optional<Similarity>{{*first_keys, *second_keys, *united_keys, common, jaccard}};
}

}  // namespace crivo

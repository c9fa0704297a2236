// Fill statistics of the kinds whose keys have k positions anywhere in the filter.
#pragma once

#include <cstdint>

#include "base/portable.h"
#include "crivo/types.h"
#include "kinds/bloom/sizes.h"
#include "kinds/collisions.h"

namespace crivo {

/// The statistics of a filter with `set` units that are not 0.
inline Stats stats_of_positions(const Shape& shape, std::uint64_t set) noexcept {
  const auto units = static_cast<double>(shape.units);
  const double fill = static_cast<double>(set) / units;
  Stats stats{.bits = shape.units, .bits_set = set, .current_fp_rate = portable::integer_power(fill, shape.k)};
  if (set == shape.units) return stats;
  const double keys = classic_cardinality(units, static_cast<double>(set), shape.k);
  stats.current_fp_rate += (1 - stats.current_fp_rate) * related_hash_rate(fill, keys, shape.k);
  stats.cardinality = keys;
  return stats;
}

}  // namespace crivo

// How full a filter is whose keys have k positions anywhere in it.
#pragma once

#include <cmath>
#include <cstdint>

#include "crivo/sizing.h"
#include "crivo/types.h"

namespace crivo {

/// Stats of a filter of which `set` units are not 0.
inline Stats stats_of_positions(const Shape& shape, std::uint64_t set) noexcept {
  Stats stats;
  stats.bits = shape.units;
  stats.bits_set = set;
  const auto units = static_cast<double>(shape.units);
  stats.fp_rate = std::pow(static_cast<double>(set) / units, shape.probes);
  if (set < shape.units) stats.cardinality = classic_cardinality(units, static_cast<double>(set), shape.probes);
  return stats;
}

}  // namespace crivo

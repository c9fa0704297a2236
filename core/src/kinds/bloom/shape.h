// The shapes of the kinds that are sized by units and probes: planning and validation.
#pragma once

#include "crivo/host/sizing.h"
#include "crivo/types.h"

namespace crivo {

/// Sizes by spec.bits_per_key if it is set, with units = ceil(capacity * bits_per_key / counter_bits / bits_per_unit);
/// else by spec.fp_rate. counter_bits is the number of bits per counter, for kinds with counters. Errors: kBadArgument.
Result<Shape> plan_by_size(const FilterSpec& spec, Kind kind, double bits_per_unit,
                           Result<FilterSize> (*size)(std::uint64_t capacity, double fp_rate),
                           unsigned (*best_probes)(double bits_per_key) noexcept, double counter_bits = 1);

/// Checks k (1..max_probes), units (1..max_units) and the parameter (0). Errors: kCorrupt naming the field.
Result<void> check_shape(const Shape& shape, unsigned max_probes, std::uint64_t max_units, const char* unit_name);

}  // namespace crivo

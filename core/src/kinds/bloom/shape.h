// The shapes of the kinds that are sized by units and probes: from a spec, and checked when they are read.
#pragma once

#include "crivo/host/sizing.h"
#include "crivo/types.h"

namespace crivo {

/// Sizes from spec.bits_per_key where it is given (units = ceil(capacity x bits / bits_per_unit)), else from
/// spec.fp_rate. A kind that stores counter_bits bits where the plain filter has one gets only 1 / counter_bits as many
/// units for bits_per_key.
Result<Shape> plan_by_size(const FilterSpec& spec, Kind kind, double bits_per_unit,
                           Result<FilterSize> (*size)(std::uint64_t capacity, double fp_rate),
                           unsigned (*best_probes)(double bits_per_key) noexcept, double counter_bits = 1);

/// Checks that k lies in 1..max_probes, that units lie in 1..max_units, and that there is no parameter. Errors:
/// kCorrupt naming the field.
Result<void> check_shape(const Shape& shape, unsigned max_probes, std::uint64_t max_units, const char* unit_name);

}  // namespace crivo

// From a spec to a shape, for kinds that are sized by a unit count and a number of probes.
#pragma once

#include "crivo/filter.h"
#include "crivo/sizing.h"

namespace crivo {

/// Sizes from spec.bits_per_key where it is given (units = ceil(capacity x bits / bits_per_unit)), else from
/// spec.fp_rate. A kind that stores counter_bits where the plain filter has one bit gets that many fewer of them.
Result<Shape> plan_by_size(const FilterSpec& spec, Kind kind, double bits_per_unit,
                           Result<FilterSize> (*size)(std::uint64_t capacity, double fp_rate),
                           unsigned (*best_probes)(double bits_per_key) noexcept, double counter_bits = 1);

/// k in 1..max_probes, units in 1..max_units, no parameter. Errors: kCorrupt naming the field.
Result<void> check_shape(const Shape& shape, unsigned max_probes, std::uint64_t max_units, const char* unit_name);

}  // namespace crivo

// From a spec to a shape, for kinds that are sized by a unit count and a number of probes.
#pragma once

#include "crivo/filter.h"
#include "crivo/sizing.h"

namespace crivo {

/// The spec's capacity lies in 1..kMaxCapacity. Errors: kBadArgument.
Result<void> check_capacity(std::uint64_t capacity);
/// A rate lies in (0, 1). Errors: kBadArgument.
Result<void> check_fp_rate(double fp_rate);
/// Both, and the rate is above capacity * 2^-64, where 64-bit hashes of different keys coincide too often. Errors:
/// kBadArgument.
Result<void> check_request(std::uint64_t capacity, double fp_rate);
/// Bits per key lie in (0, 1000]. Errors: kBadArgument.
Result<void> check_bits_per_key(double bits_per_key);

/// Sizes from spec.bits_per_key where it is given (units = ceil(capacity x bits / bits_per_unit)), else from
/// spec.fp_rate. A kind that stores counter_bits where the plain filter has one bit gets that many fewer of them.
Result<Shape> plan_by_size(const FilterSpec& spec, Kind kind, double bits_per_unit,
                           Result<FilterSize> (*size)(std::uint64_t capacity, double fp_rate),
                           unsigned (*best_probes)(double bits_per_key) noexcept, double counter_bits = 1);

/// k in 1..max_probes, units in 1..max_units, no parameter. Errors: kCorrupt naming the field.
Result<void> check_shape(const Shape& shape, unsigned max_probes, std::uint64_t max_units, const char* unit_name);

}  // namespace crivo

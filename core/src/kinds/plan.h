// From a spec to a shape and the check of a stored shape: for kinds that are sized by a unit count and a number of
// probes, and for those that are sized by a unit count and the bits of a fingerprint.
#pragma once

#include <optional>
#include <string_view>

#include "crivo/sizing.h"
#include "crivo/types.h"

namespace crivo {

/// An option that is a number from 1 on, in decimal digits; nothing if the text is no such number.
[[nodiscard]] std::optional<unsigned> parse_number(std::string_view text) noexcept;

/// Sizes from spec.bits_per_key where it is given (units = ceil(capacity x bits / bits_per_unit)), else from
/// spec.fp_rate. A kind that stores counter_bits where the plain filter has one bit gets that many fewer of them.
Result<Shape> plan_by_size(const FilterSpec& spec, Kind kind, double bits_per_unit,
                           Result<FilterSize> (*size)(std::uint64_t capacity, double fp_rate),
                           unsigned (*best_probes)(double bits_per_key) noexcept, double counter_bits = 1);

/// k in 1..max_probes, units in 1..max_units, no parameter. Errors: kCorrupt naming the field.
Result<void> check_shape(const Shape& shape, unsigned max_probes, std::uint64_t max_units, const char* unit_name);

/// What a kind of fingerprints allows in a shape.
struct FingerprintLimits {
  unsigned probes;
  unsigned min_bits;
  std::uint64_t min_units;
  std::uint64_t max_units;
  const char* unit_name;
};
/// k is exactly `probes`, f and units lie in their ranges. Errors: kCorrupt naming the field.
Result<void> check_fingerprint_shape(const Shape& shape, const FingerprintLimits& limits);

/// Sizes from spec.bits_per_key where it is given, else from spec.fp_rate.
Result<Shape> plan_fingerprints(const FilterSpec& spec, Kind kind, unsigned probes,
                                Result<FingerprintSize> (*size)(std::uint64_t capacity, double fp_rate),
                                Result<FingerprintSize> (*fit)(std::uint64_t capacity, double bits_per_key));

}  // namespace crivo

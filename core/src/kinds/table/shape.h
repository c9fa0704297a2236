// The shapes of the kinds that store fingerprints: planning and validation.
#pragma once

#include "crivo/types.h"
#include "kinds/table/sizes.h"

namespace crivo {

/// The limits of a kind that stores fingerprints.
struct FingerprintLimits {
  unsigned probes;
  unsigned min_bits;
  std::uint64_t min_units;
  std::uint64_t max_units;
  const char* unit_name;
};
/// Checks k (`probes`), the fingerprint bits and the units. Errors: kCorrupt naming the field.
Result<void> check_fingerprint_shape(const Shape& shape, const FingerprintLimits& limits);

/// Sizes by `fit` if spec.bits_per_key is set, else by `size`. Errors: kBadArgument.
Result<Shape> plan_fingerprints(const FilterSpec& spec, Kind kind, unsigned probes,
                                Result<FingerprintSize> (*size)(std::uint64_t capacity, double fp_rate),
                                Result<FingerprintSize> (*fit)(std::uint64_t capacity, double bits_per_key));

}  // namespace crivo

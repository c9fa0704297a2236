// Turns a spec into a shape, and checks a stored shape. There are two groups of kinds: those that are sized by a number
// of units and of probes, and those that are sized by a number of units and of fingerprint bits.
#pragma once

#include <optional>
#include <string_view>

#include "crivo/host/sizing.h"
#include "crivo/types.h"
#include "sizing/fingerprints.h"

namespace crivo {

/// Reads an option that is a number from 1 on, in decimal digits; returns no value for any other text.
[[nodiscard]] std::optional<unsigned> parse_number(std::string_view text) noexcept;

/// Sizes from spec.bits_per_key where it is given (units = ceil(capacity x bits / bits_per_unit)), else from
/// spec.fp_rate. A kind that stores counter_bits bits where the plain filter has one gets only 1 / counter_bits as many
/// units for bits_per_key.
Result<Shape> plan_by_size(const FilterSpec& spec, Kind kind, double bits_per_unit,
                           Result<FilterSize> (*size)(std::uint64_t capacity, double fp_rate),
                           unsigned (*best_probes)(double bits_per_key) noexcept, double counter_bits = 1);

/// Checks that k lies in 1..max_probes, that units lie in 1..max_units, and that there is no parameter. Errors:
/// kCorrupt naming the field.
Result<void> check_shape(const Shape& shape, unsigned max_probes, std::uint64_t max_units, const char* unit_name);

/// What a kind that stores fingerprints allows in a shape.
struct FingerprintLimits {
  unsigned probes;
  unsigned min_bits;
  std::uint64_t min_units;
  std::uint64_t max_units;
  const char* unit_name;
};
/// Checks that k is `probes`, and that the fingerprint bits and the units lie in their ranges. Errors: kCorrupt naming
/// the field.
Result<void> check_fingerprint_shape(const Shape& shape, const FingerprintLimits& limits);

/// Sizes from spec.bits_per_key where it is given, else from spec.fp_rate.
Result<Shape> plan_fingerprints(const FilterSpec& spec, Kind kind, unsigned probes,
                                Result<FingerprintSize> (*size)(std::uint64_t capacity, double fp_rate),
                                Result<FingerprintSize> (*fit)(std::uint64_t capacity, double bits_per_key));

/// What to do about a filter that is full: the end of such an error.
inline constexpr std::string_view kHowToGetRoom = "; give it a larger capacity, or take the kind scalable, which grows";

/// The error kTooLarge: these keys need more bytes than the limit allows.
[[nodiscard]] Error keys_too_large(std::uint64_t max_bytes, std::uint64_t keys, std::uint64_t needed);

}  // namespace crivo

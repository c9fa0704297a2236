#include "kinds/table/shape.h"

#include "base/error_text.h"
#include "kinds/table/packed_slots.h"

namespace crivo {

Result<void> check_fingerprint_shape(const Shape& shape, const FingerprintLimits& limits) {
  if (shape.probes != limits.probes) {
    return error(ErrorCode::kCorrupt, "k must be ", limits.probes, ", got ", unsigned{shape.probes});
  }
  if (shape.param < limits.min_bits || shape.param > kMaxFingerprintBits) {
    return error(ErrorCode::kCorrupt, "kind parameter (fingerprint bits) must lie in [", limits.min_bits, ", ",
                 kMaxFingerprintBits, "], got ", unsigned{shape.param});
  }
  if (shape.units < limits.min_units || shape.units > limits.max_units) {
    return error(ErrorCode::kCorrupt, limits.unit_name, " must lie in [", limits.min_units, ", ", limits.max_units,
                 "], got ", shape.units);
  }
  return {};
}

Result<Shape> plan_fingerprints(const FilterSpec& spec, Kind kind, unsigned probes,
                                Result<FingerprintSize> (*size)(std::uint64_t, double),
                                Result<FingerprintSize> (*fit)(std::uint64_t, double)) {
  const Result<FingerprintSize> sized =
      spec.bits_per_key ? fit(spec.capacity, *spec.bits_per_key) : size(spec.capacity, spec.fp_rate);
  if (!sized) return sized.error();
  Shape shape;
  shape.kind = kind;
  shape.seed = spec.seed;
  shape.probes = static_cast<std::uint8_t>(probes);
  shape.param = static_cast<std::uint16_t>(sized->bits);
  shape.units = sized->units;
  return shape;
}

}  // namespace crivo

#include "kinds/table/shape.h"

#include "base/error_text.h"
#include "kinds/table/packed_slots.h"

namespace crivo {

Result<void> check_fingerprint_shape(const Shape& shape, const FingerprintLimits& limits) {
  if (shape.k != limits.probes) return corrupt("k must be ", limits.probes, ", got ", unsigned{shape.k});
  if (shape.param < limits.min_bits || shape.param > kMaxFingerprintBits) {
    return corrupt("kind parameter (fingerprint bits) must be in [", limits.min_bits, ", ", kMaxFingerprintBits,
                   "], got ", unsigned{shape.param});
  }
  if (shape.units < limits.min_units || shape.units > limits.max_units) {
    return corrupt(limits.unit_name, " must be in [", limits.min_units, ", ", limits.max_units, "], got ", shape.units);
  }
  return {};
}

Result<Shape> plan_fingerprints(const FilterSpec& spec, Kind kind, unsigned probes,
                                Result<FingerprintSize> (*size)(std::uint64_t, double),
                                Result<FingerprintSize> (*fit)(std::uint64_t, double)) {
  const Result<FingerprintSize> sized =
      spec.bits_per_key ? fit(spec.capacity, *spec.bits_per_key) : size(spec.capacity, spec.fp_rate);
  if (!sized) return sized.error();
  return Shape{.kind = kind,
               .k = static_cast<std::uint8_t>(probes),
               .param = static_cast<std::uint16_t>(sized->bits),
               .units = sized->units,
               .seed = spec.seed};
}

}  // namespace crivo

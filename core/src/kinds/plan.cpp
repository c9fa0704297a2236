#include "kinds/plan.h"

#include <algorithm>
#include <cmath>

#include "base/error_text.h"
#include "crivo/host/text.h"
#include "layout/packed_slots.h"
#include "sizing/checks.h"

namespace crivo {

std::optional<unsigned> parse_number(std::string_view text) noexcept {
  const std::optional<unsigned> number = read_number<unsigned>(text);
  return number == 0U ? std::nullopt : number;
}

Result<Shape> plan_by_size(const FilterSpec& spec, Kind kind, double bits_per_unit,
                           Result<FilterSize> (*size)(std::uint64_t, double), unsigned (*best_probes)(double) noexcept,
                           double counter_bits) {
  Shape shape;
  shape.kind = kind;
  shape.seed = spec.seed;
  if (!spec.bits_per_key) {
    const Result<FilterSize> sized = size(spec.capacity, spec.fp_rate);
    if (!sized) return sized.error();
    shape.units = sized->units;
    shape.probes = static_cast<std::uint8_t>(sized->probes);
    return shape;
  }
  if (auto valid = check_capacity(spec.capacity); !valid) return valid.error();
  const double bits_per_key = *spec.bits_per_key;
  if (auto valid = check_bits_per_key(bits_per_key); !valid) return valid.error();
  const double cells_per_key = bits_per_key / counter_bits;
  const double units = std::ceil(static_cast<double>(spec.capacity) * cells_per_key / bits_per_unit);
  shape.units = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(units));
  shape.probes = static_cast<std::uint8_t>(best_probes(cells_per_key));
  return shape;
}

Result<void> check_shape(const Shape& shape, unsigned max_probes, std::uint64_t max_units, const char* unit_name) {
  if (shape.probes < 1 || shape.probes > max_probes) {
    return error(ErrorCode::kCorrupt, "k must lie in [1, ", max_probes, "], got ", unsigned{shape.probes});
  }
  if (shape.units < 1 || shape.units > max_units) {
    return error(ErrorCode::kCorrupt, unit_name, " must lie in [1, ", max_units, "], got ", shape.units);
  }
  if (shape.param != 0) return error(ErrorCode::kCorrupt, "kind parameter must be 0, got ", unsigned{shape.param});
  return {};
}

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

Error keys_too_large(std::uint64_t max_bytes, std::uint64_t keys, std::uint64_t needed) {
  return limit_error(ErrorCode::kTooLarge, needed, "capacity must fit in ", max_bytes, " bytes, got ", keys,
                     " keys, which need ", needed);
}

}  // namespace crivo

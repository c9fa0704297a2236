#include "kinds/bloom/shape.h"

#include <algorithm>
#include <cmath>

#include "base/error_text.h"
#include "kinds/checks.h"

namespace crivo {

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
    shape.k = static_cast<std::uint8_t>(sized->probes);
    return shape;
  }
  if (auto valid = check_capacity(spec.capacity); !valid) return valid.error();
  const double bits_per_key = *spec.bits_per_key;
  if (auto valid = check_bits_per_key(bits_per_key); !valid) return valid.error();
  const double cells_per_key = bits_per_key / counter_bits;
  const double units = std::ceil(static_cast<double>(spec.capacity) * cells_per_key / bits_per_unit);
  shape.units = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(units));
  shape.k = static_cast<std::uint8_t>(best_probes(cells_per_key));
  return shape;
}

Result<void> check_shape(const Shape& shape, unsigned max_probes, std::uint64_t max_units, const char* unit_name) {
  if (shape.k < 1 || shape.k > max_probes) {
    return corrupt("k must be in [1, ", max_probes, "], got ", unsigned{shape.k});
  }
  if (shape.units < 1 || shape.units > max_units) {
    return corrupt(unit_name, " must be in [1, ", max_units, "], got ", shape.units);
  }
  if (shape.param != 0) return corrupt("kind parameter must be 0, got ", unsigned{shape.param});
  return {};
}

}  // namespace crivo

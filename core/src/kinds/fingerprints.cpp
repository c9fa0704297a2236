#include "kinds/fingerprints.h"

#include "error_text.h"

namespace crivo {

std::uint64_t count_occupied(const std::byte* payload, std::uint64_t slots, unsigned bits) noexcept {
  std::uint64_t occupied = 0;
  for (std::uint64_t slot = 0; slot < slots; ++slot) occupied += load_slot(payload, slot, bits) != 0 ? 1 : 0;
  return occupied;
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

Result<void> check_packed_padding(const View& view, std::uint64_t slots) {
  const std::uint64_t bit = slots * view.shape.param;
  const std::byte* end = view.payload + view.payload_bytes;
  std::uint64_t padding = load_le<std::uint64_t>(end - 8);
  if (bit % 64 != 0) padding |= load_le<std::uint64_t>(end - 16) >> (bit % 64);
  if (padding == 0) return {};
  return error(ErrorCode::kCorrupt, "padding bits of the payload must be 0, got ", padding);
}

}  // namespace crivo

#include "crivo/host/scalable_layers.h"

#include <algorithm>

#include "kinds/bloom/layers.h"
#include "kinds/kind.h"

namespace crivo {

std::uint64_t scalable_layer_capacity(const FilterSpec& spec, unsigned index) noexcept {
  return layer_capacity(spec.capacity, spec.growth, index);
}

Result<FilterSize> size_scalable_layer(const FilterSpec& spec, unsigned index, std::uint64_t before_units) {
  FilterSpec scalable = spec;
  scalable.kind = Kind::kScalable;
  if (const Result<Shape> allowed = kScalable.plan(scalable); !allowed) return allowed.error();
  return size_layer(spec.fp_rate, spec.capacity, spec.growth, index, before_units);
}

AlignedBytes scalable_payload(const FilterSpec& spec, std::span<const ScalableLayer> layers) {
  AlignedBytes payload(static_cast<std::size_t>(scalable_shape(spec, layers).units * kBlockBytes));
  write_series(payload.data(), {spec.fp_rate, spec.capacity, static_cast<unsigned>(layers.size())});
  for (unsigned i = 0; i < layers.size(); ++i) {
    const std::uint64_t capacity = scalable_layer_capacity(spec, i);
    const bool newest = i + 1 == layers.size();
    const std::uint64_t least = i == 0 ? 0 : 1;  // a newer layer was created for a key
    const std::uint64_t keys = newest ? std::clamp(layers[i].keys, least, capacity) : capacity;
    write_layer(payload.data(), i, {keys, layers[i].units, layers[i].probes});
  }
  return payload;
}

Shape scalable_shape(const FilterSpec& spec, std::span<const ScalableLayer> layers) noexcept {
  Shape shape{.kind = Kind::kScalable,
              .k = layers.empty() ? std::uint8_t{0} : layers.front().probes,
              .param = static_cast<std::uint16_t>(spec.growth),
              .units = table_blocks(static_cast<unsigned>(layers.size())),
              .seed = spec.seed};
  for (const ScalableLayer& layer : layers) shape.units += layer.units;
  return shape;
}

}  // namespace crivo

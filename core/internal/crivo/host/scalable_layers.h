// The layers of a `scalable` filter, for hosts that store each layer separately: the size of the next layer, and the
// payload made of all layers (docs/format.md, "scalable").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "crivo/host/sizing.h"
#include "crivo/memory.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// The capacity of layer `index` (0, 1, ...): capacity * growth^index; 0 if the layer would exceed kMaxCapacity.
[[nodiscard]] std::uint64_t scalable_layer_capacity(const FilterSpec& spec, unsigned index) noexcept;

/// The blocks and probes of layer `index`. The layer has at least as many blocks as the layer before, `before_units` (0
/// for the first layer). Errors: kFull if there is no such layer; kBadArgument for an invalid capacity, rate or growth.
[[nodiscard]] Result<FilterSize> size_scalable_layer(const FilterSpec& spec, unsigned index,
                                                     std::uint64_t before_units);

/// A layer: a `blocked` filter of `units` blocks with `keys` keys.
struct ScalableLayer {
  std::uint64_t units = 0;
  std::uint8_t probes = 0;
  std::uint64_t keys = 0;
};

/// The payload of the scalable filter of these layers, oldest first, with zeroed blocks. The blocks follow the header
/// table, layer after layer, up to the payload's end. All layers but the newest are recorded as full. FilterRef::open
/// validates the payload.
[[nodiscard]] AlignedBytes scalable_payload(const FilterSpec& spec, std::span<const ScalableLayer> layers);

/// The shape of the scalable filter of these layers.
[[nodiscard]] Shape scalable_shape(const FilterSpec& spec, std::span<const ScalableLayer> layers) noexcept;

}  // namespace crivo

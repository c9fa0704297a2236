// The layers of a `scalable` filter, for whoever keeps them elsewhere than in one payload: how large the next one is,
// and how a payload is put together from them. docs/format.md, "scalable".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "crivo/host/sizing.h"
#include "crivo/memory.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// The keys that layer number `index` (0, 1, ...) of a filter of this spec takes: capacity * growth^index. 0 if that is
/// above kMaxCapacity: there is no such layer.
[[nodiscard]] std::uint64_t scalable_layer_capacity(const FilterSpec& spec, unsigned index) noexcept;

/// The blocks and probes of layer number `index`, which is at least as large as the layer before it, `before_units`
/// blocks (0 for the first). Errors: kFull if there is no such layer; kBadArgument for a capacity, rate or growth that
/// is not allowed.
[[nodiscard]] Result<FilterSize> size_scalable_layer(const FilterSpec& spec, unsigned index,
                                                     std::uint64_t before_units);

/// One layer: a `blocked` filter of so many blocks and probes, with so many keys in it.
struct ScalableLayer {
  std::uint64_t units = 0;
  std::uint8_t probes = 0;
  std::uint64_t keys = 0;
};

/// The payload of the scalable filter that these layers (oldest first) make, with their blocks still zero. The blocks
/// follow the table, layer after layer, so the first block lies at the payload's end minus the bytes of all layers.
/// What the format demands is checked when the filter is opened. An older layer is stated as full, whatever its keys.
[[nodiscard]] AlignedBytes scalable_payload(const FilterSpec& spec, std::span<const ScalableLayer> layers);

/// The shape of that filter, with the spec's seed.
[[nodiscard]] Shape scalable_shape(const FilterSpec& spec, std::span<const ScalableLayer> layers) noexcept;

}  // namespace crivo

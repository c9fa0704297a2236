#include "crivo/map.h"

#include <cassert>

#include "kinds/registry.h"

namespace crivo {

Result<MapRef> MapRef::of(const FilterRef& filter) {
  if (!filter.kind().can.find) return unsupported(filter.kind(), "finding values", &Capabilities::find);
  return MapRef(filter);
}

void MapRef::find_hashes(std::span<const std::uint64_t> hashes, std::span<std::uint64_t> values,
                         std::span<bool> found) const noexcept {
  assert(values.size() >= hashes.size() && found.size() >= hashes.size());
  filter_.probe_.find_batch(filter_.view_, hashes.data(), hashes.size(), values.data(), found.data());
}

}  // namespace crivo

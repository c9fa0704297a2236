// Hashes for a builder.
#pragma once

#include <cstdint>
#include <span>

#include "crivo/builder.h"

namespace crivo::c {

[[nodiscard]] inline Result<void> add_hashes(FilterBuilder& builder, std::span<const std::uint64_t> hashes) {
  for (const std::uint64_t hash : hashes) {
    if (auto added = builder.add_hash(hash); !added) return added;
  }
  return {};
}

}  // namespace crivo::c

// Rows of a ribbon on their way into its band: what add_bucket.inl.h hands to an instruction set's elimination.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout/ribbon_band.h"

namespace crivo {

inline constexpr std::size_t kRibbonRows = 32;

/// At most kRibbonRows rows whose starts lie in the same block of the band.
struct RibbonRows {
  std::size_t block;
  std::size_t count;
  alignas(64) std::uint64_t bits[kRibbonRows];   // at their slots modulo 64
  alignas(64) std::uint64_t shift[kRibbonRows];  // of the start in its block; falling
  alignas(64) std::uint64_t result[kRibbonRows];
};

}  // namespace crivo

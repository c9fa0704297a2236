// Rows that add_bucket.inl.h passes to the elimination of one instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kinds/ribbon/band.h"

namespace crivo {

/// The maximum number of rows that are eliminated together. (16, 24 and 40 were slower.)
inline constexpr std::size_t kRibbonRows = 32;

/// At most kRibbonRows rows whose starts are in the same block of the band.
struct RibbonRows {
  std::size_t block;  // counted from the band's first block
  std::size_t count;
  alignas(64) std::uint64_t bits[kRibbonRows];   // a slot's bit is at the slot's number modulo 64
  alignas(64) std::uint64_t shift[kRibbonRows];  // the start's number in its block, in descending order
  alignas(64) std::uint64_t result[kRibbonRows];
};

}  // namespace crivo

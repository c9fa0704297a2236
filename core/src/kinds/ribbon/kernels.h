// The kernels of ribbons of both widths, and of maps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/detail/view.h"
#include "kinds/ribbon/band.h"

namespace crivo {

/// Vector code processes kRibbonBatch keys of a batch query at a time. In a payload of at least kRibbonFarBytes, larger
/// than second-level caches, the query first prefetches all that these keys will read. In a ribbon of at least
/// kRibbonFartherBytes, larger than most caches, it also prefetches for the next batch.
inline constexpr std::size_t kRibbonBatch = 32;
inline constexpr std::size_t kRibbonFarBytes = std::size_t{1} << 22;
inline constexpr std::size_t kRibbonFartherBytes = std::size_t{1} << 25;

struct RibbonKernels {
  static const RibbonKernels kScalar, kAvx2, kAvx512, kNeon;
  Probe ribbon;
  Probe narrow_ribbon;
  Probe map;
  /// Adds a bucket's keys to the band, and bumps those that do not fit.
  RibbonBumped (*ribbon_add_bucket)(RibbonBand&, const RibbonBucket&) noexcept;
  RibbonBumped (*map_add_bucket)(RecordBand<HashedValue>&, const RecordBucket<HashedValue>&) noexcept;
  /// Solves the first `slots` slots of a block with the given rows and results. On entry, window[c] is column c of the
  /// solution at the 64 slots after these slots, with a slot's bit at the slot's number modulo 64. On return, window[c]
  /// is column c at the 64 slots from the block's first slot on. `window` must have a multiple of 8 elements, at least
  /// `columns`, because whole vectors are read and written.
  void (*ribbon_solve)(const std::uint64_t* rows, const std::uint32_t* results, std::size_t slots, unsigned columns,
                       std::uint64_t* window) noexcept;
};

}  // namespace crivo

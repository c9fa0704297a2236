// The kernels of the ribbon kind, for its two widths.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/detail/view.h"
#include "kinds/ribbon/band.h"

namespace crivo {

/// A batch of queries asks for kRibbonBatch keys at a time. If the payload has kRibbonFarBytes or more, which the
/// second-level cache does not hold, it first prefetches all that these keys will read; and from kRibbonFartherBytes
/// on, which no cache is likely to hold, also what the next ones will.
inline constexpr std::size_t kRibbonBatch = 32;
inline constexpr std::size_t kRibbonFarBytes = std::size_t{1} << 22;
inline constexpr std::size_t kRibbonFartherBytes = std::size_t{1} << 25;

struct RibbonKernels {
  static const RibbonKernels kScalar, kAvx2, kAvx512, kNeon;
  Probe ribbon;
  Probe narrow_ribbon;
  Probe map;
  /// Adds a bucket's keys to the band, and says which of them it bumped.
  RibbonBumped (*ribbon_add_bucket)(RibbonBand&, const RibbonBucket&) noexcept;
  RibbonBumped (*map_add_bucket)(RecordBand<HashedValue>&, const RecordBucket<HashedValue>&) noexcept;
  /// Solves the first `slots` slots of a block, whose rows and results are given. On entry window[c] holds column c of
  /// the solution at the 64 slots behind these, each slot's bit at the slot's number modulo 64; on return it holds
  /// column c at the 64 slots from the block's first slot on. `window` must have room for `columns` rounded up to a
  /// multiple of 8, since whole vectors are read and written.
  void (*ribbon_solve)(const std::uint64_t* rows, const std::uint32_t* results, std::size_t slots, unsigned columns,
                       std::uint64_t* window) noexcept;
};

}  // namespace crivo

// The kernels: inner loops that exist once per instruction set, behind one table of functions that is chosen once per
// process. The kernels of every level compute the same bits; tests compare each level with the scalar one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "simd/probe.h"

namespace crivo {

class RibbonBand;
struct RibbonBucket;
struct RibbonBumped;

/// The kernels of the kinds that are made of 512-bit blocks: blocked, and counting with four planes per block.
struct BlockedKernels {
  Probe blocked;
  void (*blocked_add)(const Shape&, std::byte* payload, const std::uint64_t* hashes, std::size_t count) noexcept;
  Probe counting;
};

/// The kernels of the ribbon kind, for its two widths. A band and its buckets: layout/ribbon_band.h.
struct RibbonKernels {
  Probe ribbon;
  Probe narrow_ribbon;
  /// Adds a bucket's keys to the band, and says which of them it bumped.
  RibbonBumped (*ribbon_add_bucket)(RibbonBand&, const RibbonBucket&) noexcept;
  /// Solves the first `slots` slots of a block, whose rows and results are given. On entry window[c] holds column c of
  /// the solution at the 64 slots behind these, each slot's bit at the slot's number modulo 64; on return it holds
  /// column c at the 64 slots from the block's first slot on. `window` must have room for `columns` rounded up to a
  /// multiple of 8, since whole vectors are read and written.
  void (*ribbon_solve)(const std::uint64_t* rows, const std::uint32_t* results, std::size_t slots, unsigned columns,
                       std::uint64_t* window) noexcept;
};

/// The kernels of the range kind.
struct RangeKernels {
  Probe range;
};

extern const BlockedKernels kBlockedScalar;
extern const RibbonKernels kRibbonScalar;
extern const RangeKernels kRangeScalar;
#if defined(__x86_64__)
extern const BlockedKernels kBlockedAvx2;
extern const BlockedKernels kBlockedAvx512;
extern const RibbonKernels kRibbonAvx2;
extern const RibbonKernels kRibbonAvx512;
extern const RangeKernels kRangeAvx2;
#elif defined(__AARCH64EL__)
extern const BlockedKernels kBlockedNeon;
extern const RibbonKernels kRibbonNeon;
#endif

/// A level: its kernels, its name, and whether this machine can run it.
struct Kernels : BlockedKernels, RibbonKernels, RangeKernels {
  std::string_view isa;
  bool (*supported)() noexcept;
};

/// The levels of this kind of machine, in ascending order: scalar is the first, and each includes those before it.
[[nodiscard]] std::span<const Kernels> all_kernels() noexcept;

/// Those of them that this machine can run.
[[nodiscard]] std::span<const Kernels> available_kernels() noexcept;

/// The value of the environment variable CRIVO_ISA (crivo/version.h); empty if it is not set.
[[nodiscard]] std::string_view isa_asked_for() noexcept;

/// The level in use: the best that this machine can run, or the one that CRIVO_ISA asks for. Any thread may call it.
[[nodiscard]] const Kernels& kernels() noexcept;

}  // namespace crivo

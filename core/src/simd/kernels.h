// The inner loops that exist once per instruction set, behind one object that is chosen once per process.
// Every level computes the same bits; tests compare each with scalar.
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

/// For filters of 512-bit blocks.
struct BlockedKernels {
  Probe blocked;
  void (*blocked_add)(const Shape&, std::byte* payload, const std::uint64_t* hashes, std::size_t count) noexcept;
  Probe counting;
};

struct RibbonKernels {
  Probe ribbon;
  RibbonBumped (*ribbon_add_bucket)(RibbonBand&, const RibbonBucket&) noexcept;
  /// The first `slots` slots of a block, with their rows and results. window[c] is column c of the 64 slots after them,
  /// each at its slot modulo 64; it becomes that of the 64 slots from the block's first on. Reads and writes a multiple
  /// of 8 columns.
  void (*ribbon_solve)(const std::uint64_t* rows, const std::uint32_t* results, std::size_t slots, unsigned columns,
                       std::uint64_t* window) noexcept;
};

extern const BlockedKernels kBlockedScalar;
extern const RibbonKernels kRibbonScalar;
#if defined(__x86_64__)
extern const BlockedKernels kBlockedAvx2;
extern const BlockedKernels kBlockedAvx512;
extern const RibbonKernels kRibbonAvx2;
extern const RibbonKernels kRibbonAvx512;
#endif

/// All kernels of one level.
struct Kernels : BlockedKernels, RibbonKernels {
  std::string_view isa;
};

/// The levels this machine can run, lowest (scalar) first.
[[nodiscard]] std::span<const Kernels> available_kernels() noexcept;

/// The level in use: the best available, or what CRIVO_ISA asks for.
[[nodiscard]] const Kernels& kernels() noexcept;

}  // namespace crivo

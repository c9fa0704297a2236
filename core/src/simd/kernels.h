// The inner loops that exist once per instruction set, behind one object that is chosen once per process.
// Every level computes the same bits; tests compare each with scalar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "probe.h"

namespace crivo {

class RibbonBand;
struct RibbonBucket;
struct RibbonBumped;

struct Kernels {
  std::string_view isa;
  Probe blocked;
  void (*blocked_add)(const Shape&, std::byte* payload, const std::uint64_t* hashes, std::size_t count) noexcept;
  Probe counting;
  Probe ribbon;
  RibbonBumped (*ribbon_add_bucket)(RibbonBand&, const RibbonBucket&) noexcept;
  /// The first `slots` slots of a block, with their rows and results. window[c] is column c of the 64 slots after them,
  /// each at its slot modulo 64; it becomes that of the 64 slots from the block's first on. Reads and writes a multiple
  /// of 8 columns.
  void (*ribbon_solve)(const std::uint64_t* rows, const std::uint32_t* results, std::size_t slots, unsigned columns,
                       std::uint64_t* window) noexcept;
};

extern const Kernels kScalarKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

/// The levels this machine can run, lowest first.
[[nodiscard]] std::span<const Kernels* const> available_kernels() noexcept;

/// The level in use: the best available, or what CRIVO_ISA asks for.
[[nodiscard]] const Kernels& kernels() noexcept;

}  // namespace crivo

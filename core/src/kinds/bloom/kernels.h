// The kernels of the kinds that are made of 512-bit blocks: blocked and its kin, and counting with four planes per
// block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kinds/isa.h"
#include "kinds/probe.h"

namespace crivo {

struct BlockedKernels {
  Probe blocked;
  void (*blocked_add)(const Shape&, std::byte* payload, const std::uint64_t* hashes, std::size_t count) noexcept;
  Probe counting;
};

extern const BlockedKernels kBlockedScalar;
#if defined(__x86_64__)
extern const BlockedKernels kBlockedAvx2;
extern const BlockedKernels kBlockedAvx512;
#elif defined(__AARCH64EL__)
extern const BlockedKernels kBlockedNeon;
#endif

/// The kernels of a level.
[[nodiscard]] const BlockedKernels& blocked_kernels(Isa isa) noexcept;
/// Those of the level in use.
[[nodiscard]] const BlockedKernels& blocked_kernels() noexcept;

}  // namespace crivo

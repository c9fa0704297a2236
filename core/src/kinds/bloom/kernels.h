// The kernels for 512-bit blocks: those of `blocked` (also used by `scalable` and `window`) and of `counting`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/detail/view.h"

namespace crivo {

struct BlockedKernels {
  static const BlockedKernels kScalar, kAvx2, kAvx512, kNeon;
  Probe blocked;
  void (*blocked_add)(const Shape&, std::byte* payload, const std::uint64_t* hashes, std::size_t count) noexcept;
  Probe counting;
};

}  // namespace crivo

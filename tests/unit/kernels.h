// The kernels of all families for one instruction set, and the instruction sets that this machine has.
#pragma once

#include <ostream>
#include <string_view>
#include <vector>

#include "kinds/bloom/kernels.h"
#include "kinds/isa.h"
#include "kinds/range/kernels.h"
#include "kinds/ribbon/kernels.h"

namespace crivo {

struct Kernels : BlockedKernels, RibbonKernels, RangeKernels {
  explicit Kernels(const IsaLevel& level)
      : BlockedKernels(kernels_of<BlockedKernels>(level.isa)),
        RibbonKernels(kernels_of<RibbonKernels>(level.isa)),
        RangeKernels(kernels_of<RangeKernels>(level.isa)),
        isa(level.name) {}
  std::string_view isa;
};

/// The first element is scalar.
[[nodiscard]] inline const std::vector<Kernels>& available_kernels() {
  static const std::vector<Kernels> kernels(available_isas().begin(), available_isas().end());
  return kernels;
}

/// GoogleTest shows this text in the names of tests.
inline void PrintTo(const Kernels& kernels, std::ostream* out) { *out << kernels.isa; }

}  // namespace crivo

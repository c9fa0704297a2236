// How GoogleTest shows a set of kernels in the names of tests: by its instruction set.
#pragma once

#include <ostream>

#include "simd/kernels.h"

namespace crivo {

inline void PrintTo(const Kernels& kernels, std::ostream* out) { *out << kernels.isa; }

}  // namespace crivo

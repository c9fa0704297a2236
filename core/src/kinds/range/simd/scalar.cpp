// The range kind without special instructions.
#include <algorithm>
#include <bit>

#include "crivo/ordered.h"
#include "kinds/isa.h"
#include "kinds/range/kernels.h"
#include "kinds/range/layout.h"

#define CRIVO_TARGET CRIVO_TARGET_SCALAR

namespace crivo {
namespace {

#include "kinds/range/simd/select_portable.inl.h"
// This include must follow select_bit(), which its functions call.
#include "kinds/range/simd/query.inl.h"

}  // namespace

const RangeKernels RangeKernels::kScalar = {.range = kRangeProbe};

}  // namespace crivo

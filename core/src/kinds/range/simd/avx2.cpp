// The range kind with POPCNT and PDEP, which the level avx2 requires (kinds/isa.h).
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>

#include "crivo/ordered.h"
#include "kinds/isa.h"
#include "kinds/range/kernels.h"
#include "kinds/range/layout.h"

#define CRIVO_TARGET CRIVO_TARGET_AVX2

namespace crivo {
namespace {

CRIVO_TARGET inline std::uint64_t select_bit(std::uint64_t word, std::uint64_t rank) noexcept {
  return static_cast<std::uint64_t>(__builtin_ctzll(_pdep_u64(std::uint64_t{1} << rank, word)));
}

#include "kinds/range/simd/query.inl.h"

}  // namespace

const RangeKernels RangeKernels::kAvx2 = {.range = kRangeProbe};

}  // namespace crivo

#endif

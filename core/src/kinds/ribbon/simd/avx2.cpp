// The ribbon kind with AVX2. A query tests eight columns at once, without a branch: it folds each column to four bits,
// and reads their parity from a constant. Building eliminates four rows per vector. Solving is portable code, compiled
// with AVX2.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <span>
#include <type_traits>
#include <utility>

#include "crivo/host/bytes.h"
#include "kinds/isa.h"
#include "kinds/probe_key.h"
#include "kinds/ribbon/kernels.h"
#include "kinds/ribbon/layout.h"

#define CRIVO_TARGET CRIVO_TARGET_AVX2

namespace crivo {
namespace {

#include "kinds/ribbon/simd/holds_portable.inl.h"

/// Bit i of the result is the parity of lane i.
CRIVO_TARGET inline unsigned parities(__m256i lanes) noexcept {
  __m256i fold = _mm256_xor_si256(lanes, _mm256_slli_epi32(lanes, 16));
  fold = _mm256_xor_si256(fold, _mm256_slli_epi32(fold, 8));
  fold = _mm256_xor_si256(fold, _mm256_slli_epi32(fold, 4));
  // The parity of a four-bit number n is bit 15 - n of 0x6996.
  const __m256i parity = _mm256_sllv_epi32(_mm256_set1_epi32(0x6996 << 16), _mm256_srli_epi32(fold, 28));
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(parity)));
}

/// Four columns of the solution, masked by the row.
CRIVO_TARGET inline __m256i four_columns(const RibbonEquation& equation, const SplitRow<kWideRibbon>& row,
                                         unsigned column) noexcept {
  const std::byte* words = equation.words + 8 * column;
  const __m256i here = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
  const __m256i next = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + 8 * equation.columns));
  return _mm256_xor_si256(_mm256_and_si256(here, _mm256_set1_epi64x(static_cast<long long>(row.here))),
                          _mm256_and_si256(next, _mm256_set1_epi64x(static_cast<long long>(row.next))));
}

/// Four columns from `first` on and four from `second` on, masked by the row. The two halves of each column are XORed,
/// so a column takes half a lane and has the same parity.
CRIVO_TARGET inline __m256i eight_columns(const RibbonEquation& equation, const SplitRow<kWideRibbon>& row,
                                          unsigned first, unsigned second) noexcept {
  const __m256 a = _mm256_castsi256_ps(four_columns(equation, row, first));
  const __m256 b = _mm256_castsi256_ps(four_columns(equation, row, second));
  const __m256i halves = _mm256_xor_si256(_mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)),   // the lower halves
                                          _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xDD)));  // the upper halves
  return _mm256_permute4x64_epi64(halves, 0xD8);  // restores the order after the shuffles
}
CRIVO_TARGET inline __m256i eight_columns(const RibbonEquation& equation, const SplitRow<kNarrowRibbon>& row,
                                          unsigned first, unsigned second) noexcept {
  const auto words_of = [&equation](unsigned column)
                            CRIVO_TARGET { return reinterpret_cast<const __m128i*>(equation.words + 4 * column); };
  const __m256i here = _mm256_loadu2_m128i(words_of(second), words_of(first));
  const __m256i next = _mm256_loadu2_m128i(words_of(equation.columns + second), words_of(equation.columns + first));
  return _mm256_xor_si256(_mm256_and_si256(here, _mm256_set1_epi32(static_cast<int>(row.here))),
                          _mm256_and_si256(next, _mm256_set1_epi32(static_cast<int>(row.next))));
}

template <unsigned kWidth>
CRIVO_TARGET inline bool eight_hold(const RibbonEquation& equation, const SplitRow<kWidth>& row, unsigned first,
                                    unsigned second) noexcept {
  const unsigned found = parities(eight_columns(equation, row, first, second));
  const unsigned wanted = (equation.fingerprint >> first & 15) | equation.fingerprint >> second << 4;
  return static_cast<std::uint8_t>(found ^ wanted) == 0;
}

CRIVO_TARGET inline unsigned eight_parities(const RibbonEquation& equation, const SplitRow<kWideRibbon>& row,
                                            unsigned first, unsigned second) noexcept {
  return parities(eight_columns(equation, row, first, second));
}

#include "kinds/ribbon/simd/holds_eight.inl.h"
#include "kinds/ribbon/simd/query.inl.h"
#include "kinds/ribbon/simd/values.inl.h"

using Lanes = __m256i;
using LaneMask = __m256i;
constexpr unsigned kLanes = 4;

CRIVO_TARGET inline Lanes load(const std::uint64_t* lanes) noexcept {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes));
}
CRIVO_TARGET inline Lanes broadcast(std::uint64_t word) noexcept {
  return _mm256_set1_epi64x(static_cast<long long>(word));
}
CRIVO_TARGET inline Lanes add_lanes(Lanes a, Lanes b) noexcept { return _mm256_add_epi64(a, b); }
CRIVO_TARGET inline Lanes or_lanes(Lanes a, Lanes b) noexcept { return _mm256_or_si256(a, b); }
CRIVO_TARGET inline LaneMask lanes_with_bit(Lanes lanes, Lanes bit) noexcept {
  return _mm256_cmpeq_epi64(_mm256_and_si256(lanes, bit), bit);
}
/// The lanes with the bit set, among those whose start is at most the slot.
CRIVO_TARGET inline LaneMask started_lanes_with_bit(Lanes lanes, Lanes bit, Lanes start, Lanes slot) noexcept {
  return _mm256_andnot_si256(_mm256_cmpgt_epi64(start, slot), lanes_with_bit(lanes, bit));
}
CRIVO_TARGET inline Lanes xor_where(LaneMask mask, Lanes lanes, Lanes row) noexcept {
  return _mm256_xor_si256(lanes, _mm256_and_si256(mask, row));
}
CRIVO_TARGET inline bool any(LaneMask mask) noexcept { return _mm256_testz_si256(mask, mask) == 0; }
CRIVO_TARGET inline bool is_zero(Lanes lanes) noexcept { return _mm256_testz_si256(lanes, lanes) != 0; }
CRIVO_TARGET inline std::uint64_t first_lane(Lanes lanes) noexcept {
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_castsi256_si128(lanes)));
}
/// Broadcasts the word of the first lane in the mask, which must not be empty.
CRIVO_TARGET inline Lanes broadcast_first(LaneMask mask, Lanes lanes) noexcept {
  const auto having = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(mask)));
  constexpr std::uint64_t kHalves = 0x2'0000'0002;  // 64-bit lane i is made of the 32-bit lanes 2 i and 2 i + 1
  const std::uint64_t halves = static_cast<unsigned>(std::countr_zero(having)) * kHalves + 0x1'0000'0000;
  return _mm256_permutevar8x32_epi32(lanes, broadcast(halves));
}

#include "kinds/ribbon/simd/eliminate_lanes.inl.h"
#include "kinds/ribbon/simd/solve_portable.inl.h"
// This include must follow eliminate(), which add_bucket() calls.
#include "kinds/ribbon/simd/add_bucket.inl.h"

}  // namespace

const RibbonKernels RibbonKernels::kAvx2 = {.ribbon = kRibbonProbe<kWideRibbon>,
                                            .narrow_ribbon = kRibbonProbe<kNarrowRibbon>,
                                            .map = kMapProbe,
                                            .ribbon_add_bucket = &add_bucket<std::uint64_t>,
                                            .map_add_bucket = &add_bucket<HashedValue>,
                                            .ribbon_solve = &solve};

}  // namespace crivo

#endif  // __x86_64__

// The ribbon kind with AVX2. A query takes four columns per step and finds their parities with a table of the number of
// ones in four bits. Building eliminates four rows per vector. Solving is the portable code, compiled for the
// instructions that come with AVX2.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <bit>

#include "crivo/host/bytes.h"
#include "layout/ribbon_layout.h"
#include "simd/kernels.h"
#include "simd/probe_key.h"
#include "simd/ribbon/rows.h"
#include "simd/target.h"

#define CRIVO_TARGET CRIVO_TARGET_AVX2

namespace crivo {
namespace {

/// Bit i of the result is set if the number of ones in 64-bit lane i is odd.
CRIVO_TARGET inline unsigned parities(__m256i lanes) noexcept {
  const __m256i bits_of = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                           0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i nibble = _mm256_set1_epi8(15);
  const __m256i low = _mm256_shuffle_epi8(bits_of, _mm256_and_si256(lanes, nibble));
  const __m256i high = _mm256_shuffle_epi8(bits_of, _mm256_and_si256(_mm256_srli_epi16(lanes, 4), nibble));
  const __m256i counts = _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_slli_epi64(counts, 63))));
}

/// The columns whose parity differs from the fingerprint's bit, as a bit mask: of the first 4 columns, or of all if
/// there are fewer.
CRIVO_TARGET inline unsigned wrong_columns(const std::byte* words, const std::byte* next_words, unsigned columns,
                                           const RibbonEquation& equation, unsigned fingerprint) noexcept {
  const __m256i mask =
      _mm256_cmpgt_epi64(_mm256_set1_epi64x(static_cast<long long>(columns)), _mm256_setr_epi64x(0, 1, 2, 3));
  const __m256i here = _mm256_maskload_epi64(reinterpret_cast<const long long*>(words), mask);
  const __m256i next = _mm256_maskload_epi64(reinterpret_cast<const long long*>(next_words), mask);
  // A shift by 64 gives 0: a start at a block's first slot has nothing in the next block.
  const __m256i solution =
      _mm256_or_si256(_mm256_srl_epi64(here, _mm_cvtsi32_si128(static_cast<int>(equation.shift))),
                      _mm256_sll_epi64(next, _mm_cvtsi32_si128(static_cast<int>(64 - equation.shift))));
  const __m256i row = _mm256_set1_epi64x(static_cast<long long>(equation.row));
  return (parities(_mm256_and_si256(solution, row)) ^ fingerprint) & _bzhi_u32(0xF, columns);
}

/// For equations of at most kFewColumns columns, which need no loop.
constexpr unsigned kFewColumns = 8;
CRIVO_TARGET inline bool holds_few(const RibbonEquation& equation) noexcept {
  const std::byte* next_words = equation.words + 8 * equation.columns;
  if (wrong_columns(equation.words, next_words, equation.columns, equation, equation.fingerprint) != 0) return false;
  return equation.columns <= 4 || wrong_columns(equation.words + 32, next_words + 32, equation.columns - 4, equation,
                                                equation.fingerprint >> 4) == 0;
}

CRIVO_TARGET inline bool holds(const RibbonEquation& equation) noexcept {
  const std::byte* next_words = equation.words + 8 * equation.columns;
  unsigned wrong = 0;
  for (unsigned column = 0; column < equation.columns && wrong == 0; column += 4) {
    wrong = wrong_columns(equation.words + 8 * column, next_words + 8 * column, equation.columns - column, equation,
                          equation.fingerprint >> column);
  }
  return wrong == 0;
}

#include "simd/ribbon/query.inl.h"

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
/// The lanes that have the bit set, among those whose start is at most the slot.
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
/// Every lane gets the word of the first lane that is in the mask; the mask must not be empty.
CRIVO_TARGET inline Lanes broadcast_first(LaneMask mask, Lanes lanes) noexcept {
  const auto having = static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(mask)));
  constexpr std::uint64_t kHalves = 0x2'0000'0002;  // 64-bit lane i is made of the 32-bit lanes 2 i and 2 i + 1
  const std::uint64_t halves = static_cast<unsigned>(std::countr_zero(having)) * kHalves + 0x1'0000'0000;
  return _mm256_permutevar8x32_epi32(lanes, broadcast(halves));
}

#include "simd/ribbon/eliminate_lanes.inl.h"
#include "simd/ribbon/solve_portable.inl.h"
// This include must follow eliminate(), which it calls.
#include "simd/ribbon/add_bucket.inl.h"

}  // namespace

const RibbonKernels kRibbonAvx2 = {
    .ribbon = {&contains_hash, &contains_key, &contains_batch, &contains_keys<&contains_batch>},
    .ribbon_add_bucket = &add_bucket,
    .ribbon_solve = &solve};

}  // namespace crivo

#endif  // __x86_64__

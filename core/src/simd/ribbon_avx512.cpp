// AVX-512: eight columns per step. Masked loads take the columns of the two blocks, a funnel shift the 64 bits from the
// start slot on, and a population count their parities.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>

#include "bytes.h"
#include "kinds/ribbon_layout.h"
#include "simd/ribbon_kernels.h"

#define CRIVO_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,bmi2")))

namespace crivo {
namespace {

/// The fingerprint bits that differ, of the first 8 columns or all there are.
CRIVO_TARGET inline unsigned wrong_columns(const std::byte* words, const std::byte* next_words, unsigned columns,
                                           const RibbonEquation& equation, unsigned fingerprint) noexcept {
  const auto mask = static_cast<__mmask8>(_bzhi_u32(0xFF, columns));
  const __m512i here = _mm512_maskz_loadu_epi64(mask, words);
  const __m512i next = _mm512_maskz_loadu_epi64(mask, next_words);
  const __m512i solution = _mm512_shrdv_epi64(here, next, _mm512_set1_epi64(equation.shift));
  const __m512i counts =
      _mm512_popcnt_epi64(_mm512_and_si512(solution, _mm512_set1_epi64(static_cast<long long>(equation.row))));
  return (_mm512_test_epi64_mask(counts, _mm512_set1_epi64(1)) ^ fingerprint) & mask;
}

CRIVO_TARGET inline bool holds(const RibbonEquation& equation) noexcept {
  const std::byte* next_words = equation.words + 8 * equation.columns;
  unsigned wrong = wrong_columns(equation.words, next_words, equation.columns, equation, equation.fingerprint);
  for (unsigned column = 8; column < equation.columns && wrong == 0; column += 8) {
    wrong = wrong_columns(equation.words + 8 * column, next_words + 8 * column, equation.columns - column, equation,
                          equation.fingerprint >> column);
  }
  return wrong == 0;
}

#include "simd/ribbon_query.inc"

}  // namespace

CRIVO_TARGET bool ribbon_contains_avx512(const View& view, std::uint64_t hash) noexcept { return contains(view, hash); }

CRIVO_TARGET void ribbon_contains_batch_avx512(const View& view, const std::uint64_t* hashes, std::size_t count,
                                               bool* hits) noexcept {
  contains_batch(view, hashes, count, hits);
}

}  // namespace crivo

#endif  // __x86_64__

// The ribbon kind with AVX-512. A query tests eight columns per step: it loads the columns of two blocks, joins the 64
// bits from the start slot on with a funnel shift, and gets the parities from a population count. Building eliminates
// eight rows per vector, and solving computes eight columns per vector.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "crivo/host/bytes.h"
#include "kinds/isa.h"
#include "kinds/probe_key.h"
#include "kinds/ribbon/kernels.h"
#include "kinds/ribbon/layout.h"

#define CRIVO_TARGET CRIVO_TARGET_AVX512

namespace crivo {
namespace {

/// The words of eight columns, or of the columns in the mask.
template <unsigned kWidth>
CRIVO_TARGET inline auto load_columns(const std::byte* words, __mmask8 mask = 0xFF) noexcept {
  if constexpr (kWidth == kWideRibbon) {
    return _mm512_maskz_loadu_epi64(mask, words);
  } else {
    return _mm256_maskz_loadu_epi32(mask, words);
  }
}

/// A mask of the columns, among the first `count` of eight, whose parity differs from the fingerprint's bit.
CRIVO_TARGET inline unsigned wrong_columns(const RibbonEquation& equation, unsigned fingerprint, unsigned count,
                                           __m512i here, __m512i next) noexcept {
  const __m512i solution = _mm512_shrdv_epi64(here, next, _mm512_set1_epi64(equation.shift));
  const __m512i row = _mm512_set1_epi64(static_cast<long long>(equation.row));
  const __m512i counts = _mm512_popcnt_epi64(_mm512_and_si512(solution, row));
  return _bzhi_u32(_mm512_movepi64_mask(_mm512_slli_epi64(counts, 63)) ^ fingerprint, count);
}
CRIVO_TARGET inline unsigned wrong_columns(const RibbonEquation& equation, unsigned fingerprint, unsigned count,
                                           __m256i here, __m256i next) noexcept {
  const __m256i solution = _mm256_shrdv_epi32(here, next, _mm256_set1_epi32(static_cast<int>(equation.shift)));
  const __m256i row = _mm256_set1_epi32(static_cast<int>(equation.row));
  const __m256i counts = _mm256_popcnt_epi32(_mm256_and_si256(solution, row));
  return _bzhi_u32(_mm256_movepi32_mask(_mm256_slli_epi32(counts, 31)) ^ fingerprint, count);
}

/// Tests at most kFewColumns columns. A masked load may touch a cache line that it does not need. Fastest if the
/// payload is in a cache.
constexpr unsigned kFewColumns = 8;
template <unsigned kWidth>
CRIVO_TARGET inline bool holds_few(const RibbonEquation& equation) noexcept {
  const unsigned columns = equation.columns;
  const auto mask = static_cast<__mmask8>(_bzhi_u32(0xFF, columns));
  const auto here = load_columns<kWidth>(equation.words, mask);
  const auto next = load_columns<kWidth>(equation.words + kWidth / 8 * columns, mask);
  return wrong_columns(equation, equation.fingerprint, columns, here, next) == 0;
}

/// The same for 4 to 8 columns, without touching a byte after the equation. A load would wait for that byte's cache
/// line, even in a masked lane.
template <unsigned kWidth>
CRIVO_TARGET inline bool holds_few_exactly(const RibbonEquation& equation) noexcept {
  const unsigned columns = equation.columns;
  const auto mask = static_cast<__mmask8>(0xFF << (8 - columns));
  const auto here = load_columns<kWidth>(equation.words);
  auto next = load_columns<kWidth>(equation.words + kWidth / 8 * (2 * columns - 8));  // only the last lanes are needed
  if constexpr (kWidth == kWideRibbon) {
    next = _mm512_maskz_compress_epi64(mask, next);
  } else {
    next = _mm256_maskz_compress_epi32(mask, next);
  }
  return wrong_columns(equation, equation.fingerprint, columns, here, next) == 0;
}

template <unsigned kWidth>
CRIVO_TARGET inline unsigned wrong_of_eight(const RibbonEquation& equation, unsigned first) noexcept {
  const std::byte* words = equation.words + kWidth / 8 * first;
  const auto next = load_columns<kWidth>(words + kWidth / 8 * equation.columns);
  return wrong_columns(equation, equation.fingerprint >> first, 8, load_columns<kWidth>(words), next);
}

/// For up to 16 columns, no branch depends on the key, because a mispredicted branch takes longer than the code that it
/// skips. If the number of columns is above eight and not a multiple of eight, some columns are tested twice.
template <unsigned kWidth>
CRIVO_TARGET inline bool holds(const RibbonEquation& equation) noexcept {
  if (equation.columns < 4) return holds_few<kWidth>(equation);
  if (equation.columns <= 8) return holds_few_exactly<kWidth>(equation);
  const unsigned last = equation.columns - 8;
  unsigned wrong = wrong_of_eight<kWidth>(equation, 0) | wrong_of_eight<kWidth>(equation, std::min(8U, last));
  for (unsigned column = 16; column < equation.columns && wrong == 0; column += 8) {
    wrong = wrong_of_eight<kWidth>(equation, std::min(column, last));
  }
  return wrong == 0;
}

/// The parities of eight columns from `first` on.
CRIVO_TARGET inline std::uint64_t eight_parities(const RibbonEquation& equation, unsigned first) noexcept {
  const std::byte* words = equation.words + 8 * first;
  const auto next = load_columns<kWideRibbon>(words + 8 * equation.columns);
  return std::uint64_t{wrong_columns(equation, 0, 8, load_columns<kWideRibbon>(words), next)} << first;
}

/// The parities of all columns of a map.
CRIVO_TARGET inline std::uint64_t columns_of(const RibbonEquation& equation) noexcept {
  const unsigned columns = equation.columns;
  if (columns <= kFewColumns) {
    const auto mask = static_cast<__mmask8>(_bzhi_u32(0xFF, columns));
    const auto here = load_columns<kWideRibbon>(equation.words, mask);
    const auto next = load_columns<kWideRibbon>(equation.words + 8 * columns, mask);
    return wrong_columns(equation, 0, columns, here, next);
  }
  const unsigned last = columns - 8;
  std::uint64_t result = eight_parities(equation, 0) | eight_parities(equation, std::min(8U, last));
  for (unsigned column = 16; column < columns; column += 8) result |= eight_parities(equation, std::min(column, last));
  return result;
}

#include "kinds/ribbon/simd/query.inl.h"
#include "kinds/ribbon/simd/values.inl.h"

using Lanes = __m512i;
using LaneMask = __mmask8;
constexpr unsigned kLanes = 8;

CRIVO_TARGET inline Lanes load(const std::uint64_t* lanes) noexcept { return _mm512_load_si512(lanes); }
CRIVO_TARGET inline Lanes broadcast(std::uint64_t word) noexcept {
  return _mm512_set1_epi64(static_cast<long long>(word));
}
CRIVO_TARGET inline Lanes add_lanes(Lanes a, Lanes b) noexcept { return _mm512_add_epi64(a, b); }
CRIVO_TARGET inline Lanes or_lanes(Lanes a, Lanes b) noexcept { return _mm512_or_si512(a, b); }
CRIVO_TARGET inline LaneMask lanes_with_bit(Lanes lanes, Lanes bit) noexcept {
  return _mm512_test_epi64_mask(lanes, bit);
}
/// The lanes with the bit set, among those whose start is at most the slot.
CRIVO_TARGET inline LaneMask started_lanes_with_bit(Lanes lanes, Lanes bit, Lanes start, Lanes slot) noexcept {
  return _mm512_mask_test_epi64_mask(_mm512_cmple_epi64_mask(start, slot), lanes, bit);
}
CRIVO_TARGET inline Lanes xor_where(LaneMask mask, Lanes lanes, Lanes row) noexcept {
  return _mm512_mask_xor_epi64(lanes, mask, lanes, row);
}
CRIVO_TARGET inline bool any(LaneMask mask) noexcept { return mask != 0; }
CRIVO_TARGET inline bool is_zero(Lanes lanes) noexcept { return _mm512_test_epi64_mask(lanes, lanes) == 0; }
CRIVO_TARGET inline std::uint64_t first_lane(Lanes lanes) noexcept {
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(lanes)));
}
/// Broadcasts the word of the first lane in the mask, which must not be empty.
CRIVO_TARGET inline Lanes broadcast_first(LaneMask mask, Lanes lanes) noexcept {
  return _mm512_broadcastq_epi64(_mm512_castsi512_si128(_mm512_maskz_compress_epi64(mask, lanes)));
}

#include "kinds/ribbon/simd/eliminate_lanes.inl.h"
// This include must follow eliminate(), which add_bucket() calls.
#include "kinds/ribbon/simd/add_bucket.inl.h"

// Each lane holds one column of the solution at the 64 slots after the current slot. The current slot's bit replaces
// the bit of the slot that is 64 slots later, which no remaining row reaches. (Two slots at once were slower.)
CRIVO_TARGET void solve(const std::uint64_t* rows, const std::uint32_t* results, std::size_t slots, unsigned columns,
                        std::uint64_t* window) noexcept {
  const __m512i first_columns = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  for (unsigned column = 0; column < columns; column += 8) {
    const __m512i shifts = _mm512_add_epi64(first_columns, _mm512_set1_epi64(column));
    __m512i solution = _mm512_loadu_si512(window + column);
    __m512i place = broadcast(slots);
    for (std::size_t slot = slots; slot-- > 0;) {
      place = _mm512_sub_epi64(place, broadcast(1));
      const __m512i bit = _mm512_sllv_epi64(broadcast(1), place);
      const __m512i row = _mm512_andnot_si512(bit, broadcast(rows[slot]));
      const __m512i result = _mm512_srlv_epi64(_mm512_set1_epi32(static_cast<int>(results[slot])), shifts);
      const __m512i sum = _mm512_xor_si512(_mm512_popcnt_epi64(_mm512_and_si512(solution, row)), result);
      solution = _mm512_ternarylogic_epi64(solution, _mm512_sllv_epi64(sum, place), bit, 0xD8);  // sets `bit` to sum
    }
    _mm512_storeu_si512(window + column, solution);
  }
}

}  // namespace

const RibbonKernels RibbonKernels::kAvx512 = {.ribbon = kRibbonProbe<kWideRibbon>,
                                              .narrow_ribbon = kRibbonProbe<kNarrowRibbon>,
                                              .map = kMapProbe,
                                              .ribbon_add_bucket = &add_bucket<std::uint64_t>,
                                              .map_add_bucket = &add_bucket<HashedValue>,
                                              .ribbon_solve = &solve};

}  // namespace crivo

#endif  // __x86_64__

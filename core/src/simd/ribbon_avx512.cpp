// AVX-512: eight columns per step. Masked loads take the columns of the two blocks, a funnel shift the 64 bits from the
// start slot on, and a population count their parities.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <bit>

#include "bytes.h"
#include "kinds/ribbon_layout.h"
#include "probe.h"
#include "simd/ribbon_kernels.h"

#define CRIVO_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,bmi2")))

namespace crivo {
namespace {

/// The fingerprint bits that differ, of at most 8 columns.
CRIVO_TARGET inline unsigned wrong_columns(const std::byte* words, const std::byte* next_words, unsigned columns,
                                           const RibbonEquation& equation, unsigned fingerprint) noexcept {
  const auto mask = static_cast<__mmask8>(_bzhi_u32(0xFF, columns));
  const __m512i here = _mm512_maskz_loadu_epi64(mask, words);
  const __m512i next = _mm512_maskz_loadu_epi64(mask, next_words);
  const __m512i solution = _mm512_shrdv_epi64(here, next, _mm512_set1_epi64(equation.shift));
  const __m512i counts =
      _mm512_popcnt_epi64(_mm512_and_si512(solution, _mm512_set1_epi64(static_cast<long long>(equation.row))));
  const unsigned parities = _mm512_movepi64_mask(_mm512_slli_epi64(counts, 63));
  return _bzhi_u32(parities ^ fingerprint, columns);
}

/// For equations of at most so many columns.
constexpr unsigned kFewColumns = 8;
CRIVO_TARGET inline bool holds_few(const RibbonEquation& equation) noexcept {
  const std::byte* next_words = equation.words + 8 * equation.columns;
  return wrong_columns(equation.words, next_words, equation.columns, equation, equation.fingerprint) == 0;
}

CRIVO_TARGET inline bool holds(const RibbonEquation& equation) noexcept {
  const std::byte* next_words = equation.words + 8 * equation.columns;
  unsigned wrong = 0;
  for (unsigned column = 0; column < equation.columns && wrong == 0; column += 8) {
    wrong = wrong_columns(equation.words + 8 * column, next_words + 8 * column, std::min(equation.columns - column, 8U),
                          equation, equation.fingerprint >> column);
  }
  return wrong == 0;
}

#include "simd/ribbon_query.inc"

/// Lane j of vector i: bit 8 i + j, the slot it stands for.
CRIVO_TARGET inline __m512i slot_bits(unsigned i) noexcept {
  return _mm512_slli_epi64(_mm512_setr_epi64(1, 2, 4, 8, 16, 32, 64, 128), 8 * i);
}

CRIVO_TARGET inline __m512i xor3(__m512i a, __m512i b, __m512i c) noexcept {
  return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}

/// XOR of all lanes of each: {first, second}.
CRIVO_TARGET inline __m128i xor_lanes(__m512i first, __m512i second) noexcept {
  const __m512i pairs = _mm512_xor_si512(_mm512_unpacklo_epi64(first, second), _mm512_unpackhi_epi64(first, second));
  const __m256i half = _mm256_xor_si256(_mm512_castsi512_si256(pairs), _mm512_extracti64x4_epi64(pairs, 1));
  return _mm_xor_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

/// XOR of the vectors of a block's rows whose lanes are in the masks.
CRIVO_TARGET inline __m512i xor_rows(const std::uint64_t* rows, const __mmask8* masks) noexcept {
  __m512i row[8];
  for (unsigned i = 0; i < 8; ++i) row[i] = _mm512_maskz_load_epi64(masks[i], rows + 8 * i);
  return xor3(xor3(row[0], row[1], row[2]), xor3(row[3], row[4], row[5]), _mm512_xor_si512(row[6], row[7]));
}

CRIVO_TARGET inline void reduce(const RibbonBlock& block, const RibbonBits& bits, RibbonRow& row) noexcept {
  const __m512i by = _mm512_set1_epi64(static_cast<long long>(row.here & block.pivots));
  __mmask8 masks[8];
  for (unsigned i = 0; i < 8; ++i) masks[i] = _mm512_test_epi64_mask(by, slot_bits(i));
  __m512i result[4];
  for (unsigned i = 0; i < 4; ++i) {
    result[i] = _mm512_maskz_load_epi32(_mm512_kunpackb(masks[2 * i + 1], masks[2 * i]), block.result + 16 * i);
  }
  const __m512i results = _mm512_xor_si512(xor3(result[0], result[1], result[2]), result[3]);
  const __m128i bits_of = xor_lanes(xor_rows(bits.here, masks), xor_rows(block.next, masks));
  const auto result_of = static_cast<std::uint64_t>(_mm_cvtsi128_si64(xor_lanes(results, results)));
  row.here ^= static_cast<std::uint64_t>(_mm_cvtsi128_si64(bits_of));
  row.next ^= static_cast<std::uint64_t>(_mm_extract_epi64(bits_of, 1));
  row.result ^= static_cast<std::uint32_t>(result_of ^ result_of >> 32);
}

// The pivot's own lane is 0 until now, and changes to the row as if it had a bit there. It is written with the others:
// a narrow store would stall the next row's wide loads.
CRIVO_TARGET inline void place(RibbonBlock& block, RibbonBits& bits, const RibbonRow& row, unsigned pivot) noexcept {
  const __m512i pivot_bit = _mm512_set1_epi64(static_cast<long long>(std::uint64_t{1} << pivot));
  const __m512i here = _mm512_set1_epi64(static_cast<long long>(row.here));
  const __m512i next = _mm512_set1_epi64(static_cast<long long>(row.next));
  const __m512i result = _mm512_set1_epi32(static_cast<int>(row.result));
  __mmask8 masks[8];
  for (unsigned i = 0; i < 8; ++i) {
    const __m512i old = _mm512_load_si512(bits.here + 8 * i);
    masks[i] = _mm512_test_epi64_mask(_mm512_or_si512(old, slot_bits(i)), pivot_bit);
    _mm512_store_si512(bits.here + 8 * i, _mm512_mask_xor_epi64(old, masks[i], old, here));
  }
  for (unsigned i = 0; i < 8; ++i) {
    const __m512i old = _mm512_load_si512(block.next + 8 * i);
    _mm512_store_si512(block.next + 8 * i, _mm512_mask_xor_epi64(old, masks[i], old, next));
  }
  for (unsigned i = 0; i < 4; ++i) {
    const __m512i old = _mm512_load_si512(block.result + 16 * i);
    const auto mask = _mm512_kunpackb(masks[2 * i + 1], masks[2 * i]);
    _mm512_store_si512(block.result + 16 * i, _mm512_mask_xor_epi32(old, mask, old, result));
  }
  block.pivots |= std::uint64_t{1} << pivot;
}

/// One column of a block: at each pivot its result plus the parity of its bits in the next block.
CRIVO_TARGET inline std::uint64_t solve_column(const RibbonBlock& block, unsigned column, std::uint64_t next) noexcept {
  const __m512i solution = _mm512_set1_epi64(static_cast<long long>(next));
  const __m512i one = _mm512_set1_epi64(1);
  const __m512i result_bit = _mm512_set1_epi32(static_cast<int>(1U << column));
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < kRibbonBlockSlots; i += 8) {
    const __m512i counts = _mm512_popcnt_epi64(_mm512_and_si512(_mm512_load_si512(block.next + i), solution));
    bits |= std::uint64_t{_mm512_test_epi64_mask(counts, one)} << i;
  }
  for (unsigned i = 0; i < kRibbonBlockSlots; i += 16) {
    bits ^= std::uint64_t{_mm512_test_epi32_mask(_mm512_load_si512(block.result + i), result_bit)} << i;
  }
  return bits;
}

#include "simd/ribbon_band.inc"

}  // namespace

CRIVO_TARGET bool ribbon_contains_avx512(const View& view, std::uint64_t hash) noexcept { return contains(view, hash); }

CRIVO_TARGET bool ribbon_contains_key_avx512(const View& view, std::string_view key) noexcept {
  if (key.size() > kShortKey) return contains_long_key<ribbon_contains_avx512>(view, key);
  return contains(view, hash_short_key(key, view.shape.seed));
}

CRIVO_TARGET void ribbon_contains_batch_avx512(const View& view, const std::uint64_t* hashes, std::size_t count,
                                               bool* hits) noexcept {
  contains_batch(view, hashes, count, hits);
}

CRIVO_TARGET RibbonBumped ribbon_add_bucket_avx512(RibbonBand& band, const RibbonBucket& bucket) noexcept {
  return add_bucket(band, bucket);
}

CRIVO_TARGET void ribbon_solve_avx512(const RibbonBlock& block, unsigned columns, std::uint64_t* window) noexcept {
  for (unsigned column = 0; column < columns; ++column) window[column] = solve_column(block, column, window[column]);
}

}  // namespace crivo

#endif  // __x86_64__

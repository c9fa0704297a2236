// AVX-512: the block is one register. Up to eight positions are one 256-bit multiply and a two-register permute; more
// are one 512-bit multiply. An addition builds its sixteen words in a register and ORs them in once. The counting kind
// is asked through the OR of its four planes.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>

#include "kinds/block.h"
#include "kinds/counter_block.h"
#include "simd/kernels.h"
#include "simd/ribbon_kernels.h"

#define CRIVO_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,bmi2")))

namespace crivo {
namespace {

CRIVO_AVX512 inline __m256i eight_positions(std::uint32_t seed) noexcept {
  const __m256i multipliers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kPositionMultipliers));
  return _mm256_srli_epi32(_mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(seed)), multipliers), kPositionShift);
}

CRIVO_AVX512 inline __m512i sixteen_positions(const BlockKey& key) noexcept {
  const __m512i multipliers =
      _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(kPositionMultipliers)));
  const __m512i seeds = _mm512_mask_set1_epi32(_mm512_set1_epi32(static_cast<int>(key.low_seed)), 0xFF00,
                                               static_cast<int>(key.high_seed));
  return _mm512_srli_epi32(_mm512_mullo_epi32(seeds, multipliers), kPositionShift);
}

/// Half a block: the OR of its planes.
template <std::size_t kPlanes>
CRIVO_AVX512 inline __m256i load_half(const std::byte* half) noexcept {
  __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(half));
  for (std::size_t plane = 1; plane < kPlanes; ++plane) {
    bits = _mm256_or_si256(bits, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(half + plane * kBlockBytes)));
  }
  return bits;
}

/// A block: the OR of its planes.
template <std::size_t kPlanes>
CRIVO_AVX512 inline __m512i load_block(const std::byte* block) noexcept {
  __m512i bits = _mm512_loadu_si512(block);
  for (std::size_t plane = 1; plane < kPlanes; ++plane) {
    bits = _mm512_or_si512(bits, _mm512_loadu_si512(block + plane * kBlockBytes));
  }
  return bits;
}

template <std::size_t kPlanes, bool kUpToEight>
CRIVO_AVX512 inline bool contains_inline(const View& view, std::uint64_t hash) noexcept {
  const BlockKey key(hash, view.shape.units);
  const std::byte* block = view.payload + key.block * (kPlanes * kBlockBytes);
  const unsigned wanted = (1U << view.shape.probes) - 1;
  if constexpr (kUpToEight) {
    const __m256i positions = eight_positions(key.low_seed);
    const __m256i low_words = load_half<kPlanes>(block);
    const __m256i high_words = load_half<kPlanes>(block + kBlockBytes / 2);
    const __m256i words = _mm256_permutex2var_epi32(low_words, _mm256_srli_epi32(positions, 5), high_words);
    const __m256i bits = _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_and_si256(positions, _mm256_set1_epi32(31)));
    return (_mm256_testn_epi32_mask(words, bits) & wanted) == 0;
  } else {
    const __m512i positions = sixteen_positions(key);
    const __m512i words = _mm512_permutexvar_epi32(_mm512_srli_epi32(positions, 5), load_block<kPlanes>(block));
    const __m512i bits = _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(positions, _mm512_set1_epi32(31)));
    return (_mm512_testn_epi32_mask(words, bits) & wanted) == 0;
  }
}

template <std::size_t kPlanes>
CRIVO_AVX512 bool contains(const View& view, std::uint64_t hash) noexcept {
  return view.shape.probes <= 8 ? contains_inline<kPlanes, true>(view, hash)
                                : contains_inline<kPlanes, false>(view, hash);
}

template <std::size_t kPlanes, bool kUpToEight>
CRIVO_AVX512 inline void batch_inline(const View& view, const std::uint64_t* hashes, std::size_t count,
                                      bool* hits) noexcept {
  constexpr std::size_t kAhead = 32;
  const View local = view;
  for (std::size_t from = 0; from < count; from += kAhead) {
    const std::size_t end = std::min(count, from + kAhead);
    for (std::size_t i = from; i < end; ++i) {
      prefetch_block<kPlanes>(local.payload, mulhi(hashes[i], local.shape.units));
    }
    for (std::size_t i = from; i < end; ++i) hits[i] = contains_inline<kPlanes, kUpToEight>(local, hashes[i]);
  }
}

template <std::size_t kPlanes>
CRIVO_AVX512 void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count,
                                 bool* hits) noexcept {
  if (view.shape.probes <= 8) {
    batch_inline<kPlanes, true>(view, hashes, count, hits);
  } else {
    batch_inline<kPlanes, false>(view, hashes, count, hits);
  }
}

CRIVO_AVX512 void add(const Shape& shape, std::byte* payload, const std::uint64_t* hashes, std::size_t count) noexcept {
  constexpr std::size_t kAhead = 16;
  const std::uint64_t blocks = shape.units;
  const unsigned probes = shape.probes;
  const __m512i word_numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) __builtin_prefetch(payload + mulhi(hashes[i + kAhead], blocks) * kBlockBytes, 1);
    const BlockKey key(hashes[i], blocks);
    std::byte* block = payload + key.block * kBlockBytes;
    __m512i mask = _mm512_setzero_si512();
    for (unsigned probe = 0; probe < probes; ++probe) {
      const unsigned position = key.position(probe);
      const __mmask16 word = _mm512_cmpeq_epi32_mask(word_numbers, _mm512_set1_epi32(static_cast<int>(position >> 5)));
      mask = _mm512_mask_or_epi32(mask, word, mask, _mm512_set1_epi32(static_cast<int>(1U << (position & 31))));
    }
    _mm512_storeu_si512(block, _mm512_or_si512(_mm512_loadu_si512(block), mask));
  }
}

}  // namespace

const Kernels kAvx512Kernels = {"avx512",
                                &contains<1>,
                                &contains_batch<1>,
                                &add,
                                &contains<kCounterPlanes>,
                                &contains_batch<kCounterPlanes>,
                                &ribbon_contains_avx512,
                                &ribbon_contains_batch_avx512,
                                &ribbon_add_bucket_avx512,
                                &ribbon_solve_avx512};

}  // namespace crivo

#endif  // __x86_64__

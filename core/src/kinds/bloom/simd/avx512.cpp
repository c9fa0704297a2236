// The blocked and counting kinds with AVX-512. A block fills one register. Up to eight positions need a 256-bit
// multiplication and a permutation of two registers; more need a 512-bit multiplication. An addition builds the block's
// sixteen words in a register and ORs them into memory once.
#if defined(__x86_64__)

#include <immintrin.h>

#include <array>
#include <utility>

#include "kinds/bloom/block.h"
#include "kinds/bloom/counter_block.h"
#include "kinds/bloom/kernels.h"
#include "kinds/isa.h"
#include "kinds/probe_key.h"

#define CRIVO_TARGET CRIVO_TARGET_AVX512

namespace crivo {
namespace {

#include "kinds/bloom/simd/half_blocks.inl.h"

CRIVO_TARGET inline __m512i sixteen_positions(const BlockKey& key) noexcept {
  const __m512i multipliers =
      _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(kPositionMultipliers)));
  const __m512i seeds = _mm512_mask_set1_epi32(_mm512_set1_epi32(static_cast<int>(key.low_seed)), 0xFF00,
                                               static_cast<int>(key.high_seed));
  return _mm512_srli_epi32(_mm512_mullo_epi32(seeds, multipliers), kPositionShift);
}

/// A block's bits: the OR of its planes.
template <std::size_t kPlanes>
CRIVO_TARGET inline __m512i load_block(const std::byte* block) noexcept {
  __m512i bits = _mm512_loadu_si512(block);
  for (std::size_t plane = 1; plane < kPlanes; ++plane) {
    bits = _mm512_or_si512(bits, _mm512_loadu_si512(block + plane * kBlockBytes));
  }
  return bits;
}

template <std::size_t kPlanes, bool kFew>
CRIVO_TARGET inline bool has_bits(const std::byte* block, const BlockKey& key, unsigned probes) noexcept {
  const unsigned wanted = (1U << probes) - 1;
  if constexpr (kFew) {
    const __m256i positions = eight_positions(key.low_seed);
    const __m256i low_words = load_half<kPlanes>(block);
    const __m256i high_words = load_half<kPlanes>(block + kBlockBytes / 2);
    const __m256i words = _mm256_permutex2var_epi32(low_words, _mm256_srli_epi32(positions, 5), high_words);
    const __m256i bits = _mm256_rorv_epi32(words, positions);  // rotates by the position modulo 32
    return (_mm256_testn_epi32_mask(bits, _mm256_set1_epi32(1)) & wanted) == 0;
  } else {
    const __m512i positions = sixteen_positions(key);
    const __m512i words = _mm512_permutexvar_epi32(_mm512_srli_epi32(positions, 5), load_block<kPlanes>(block));
    const __m512i bits = _mm512_rorv_epi32(words, positions);
    return (_mm512_testn_epi32_mask(bits, _mm512_set1_epi32(1)) & wanted) == 0;
  }
}

/// A block with the bits of the first kLanes positions set. Word w needs 1 << (position - 32 w). For a position in
/// another word, the count of this shift is below 0 or above 31, and a vector shift then gives 0. The positions go
/// through memory, because a vector addition can broadcast an operand from memory at no cost.
template <unsigned kLanes>
CRIVO_TARGET inline __m512i bits_of(const std::uint32_t* positions) noexcept {
  const __m512i minus_32w = _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                                               _mm512_set1_epi32(-32));
  const __m512i one = _mm512_set1_epi32(1);
  __m512i bits = _mm512_setzero_si512();
#pragma GCC unroll 16
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const __m512i in_word = _mm512_add_epi32(minus_32w, _mm512_set1_epi32(static_cast<int>(positions[lane])));
    bits = _mm512_or_si512(bits, _mm512_sllv_epi32(one, in_word));
  }
  return bits;
}

template <unsigned kProbes>
CRIVO_TARGET inline void set_bits(std::byte* block, const BlockKey& key, unsigned) noexcept {
  alignas(64) std::uint32_t positions[16];
  if constexpr (kProbes <= 8) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(positions), eight_positions(key.low_seed));
  } else {
    _mm512_store_si512(positions, sixteen_positions(key));
  }
  asm volatile("" : "+m"(positions));  // else the compiler extracts each position from the register with two shuffles
  _mm512_storeu_si512(block, _mm512_or_si512(_mm512_loadu_si512(block), bits_of<kProbes>(positions)));
}

#include "kinds/bloom/simd/loops.inl.h"

template <std::size_t... kProbes>
constexpr auto add_by_probes(std::index_sequence<kProbes...>) noexcept {
  return std::array{&add_hashes<&set_bits<kProbes>>...};
}

void add(const Shape& shape, std::byte* payload, const std::uint64_t* hashes, std::size_t count) noexcept {
  static constexpr auto kAdd = add_by_probes(std::make_index_sequence<kMaxBlockedProbes + 1>());
  kAdd[shape.k](shape, payload, hashes, count);
}

}  // namespace

const BlockedKernels BlockedKernels::kAvx512 = {
    .blocked = kProbe<1>, .blocked_add = &add, .counting = kProbe<kCounterPlanes>};

}  // namespace crivo

#endif  // __x86_64__

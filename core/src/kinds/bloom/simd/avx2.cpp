// The blocked and counting kinds with AVX2. One multiplication computes eight positions. A block fills two registers; a
// blend selects the register that has a position's word.
#if defined(__x86_64__)

#include <immintrin.h>

#include "kinds/bloom/block.h"
#include "kinds/bloom/counter_block.h"
#include "kinds/bloom/kernels.h"
#include "kinds/isa.h"
#include "kinds/probe_key.h"

#define CRIVO_TARGET CRIVO_TARGET_AVX2

namespace crivo {
namespace {

#include "kinds/bloom/simd/half_blocks.inl.h"

/// Sets each lane's sign bit to the block's bit at the lane's position.
CRIVO_TARGET inline __m256i test_positions(__m256i low_words, __m256i high_words, __m256i positions) noexcept {
  const __m256i word = _mm256_srli_epi32(positions, 5);  // permutevar8x32 uses the low three bits
  const __m256i from_low = _mm256_permutevar8x32_epi32(low_words, word);
  const __m256i from_high = _mm256_permutevar8x32_epi32(high_words, word);
  const __m256i in_high = _mm256_slli_epi32(positions, 23);  // bit 8 of the position, as the sign
  const __m256i words = _mm256_castps_si256(
      _mm256_blendv_ps(_mm256_castsi256_ps(from_low), _mm256_castsi256_ps(from_high), _mm256_castsi256_ps(in_high)));
  const __m256i to_sign = _mm256_andnot_si256(positions, _mm256_set1_epi32(31));  // 31 - (position mod 32)
  return _mm256_sllv_epi32(words, to_sign);
}

CRIVO_TARGET inline unsigned lanes_set(__m256i tested) noexcept {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(tested)));
}

template <std::size_t kPlanes, bool kFew>
CRIVO_TARGET inline bool has_bits(const std::byte* block, const BlockKey& key, unsigned probes) noexcept {
  const __m256i low_words = load_half<kPlanes>(block);
  const __m256i high_words = load_half<kPlanes>(block + kBlockBytes / 2);
  const unsigned wanted = (1U << probes) - 1;
  unsigned set = lanes_set(test_positions(low_words, high_words, eight_positions(key.low_seed)));
  if constexpr (!kFew) {
    set |= lanes_set(test_positions(low_words, high_words, eight_positions(key.high_seed))) << 8;
  }
  return (wanted & ~set) == 0;
}

/// Half a block with the bits of these positions set. Word w needs 1 << (position - 32 w). For a position in another
/// word, the count of this shift is below 0 or above 31, and a vector shift then gives 0.
CRIVO_TARGET inline __m256i bits_of(__m256i minus_32w, const std::uint32_t* positions, unsigned count) noexcept {
  __m256i bits = _mm256_setzero_si256();
  for (unsigned i = 0; i < count; ++i) {
    const __m256i in_word = _mm256_add_epi32(minus_32w, _mm256_set1_epi32(static_cast<int>(positions[i])));
    bits = _mm256_or_si256(bits, _mm256_sllv_epi32(_mm256_set1_epi32(1), in_word));
  }
  return bits;
}

CRIVO_TARGET inline void or_into(std::byte* half, __m256i bits) noexcept {
  auto* words = reinterpret_cast<__m256i*>(half);
  _mm256_storeu_si256(words, _mm256_or_si256(_mm256_loadu_si256(words), bits));
}

CRIVO_TARGET inline void set_bits(std::byte* block, const BlockKey& key, unsigned probes) noexcept {
  const __m256i low = _mm256_setr_epi32(0, -32, -64, -96, -128, -160, -192, -224);
  const __m256i high = _mm256_sub_epi32(low, _mm256_set1_epi32(256));
  alignas(32) std::uint32_t positions[16];
  _mm256_store_si256(reinterpret_cast<__m256i*>(positions), eight_positions(key.low_seed));
  if (probes > 8) _mm256_store_si256(reinterpret_cast<__m256i*>(positions + 8), eight_positions(key.high_seed));
  or_into(block, bits_of(low, positions, probes));
  or_into(block + kBlockBytes / 2, bits_of(high, positions, probes));
}

#include "kinds/bloom/simd/loops.inl.h"

}  // namespace

const BlockedKernels BlockedKernels::kAvx2 = {
    .blocked = kProbe<1>, .blocked_add = &add_hashes<&set_bits>, .counting = kProbe<kCounterPlanes>};

}  // namespace crivo

#endif  // __x86_64__

// The blocked and counting kinds with AVX2. One multiplication gives eight positions. A block fills two registers, and
// a blend picks for each position the register that has its word. A counting block is asked through the OR of its four
// planes: a counter is above 0 where one of its bits is set.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>

#include "layout/block.h"
#include "layout/counter_block.h"
#include "simd/kernels.h"
#include "simd/probe_key.h"
#include "simd/target.h"

namespace crivo {
namespace {

/// The positions of eight probes, one in each lane.
CRIVO_TARGET_AVX2 inline __m256i eight_positions(std::uint32_t seed) noexcept {
  const __m256i multipliers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kPositionMultipliers));
  return _mm256_srli_epi32(_mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(seed)), multipliers), kPositionShift);
}

/// Each lane's sign bit tells whether the bit at the lane's position is set in the block.
CRIVO_TARGET_AVX2 inline __m256i test_positions(__m256i low_words, __m256i high_words, __m256i positions) noexcept {
  const __m256i word = _mm256_srli_epi32(positions, 5);  // permutevar8x32 uses its low three bits
  const __m256i from_low = _mm256_permutevar8x32_epi32(low_words, word);
  const __m256i from_high = _mm256_permutevar8x32_epi32(high_words, word);
  const __m256i in_high = _mm256_slli_epi32(positions, 23);  // bit 8 of the position, as the sign
  const __m256i words = _mm256_castps_si256(
      _mm256_blendv_ps(_mm256_castsi256_ps(from_low), _mm256_castsi256_ps(from_high), _mm256_castsi256_ps(in_high)));
  const __m256i to_sign = _mm256_andnot_si256(positions, _mm256_set1_epi32(31));  // 31 - (position mod 32)
  return _mm256_sllv_epi32(words, to_sign);
}

CRIVO_TARGET_AVX2 inline unsigned lanes_set(__m256i tested) noexcept {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(tested)));
}

/// Half a block's bits: the OR of the half's planes.
template <std::size_t kPlanes>
CRIVO_TARGET_AVX2 inline __m256i load_half(const std::byte* half) noexcept {
  __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(half));
  for (std::size_t plane = 1; plane < kPlanes; ++plane) {
    bits = _mm256_or_si256(bits, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(half + plane * kBlockBytes)));
  }
  return bits;
}

template <std::size_t kPlanes>
CRIVO_TARGET_AVX2 inline bool contains_inline(const View& view, std::uint64_t hash) noexcept {
  const BlockKey key(hash, view.shape.units);
  const std::byte* block = view.payload + key.block * (kPlanes * kBlockBytes);
  const __m256i low_words = load_half<kPlanes>(block);
  const __m256i high_words = load_half<kPlanes>(block + kBlockBytes / 2);
  const unsigned wanted = (1U << view.shape.probes) - 1;
  unsigned set = lanes_set(test_positions(low_words, high_words, eight_positions(key.low_seed)));
  if (view.shape.probes > 8) {
    set |= lanes_set(test_positions(low_words, high_words, eight_positions(key.high_seed))) << 8;
  }
  return (wanted & ~set) == 0;
}

template <std::size_t kPlanes>
CRIVO_TARGET_AVX2 bool contains(const View& view, std::uint64_t hash) noexcept {
  return contains_inline<kPlanes>(view, hash);
}

template <std::size_t kPlanes>
CRIVO_TARGET_AVX2 bool contains_key(const View& view, std::string_view key) noexcept {
  if (key.size() > kShortKey) return contains_long_key<&contains<kPlanes>>(view, key);
  const std::uint64_t hash = hash_short_key(key, view.shape.seed);
  return contains_inline<kPlanes>(view, hash);
}

template <std::size_t kPlanes>
CRIVO_TARGET_AVX2 void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count,
                                      bool* hits) noexcept {
  constexpr std::size_t kAhead = 32;
  const View local = view;
  for (std::size_t from = 0; from < count; from += kAhead) {
    const std::size_t end = std::min(count, from + kAhead);
    for (std::size_t i = from; i < end; ++i) {
      prefetch_block<kPlanes>(local.payload, mulhi(hashes[i], local.shape.units));
    }
    for (std::size_t i = from; i < end; ++i) hits[i] = contains_inline<kPlanes>(local, hashes[i]);
  }
}

/// Half a block with the bits of these positions set. Word w of it needs 1 << (position - 32 w). For a position in
/// another word that is 0, because a vector shift gives 0 for counts below 0 or above 31.
CRIVO_TARGET_AVX2 inline __m256i bits_of(__m256i minus_32w, const std::uint32_t* positions, unsigned count) noexcept {
  __m256i bits = _mm256_setzero_si256();
  for (unsigned i = 0; i < count; ++i) {
    const __m256i in_word = _mm256_add_epi32(minus_32w, _mm256_set1_epi32(static_cast<int>(positions[i])));
    bits = _mm256_or_si256(bits, _mm256_sllv_epi32(_mm256_set1_epi32(1), in_word));
  }
  return bits;
}

CRIVO_TARGET_AVX2 inline void or_into(std::byte* half, __m256i bits) noexcept {
  auto* words = reinterpret_cast<__m256i*>(half);
  _mm256_storeu_si256(words, _mm256_or_si256(_mm256_loadu_si256(words), bits));
}

CRIVO_TARGET_AVX2 void add(const Shape& shape, std::byte* payload, const std::uint64_t* hashes,
                           std::size_t count) noexcept {
  constexpr std::size_t kAhead = 16;
  const std::uint64_t blocks = shape.units;
  const unsigned probes = shape.probes;
  const __m256i low = _mm256_setr_epi32(0, -32, -64, -96, -128, -160, -192, -224);
  const __m256i high = _mm256_sub_epi32(low, _mm256_set1_epi32(256));
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) __builtin_prefetch(payload + mulhi(hashes[i + kAhead], blocks) * kBlockBytes, 1);
    const BlockKey key(hashes[i], blocks);
    std::byte* block = payload + key.block * kBlockBytes;
    alignas(32) std::uint32_t positions[16];
    _mm256_store_si256(reinterpret_cast<__m256i*>(positions), eight_positions(key.low_seed));
    if (probes > 8) _mm256_store_si256(reinterpret_cast<__m256i*>(positions + 8), eight_positions(key.high_seed));
    or_into(block, bits_of(low, positions, probes));
    or_into(block + kBlockBytes / 2, bits_of(high, positions, probes));
  }
}

template <std::size_t kPlanes>
constexpr Probe kProbe = {&contains<kPlanes>, &contains_key<kPlanes>, &contains_batch<kPlanes>};

}  // namespace

const BlockedKernels kBlockedAvx2 = {.blocked = kProbe<1>, .blocked_add = &add, .counting = kProbe<kCounterPlanes>};

}  // namespace crivo

#endif  // __x86_64__

// The blocked and counting kinds with AVX-512. A block fills one register. Up to eight positions take one 256-bit
// multiplication and a permutation of two registers; more positions take one 512-bit multiplication. An addition builds
// the block's sixteen words in a register and ORs them into memory once. A counting block is asked through the OR of
// its four planes: a counter is above 0 where one of its bits is set.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <utility>

#include "crivo/sizing.h"
#include "layout/block.h"
#include "layout/counter_block.h"
#include "simd/kernels.h"
#include "simd/probe_key.h"
#include "simd/target.h"

namespace crivo {
namespace {

CRIVO_TARGET_AVX512 inline __m256i eight_positions(std::uint32_t seed) noexcept {
  const __m256i multipliers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kPositionMultipliers));
  return _mm256_srli_epi32(_mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(seed)), multipliers), kPositionShift);
}

CRIVO_TARGET_AVX512 inline __m512i sixteen_positions(const BlockKey& key) noexcept {
  const __m512i multipliers =
      _mm512_broadcast_i64x4(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(kPositionMultipliers)));
  const __m512i seeds = _mm512_mask_set1_epi32(_mm512_set1_epi32(static_cast<int>(key.low_seed)), 0xFF00,
                                               static_cast<int>(key.high_seed));
  return _mm512_srli_epi32(_mm512_mullo_epi32(seeds, multipliers), kPositionShift);
}

/// Half a block's bits: the OR of the half's planes.
template <std::size_t kPlanes>
CRIVO_TARGET_AVX512 inline __m256i load_half(const std::byte* half) noexcept {
  __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(half));
  for (std::size_t plane = 1; plane < kPlanes; ++plane) {
    bits = _mm256_or_si256(bits, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(half + plane * kBlockBytes)));
  }
  return bits;
}

/// A block's bits: the OR of its planes.
template <std::size_t kPlanes>
CRIVO_TARGET_AVX512 inline __m512i load_block(const std::byte* block) noexcept {
  __m512i bits = _mm512_loadu_si512(block);
  for (std::size_t plane = 1; plane < kPlanes; ++plane) {
    bits = _mm512_or_si512(bits, _mm512_loadu_si512(block + plane * kBlockBytes));
  }
  return bits;
}

template <std::size_t kPlanes, bool kUpToEight>
CRIVO_TARGET_AVX512 inline bool contains_inline(const View& view, std::uint64_t hash) noexcept {
  const BlockKey key(hash, view.shape.units);
  const std::byte* block = view.payload + key.block * (kPlanes * kBlockBytes);
  const unsigned wanted = (1U << view.shape.probes) - 1;
  if constexpr (kUpToEight) {
    const __m256i positions = eight_positions(key.low_seed);
    const __m256i low_words = load_half<kPlanes>(block);
    const __m256i high_words = load_half<kPlanes>(block + kBlockBytes / 2);
    const __m256i words = _mm256_permutex2var_epi32(low_words, _mm256_srli_epi32(positions, 5), high_words);
    const __m256i bits = _mm256_rorv_epi32(words, positions);  // by positions modulo 32: those in the word
    return (_mm256_testn_epi32_mask(bits, _mm256_set1_epi32(1)) & wanted) == 0;
  } else {
    const __m512i positions = sixteen_positions(key);
    const __m512i words = _mm512_permutexvar_epi32(_mm512_srli_epi32(positions, 5), load_block<kPlanes>(block));
    const __m512i bits = _mm512_rorv_epi32(words, positions);
    return (_mm512_testn_epi32_mask(bits, _mm512_set1_epi32(1)) & wanted) == 0;
  }
}

template <std::size_t kPlanes>
CRIVO_TARGET_AVX512 bool contains(const View& view, std::uint64_t hash) noexcept {
  return view.shape.probes <= 8 ? contains_inline<kPlanes, true>(view, hash)
                                : contains_inline<kPlanes, false>(view, hash);
}

template <std::size_t kPlanes>
CRIVO_TARGET_AVX512 bool contains_key(const View& view, std::string_view key) noexcept {
  if (key.size() > kShortKey) return contains_long_key<&contains<kPlanes>>(view, key);
  const std::uint64_t hash = hash_short_key(key, view.shape.seed);
  return view.shape.probes <= 8 ? contains_inline<kPlanes, true>(view, hash)
                                : contains_inline<kPlanes, false>(view, hash);
}

template <std::size_t kPlanes, bool kUpToEight>
CRIVO_TARGET_AVX512 inline void batch_inline(const View& view, const std::uint64_t* hashes, std::size_t count,
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
CRIVO_TARGET_AVX512 void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count,
                                        bool* hits) noexcept {
  if (view.shape.probes <= 8) {
    batch_inline<kPlanes, true>(view, hashes, count, hits);
  } else {
    batch_inline<kPlanes, false>(view, hashes, count, hits);
  }
}

/// A block with the bits of the first kLanes positions set. Word w needs 1 << (position - 32 w). For a position in
/// another word that is 0, because a vector shift gives 0 for counts below 0 or above 31. The positions go through
/// memory, because the addition can broadcast a number from there at no cost.
template <unsigned kLanes>
CRIVO_TARGET_AVX512 inline __m512i bits_of(const std::uint32_t* positions) noexcept {
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
CRIVO_TARGET_AVX512 void add_probes(std::uint64_t blocks, std::byte* payload, const std::uint64_t* hashes,
                                    std::size_t count) noexcept {
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) __builtin_prefetch(payload + mulhi(hashes[i + kAhead], blocks) * kBlockBytes, 1);
    const BlockKey key(hashes[i], blocks);
    std::byte* block = payload + key.block * kBlockBytes;
    alignas(64) std::uint32_t positions[16];
    if constexpr (kProbes <= 8) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(positions), eight_positions(key.low_seed));
    } else {
      _mm512_store_si512(positions, sixteen_positions(key));
    }
    asm volatile("" : "+m"(positions));  // else the compiler takes each position from the register, with two shuffles
    _mm512_storeu_si512(block, _mm512_or_si512(_mm512_loadu_si512(block), bits_of<kProbes>(positions)));
  }
}

template <std::size_t... kProbes>
constexpr auto add_by_probes(std::index_sequence<kProbes...>) noexcept {
  return std::array{&add_probes<kProbes>...};
}

void add(const Shape& shape, std::byte* payload, const std::uint64_t* hashes, std::size_t count) noexcept {
  static constexpr auto kAdd = add_by_probes(std::make_index_sequence<kMaxBlockedProbes + 1>());
  kAdd[shape.probes](shape.units, payload, hashes, count);
}

template <std::size_t kPlanes>
constexpr Probe kProbe = {&contains<kPlanes>, &contains_key<kPlanes>, &contains_batch<kPlanes>};

}  // namespace

const BlockedKernels kBlockedAvx512 = {.blocked = kProbe<1>, .blocked_add = &add, .counting = kProbe<kCounterPlanes>};

}  // namespace crivo

#endif  // __x86_64__

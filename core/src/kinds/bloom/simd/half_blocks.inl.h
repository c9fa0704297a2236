// Code that AVX2 and AVX-512 share, for blocks in 256-bit registers. The including file must define CRIVO_TARGET
// (kinds/isa.h), and include <immintrin.h>, kinds/bloom/block.h and kinds/bloom/counter_block.h. Defines
// eight_positions() and load_half().

/// The positions of eight probes, one per lane.
CRIVO_TARGET inline __m256i eight_positions(std::uint32_t seed) noexcept {
  const __m256i multipliers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kPositionMultipliers));
  return _mm256_srli_epi32(_mm256_mullo_epi32(_mm256_set1_epi32(static_cast<int>(seed)), multipliers), kPositionShift);
}

/// Half a block's bits: the OR of the half's planes.
template <std::size_t kPlanes>
CRIVO_TARGET inline __m256i load_half(const std::byte* half) noexcept {
  __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(half));
  for (std::size_t plane = 1; plane < kPlanes; ++plane) {
    bits = _mm256_or_si256(bits, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(half + plane * kBlockBytes)));
  }
  return bits;
}

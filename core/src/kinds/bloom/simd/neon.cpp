// The blocked and counting kinds with NEON. Four registers hold a block; one table lookup selects the bytes of eight
// positions. Additions use portable code, because spreading bits over four registers would take longer.
#if defined(__AARCH64EL__)

#include <arm_neon.h>

#include "kinds/bloom/block.h"
#include "kinds/bloom/counter_block.h"
#include "kinds/bloom/kernels.h"
#include "kinds/isa.h"
#include "kinds/probe_key.h"

#define CRIVO_TARGET CRIVO_TARGET_NEON

namespace crivo {
namespace {

/// A block's bits: the OR of its planes.
template <std::size_t kPlanes>
inline uint8x16x4_t load_block(const std::byte* block) noexcept {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(block);
  uint8x16x4_t bits = vld1q_u8_x4(bytes);
  for (std::size_t plane = 1; plane < kPlanes; ++plane) {
    const uint8x16x4_t more = vld1q_u8_x4(bytes + plane * kBlockBytes);
    for (int i = 0; i < 4; ++i) bits.val[i] = vorrq_u8(bits.val[i], more.val[i]);
  }
  return bits;
}

/// The positions of eight probes, each in the upper nine bits of a lane.
inline uint16x8_t eight_positions(std::uint32_t seed) noexcept {
  const uint32x4_t first = vmulq_n_u32(vld1q_u32(kPositionMultipliers), seed);
  const uint32x4_t second = vmulq_n_u32(vld1q_u32(kPositionMultipliers + 4), seed);
  return vuzp2q_u16(vreinterpretq_u16_u32(first), vreinterpretq_u16_u32(second));
}

/// A byte per probe, nonzero if the block lacks the probe's bit.
inline std::uint64_t missing(const uint8x16x4_t& block, std::uint32_t seed) noexcept {
  const uint16x8_t positions = eight_positions(seed);
  const uint8x8_t bytes = vqtbl4_u8(block, vshr_n_u8(vshrn_n_u16(positions, 8), 2));
  const uint8x8_t in_byte = vand_u8(vshrn_n_u16(positions, 7), vdup_n_u8(7));
  const uint8x8_t bits = vshl_u8(vdup_n_u8(1), vreinterpret_s8_u8(in_byte));
  return vget_lane_u64(vreinterpret_u64_u8(vbic_u8(bits, bytes)), 0);
}

template <std::size_t kPlanes, bool kFew>
inline bool has_bits(const std::byte* block, const BlockKey& key, unsigned probes) noexcept {
  const uint8x16x4_t bits = load_block<kPlanes>(block);
  if constexpr (kFew) return missing(bits, key.low_seed) << (64 - 8 * probes) == 0;
  return (missing(bits, key.low_seed) | missing(bits, key.high_seed) << (128 - 8 * probes)) == 0;
}

#include "kinds/bloom/simd/loops.inl.h"
#include "kinds/bloom/simd/set_bits_portable.inl.h"

}  // namespace

const BlockedKernels BlockedKernels::kNeon = {
    .blocked = kProbe<1>, .blocked_add = &add_hashes<&set_bits>, .counting = kProbe<kCounterPlanes>};

}  // namespace crivo

#endif  // __AARCH64EL__

// The ribbon kind with NEON. A query tests eight columns at once, without a branch: it counts the ones in each byte,
// and adds neighbours until one byte per column is left. The lowest bit of this byte is the parity. Building eliminates
// two rows per vector, and solving computes eight columns at once.
#if defined(__AARCH64EL__)

#include <arm_neon.h>

#include <algorithm>
#include <bit>
#include <span>
#include <type_traits>
#include <utility>

#include "crivo/host/bytes.h"
#include "kinds/isa.h"
#include "kinds/probe_key.h"
#include "kinds/ribbon/kernels.h"
#include "kinds/ribbon/layout.h"

#define CRIVO_TARGET CRIVO_TARGET_NEON

namespace crivo {
namespace {

#include "kinds/ribbon/simd/holds_portable.inl.h"

/// The number of ones in each byte of two columns.
inline uint8x16_t ones(uint64x2_t columns) noexcept { return vcntq_u8(vreinterpretq_u8_u64(columns)); }

/// A byte for each of eight columns. The lowest bit of a byte is the column's parity.
inline uint8x8_t parities(uint64x2_t a, uint64x2_t b, uint64x2_t c, uint64x2_t d) noexcept {
  const uint8x16_t pairs = vpaddq_u8(vpaddq_u8(ones(a), ones(b)), vpaddq_u8(ones(c), ones(d)));
  return vpadd_u8(vget_low_u8(pairs), vget_high_u8(pairs));
}

/// Lane i is 0xFF if bit i is set, else 0.
inline uint8x8_t lanes_of(unsigned bits) noexcept {
  return vtst_u8(vdup_n_u8(static_cast<std::uint8_t>(bits)), vcreate_u8(0x8040'2010'0804'0201));
}

/// Two columns of the solution, masked by the row.
inline uint64x2_t two_columns(const RibbonEquation& equation, const SplitRow<kWideRibbon>& row,
                              unsigned column) noexcept {
  const auto* words = reinterpret_cast<const std::uint8_t*>(equation.words) + 8 * column;
  const uint64x2_t here = vreinterpretq_u64_u8(vld1q_u8(words));
  const uint64x2_t next = vreinterpretq_u64_u8(vld1q_u8(words + 8 * equation.columns));
  return veorq_u64(vandq_u64(here, vdupq_n_u64(row.here)), vandq_u64(next, vdupq_n_u64(row.next)));
}
/// Four columns of the solution, masked by the row.
inline uint64x2_t four_columns(const RibbonEquation& equation, const SplitRow<kNarrowRibbon>& row,
                               unsigned column) noexcept {
  const auto* words = reinterpret_cast<const std::uint8_t*>(equation.words) + 4 * column;
  const uint32x4_t here = vreinterpretq_u32_u8(vld1q_u8(words));
  const uint32x4_t next = vreinterpretq_u32_u8(vld1q_u8(words + 4 * equation.columns));
  return vreinterpretq_u64_u32(
      veorq_u32(vandq_u32(here, vdupq_n_u32(row.here)), vandq_u32(next, vdupq_n_u32(row.next))));
}

/// A byte per column, for four columns from `first` on and four from `second` on. Each byte's lowest bit is the parity.
inline uint8x8_t parities_of(const RibbonEquation& equation, const SplitRow<kWideRibbon>& row, unsigned first,
                             unsigned second) noexcept {
  return parities(two_columns(equation, row, first), two_columns(equation, row, first + 2),
                  two_columns(equation, row, second), two_columns(equation, row, second + 2));
}
inline uint8x8_t parities_of(const RibbonEquation& equation, const SplitRow<kNarrowRibbon>& row, unsigned first,
                             unsigned second) noexcept {
  const uint8x16_t pairs =
      vpaddq_u8(ones(four_columns(equation, row, first)), ones(four_columns(equation, row, second)));
  return vpadd_u8(vget_low_u8(pairs), vget_high_u8(pairs));
}

/// Whether the parities of four columns from `first` on and of four from `second` on are those of the fingerprint.
template <unsigned kWidth>
inline bool eight_hold(const RibbonEquation& equation, const SplitRow<kWidth>& row, unsigned first,
                       unsigned second) noexcept {
  const uint8x8_t found = parities_of(equation, row, first, second);
  const uint8x8_t wanted = lanes_of((equation.fingerprint >> first & 15) | equation.fingerprint >> second << 4);
  return (vget_lane_u64(vreinterpret_u64_u8(veor_u8(found, wanted)), 0) & 0x0101'0101'0101'0101) == 0;
}

inline unsigned eight_parities(const RibbonEquation& equation, const SplitRow<kWideRibbon>& row, unsigned first,
                               unsigned second) noexcept {
  const uint8x8_t found = parities_of(equation, row, first, second);
  constexpr std::uint64_t kLowestBits = 0x0101'0101'0101'0101;
  constexpr std::uint64_t kToTopByte = 0x0102'0408'1020'4080;  // moves byte i's lowest bit to bit 56 + i
  const std::uint64_t lowest = vget_lane_u64(vreinterpret_u64_u8(found), 0) & kLowestBits;
  return static_cast<unsigned>(lowest * kToTopByte >> 56);
}

#include "kinds/ribbon/simd/holds_eight.inl.h"
#include "kinds/ribbon/simd/query.inl.h"
#include "kinds/ribbon/simd/values.inl.h"

using Lanes = uint64x2_t;
using LaneMask = uint64x2_t;
constexpr unsigned kLanes = 2;

inline Lanes load(const std::uint64_t* lanes) noexcept { return vld1q_u64(lanes); }
inline Lanes broadcast(std::uint64_t word) noexcept { return vdupq_n_u64(word); }
inline Lanes add_lanes(Lanes a, Lanes b) noexcept { return vaddq_u64(a, b); }
inline Lanes or_lanes(Lanes a, Lanes b) noexcept { return vorrq_u64(a, b); }
inline LaneMask lanes_with_bit(Lanes lanes, Lanes bit) noexcept { return vtstq_u64(lanes, bit); }
/// The lanes with the bit set, among those whose start is at most the slot.
inline LaneMask started_lanes_with_bit(Lanes lanes, Lanes bit, Lanes start, Lanes slot) noexcept {
  return vandq_u64(vcleq_u64(start, slot), lanes_with_bit(lanes, bit));
}
inline Lanes xor_where(LaneMask mask, Lanes lanes, Lanes row) noexcept {
  return veorq_u64(lanes, vandq_u64(mask, row));
}
inline bool is_zero(Lanes lanes) noexcept { return vmaxvq_u32(vreinterpretq_u32_u64(lanes)) == 0; }
inline bool any(LaneMask mask) noexcept { return !is_zero(mask); }
inline std::uint64_t first_lane(Lanes lanes) noexcept { return vgetq_lane_u64(lanes, 0); }
/// Broadcasts the word of the first lane in the mask, which must not be empty.
inline Lanes broadcast_first(LaneMask mask, Lanes lanes) noexcept {
  return vbslq_u64(vdupq_laneq_u64(mask, 0), vdupq_laneq_u64(lanes, 0), vdupq_laneq_u64(lanes, 1));
}

#include "kinds/ribbon/simd/eliminate_lanes.inl.h"
// This include must follow eliminate(), which add_bucket() calls.
#include "kinds/ribbon/simd/add_bucket.inl.h"

// Each lane holds one column of the solution at the 64 slots after the current slot. The current slot's bit replaces
// the bit of the slot that is 64 slots later, which no remaining row reaches.
void solve(const std::uint64_t* rows, const std::uint32_t* results, std::size_t slots, unsigned columns,
           std::uint64_t* window) noexcept {
  const uint8x16_t first_two = vcombine_u8(vdup_n_u8(0), vdup_n_u8(1));
  for (unsigned column = 0; column < columns; column += 8) {
    uint64x2_t solution[4];
    for (unsigned i = 0; i < 4; ++i) solution[i] = vld1q_u64(window + column + 2 * i);
    for (std::size_t slot = slots; slot-- > 0;) {
      const uint64x2_t bit = vdupq_n_u64(std::uint64_t{1} << slot);
      const uint64x2_t row = vbicq_u64(vdupq_n_u64(rows[slot]), bit);
      const uint8x8_t found = parities(vandq_u64(solution[0], row), vandq_u64(solution[1], row),
                                       vandq_u64(solution[2], row), vandq_u64(solution[3], row));
      const uint8x8_t sum = vtst_u8(veor_u8(found, lanes_of(results[slot] >> column)), vdup_n_u8(1));
      for (unsigned i = 0; i < 4; ++i) {
        const uint8x16_t of_two = vaddq_u8(first_two, vdupq_n_u8(static_cast<std::uint8_t>(2 * i)));
        const uint8x16_t sums = vqtbl1q_u8(vcombine_u8(sum, sum), of_two);
        solution[i] = vbslq_u64(bit, vreinterpretq_u64_u8(sums), solution[i]);
      }
    }
    for (unsigned i = 0; i < 4; ++i) vst1q_u64(window + column + 2 * i, solution[i]);
  }
}

}  // namespace

const RibbonKernels RibbonKernels::kNeon = {.ribbon = kRibbonProbe<kWideRibbon>,
                                            .narrow_ribbon = kRibbonProbe<kNarrowRibbon>,
                                            .map = kMapProbe,
                                            .ribbon_add_bucket = &add_bucket<std::uint64_t>,
                                            .map_add_bucket = &add_bucket<HashedValue>,
                                            .ribbon_solve = &solve};

}  // namespace crivo

#endif  // __AARCH64EL__

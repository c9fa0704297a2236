// The blocked and counting kinds in portable code: the kernels that the tests compare all others with.

#include "crivo/host/bytes.h"
#include "layout/block.h"
#include "layout/counter_block.h"
#include "simd/kernels.h"
#include "simd/probe_key.h"
#include "simd/target.h"

#define CRIVO_TARGET CRIVO_TARGET_SCALAR

namespace crivo {
namespace {

template <std::size_t kPlanes, bool>
bool has_bits(const std::byte* block, const BlockKey& key, unsigned probes) noexcept {
  for (unsigned i = 0; i < probes; ++i) {
    const unsigned position = key.position(i);
    std::byte bits = block[position >> 3];
    for (std::size_t plane = 1; plane < kPlanes; ++plane) bits |= block[plane * kBlockBytes + (position >> 3)];
    if ((std::to_integer<unsigned>(bits) >> (position & 7) & 1) == 0) return false;
  }
  return true;
}

#include "simd/blocked/loops.inl.h"
#include "simd/blocked/set_bits_portable.inl.h"

}  // namespace

const BlockedKernels kBlockedScalar = {
    .blocked = kProbe<1>, .blocked_add = &add_hashes<&set_bits>, .counting = kProbe<kCounterPlanes>};

}  // namespace crivo

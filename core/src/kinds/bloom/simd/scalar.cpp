// The blocked and counting kinds in portable code. Tests compare all other kernels with these.

#include "kinds/bloom/block.h"
#include "kinds/bloom/counter_block.h"
#include "kinds/bloom/kernels.h"
#include "kinds/isa.h"
#include "kinds/probe_key.h"

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

#include "kinds/bloom/simd/loops.inl.h"
#include "kinds/bloom/simd/set_bits_portable.inl.h"

}  // namespace

const BlockedKernels BlockedKernels::kScalar = {
    .blocked = kProbe<1>, .blocked_add = &add_hashes<&set_bits>, .counting = kProbe<kCounterPlanes>};

}  // namespace crivo

// The blocked and counting kinds in portable code: the kernels that the tests compare all others with. A block has one
// plane in the blocked kind and four in the counting kind, which is asked through the OR of its planes: a counter is
// above 0 where one of its bits is set.
#include <algorithm>

#include "base/bytes.h"
#include "layout/block.h"
#include "layout/counter_block.h"
#include "simd/kernels.h"
#include "simd/probe_key.h"

namespace crivo {
namespace {

template <std::size_t kPlanes>
bool contains(const View& view, std::uint64_t hash) noexcept {
  const BlockKey key(hash, view.shape.units);
  const std::byte* block = view.payload + key.block * (kPlanes * kBlockBytes);
  for (unsigned i = 0; i < view.shape.probes; ++i) {
    const unsigned position = key.position(i);
    std::byte bits = block[position >> 3];
    for (std::size_t plane = 1; plane < kPlanes; ++plane) bits |= block[plane * kBlockBytes + (position >> 3)];
    if ((std::to_integer<unsigned>(bits) >> (position & 7) & 1) == 0) return false;
  }
  return true;
}

template <std::size_t kPlanes>
void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept {
  constexpr std::size_t kAhead = 32;
  for (std::size_t from = 0; from < count; from += kAhead) {
    const std::size_t end = std::min(count, from + kAhead);
    for (std::size_t i = from; i < end; ++i) {
      prefetch_block<kPlanes>(view.payload, mulhi(hashes[i], view.shape.units));
    }
    for (std::size_t i = from; i < end; ++i) hits[i] = contains<kPlanes>(view, hashes[i]);
  }
}

void add(const Shape& shape, std::byte* payload, const std::uint64_t* hashes, std::size_t count) noexcept {
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = 0; i < count; ++i) {
    if (i + kAhead < count) __builtin_prefetch(payload + mulhi(hashes[i + kAhead], shape.units) * kBlockBytes, 1);
    const BlockKey key(hashes[i], shape.units);
    std::byte* block = payload + key.block * kBlockBytes;
    for (unsigned probe = 0; probe < shape.probes; ++probe) {
      const unsigned position = key.position(probe);
      block[position >> 3] |= static_cast<std::byte>(1U << (position & 7));
    }
  }
}

template <std::size_t kPlanes>
constexpr Probe kProbe = {&contains<kPlanes>, &contains_key<&contains<kPlanes>>, &contains_batch<kPlanes>};

}  // namespace

const BlockedKernels kBlockedScalar = {.blocked = kProbe<1>, .blocked_add = &add, .counting = kProbe<kCounterPlanes>};

}  // namespace crivo

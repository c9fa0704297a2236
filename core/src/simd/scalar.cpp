// The portable kernels: what the others are compared with.
#include <algorithm>

#include "bytes.h"
#include "kinds/block.h"
#include "simd/kernels.h"

namespace crivo {
namespace {

bool block_contains(const std::byte* block, const BlockKey& key, unsigned probes) noexcept {
  for (unsigned i = 0; i < probes; ++i) {
    const unsigned position = key.position(i);
    const auto byte = std::to_integer<unsigned>(block[position >> 3]);
    if ((byte >> (position & 7) & 1) == 0) return false;
  }
  return true;
}

bool contains(const View& view, std::uint64_t hash) noexcept {
  const BlockKey key(hash, view.shape.units);
  return block_contains(view.payload + key.block * kBlockBytes, key, view.shape.probes);
}

void contains_batch(const View& view, const std::uint64_t* hashes, std::size_t count, bool* hits) noexcept {
  constexpr std::size_t kAhead = 32;
  for (std::size_t from = 0; from < count; from += kAhead) {
    const std::size_t end = std::min(count, from + kAhead);
    for (std::size_t i = from; i < end; ++i) {
      __builtin_prefetch(view.payload + mulhi(hashes[i], view.shape.units) * kBlockBytes);
    }
    for (std::size_t i = from; i < end; ++i) hits[i] = contains(view, hashes[i]);
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

}  // namespace

const Kernels kScalarKernels = {"scalar", &contains, &contains_batch, &add};

}  // namespace crivo

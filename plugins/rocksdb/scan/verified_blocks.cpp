#include "scan/verified_blocks.h"

#include <bit>

#include "crivo/hash.h"
#include "crivo/host/sst_block.h"

namespace crivo::plugin {
namespace {

/// A fingerprint of the block's address, size and checksum; never 0.
std::uint64_t mark_of(std::span<const std::byte> block) noexcept {
  const std::array<std::uint64_t, 3> known = {std::bit_cast<std::uintptr_t>(block.data()), block.size(),
                                              sst_checksum(block)};
  const auto bytes = std::as_bytes(std::span(known));
  return hash_key({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, /*seed=*/0) | 1;
}

}  // namespace

bool VerifiedBlocks::has(std::span<const std::byte> block) const noexcept {
  const std::uint64_t mark = mark_of(block);
  return places_[(mark >> 1) % kPlaces].load(std::memory_order_relaxed) == mark;
}

void VerifiedBlocks::add(std::span<const std::byte> block) noexcept {
  const std::uint64_t mark = mark_of(block);
  places_[(mark >> 1) % kPlaces].store(mark, std::memory_order_relaxed);
}

}  // namespace crivo::plugin

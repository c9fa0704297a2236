// A block of 512 four-bit counters as four bit planes: docs/format.md, "counting". Bit p of plane j is bit j of counter
// p, so 64 counters are four words and every operation on them is a few logical ones; the OR of the planes is the block
// of the blocked filter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "layout/block.h"

namespace crivo {

inline constexpr std::size_t kCounterPlanes = 4;
inline constexpr std::size_t kCounterBlockBytes = kCounterPlanes * kBlockBytes;
inline constexpr std::size_t kWordsPerPlane = kBlockBytes / 8;

/// Fetches a block of so many planes, each a cache line: one for blocked.
template <std::size_t kPlanes>
inline void prefetch_block(const std::byte* payload, std::uint64_t block) noexcept {
  for (std::size_t plane = 0; plane < kPlanes; ++plane) {
    __builtin_prefetch(payload + (block * kPlanes + plane) * kBlockBytes);
  }
}

/// A key's distinct positions in its block, as the bits of one plane.
struct PositionMask {
  std::array<std::uint64_t, kWordsPerPlane> words{};

  PositionMask(const BlockKey& key, unsigned probes) noexcept {
    for (unsigned i = 0; i < probes; ++i) {
      const unsigned position = key.position(i);
      words[position >> 6] |= std::uint64_t{1} << (position & 63);
    }
  }
};

/// The 64 counters at positions 64 w to 64 w + 63 of a block.
class CounterWord {
 public:
  CounterWord(const std::byte* block, std::size_t word) noexcept {
    for (std::size_t j = 0; j < kCounterPlanes; ++j) {
      planes_[j] = load_le<std::uint64_t>(block + j * kBlockBytes + word * 8);
    }
  }
  void store(std::byte* block, std::size_t word) const noexcept {
    for (std::size_t j = 0; j < kCounterPlanes; ++j) store_le(block + j * kBlockBytes + word * 8, planes_[j]);
  }

  [[nodiscard]] std::uint64_t above_zero() const noexcept { return planes_[0] | planes_[1] | planes_[2] | planes_[3]; }
  [[nodiscard]] std::uint64_t saturated() const noexcept { return planes_[0] & planes_[1] & planes_[2] & planes_[3]; }

  /// Adds one to the counters of the mask, but for the saturated.
  void raise(std::uint64_t mask) noexcept {
    std::uint64_t carry = mask & ~saturated();
    for (std::uint64_t& plane : planes_) {
      const std::uint64_t next = plane & carry;
      plane ^= carry;
      carry = next;
    }
  }
  /// Takes one from the counters of the mask, but for the saturated. None of them is 0.
  void lower(std::uint64_t mask) noexcept {
    std::uint64_t borrow = mask & ~saturated();
    for (std::uint64_t& plane : planes_) {
      const std::uint64_t next = ~plane & borrow;
      plane ^= borrow;
      borrow = next;
    }
  }
  /// Adds counter by counter, stopping at 15.
  void add(const CounterWord& other) noexcept {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < kCounterPlanes; ++j) {
      const std::uint64_t either = planes_[j] ^ other.planes_[j];
      const std::uint64_t both = planes_[j] & other.planes_[j];
      planes_[j] = either ^ carry;
      carry = both | (either & carry);
    }
    for (std::uint64_t& plane : planes_) plane |= carry;
  }

 private:
  std::array<std::uint64_t, kCounterPlanes> planes_;
};

}  // namespace crivo

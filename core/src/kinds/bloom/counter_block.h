// A block of 512 four-bit counters as four bit planes (docs/format.md, "counting"). Bit p of plane j is bit j of
// counter p. Four words hold 64 counters, and a few logical operations change all of them at once. A query tests the OR
// of the planes, as if this were the block of a blocked filter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "crivo/host/bytes.h"
#include "kinds/bloom/block.h"

namespace crivo {

inline constexpr std::size_t kCounterPlanes = 4;
inline constexpr std::size_t kCounterBlockBytes = kCounterPlanes * kBlockBytes;
inline constexpr std::size_t kWordsPerPlane = kBlockBytes / 8;
inline constexpr unsigned kMaxCounter = (1U << kCounterPlanes) - 1;

/// Prefetches a block of kPlanes planes, one cache line each. A blocked filter's block has one plane.
template <std::size_t kPlanes>
inline void prefetch_block(const std::byte* payload, std::uint64_t block) noexcept {
  for (std::size_t plane = 0; plane < kPlanes; ++plane) {
    __builtin_prefetch(payload + (block * kPlanes + plane) * kBlockBytes);
  }
}

/// A key's positions in its block, as a mask of one plane. Equal positions of two probes are one bit of the mask.
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

  /// The smallest counter in the mask, which must not be empty. Determines the value bit by bit from the top. If some
  /// of the remaining counters have a 0 in this bit, only those can be the smallest.
  [[nodiscard]] unsigned smallest(std::uint64_t mask) const noexcept {
    unsigned value = 0;
    for (std::size_t j = kCounterPlanes; j-- > 0;) {
      const std::uint64_t zeros = mask & ~planes_[j];
      if (zeros != 0) {
        mask = zeros;
      } else {
        value |= 1U << j;
      }
    }
    return value;
  }

  /// Increments the counters in the mask, except saturated ones (15).
  void raise(std::uint64_t mask) noexcept {
    std::uint64_t carry = mask & ~saturated();
    for (std::uint64_t& plane : planes_) {
      const std::uint64_t next = plane & carry;
      plane ^= carry;
      carry = next;
    }
  }
  /// Decrements the counters in the mask, except saturated ones. No counter in the mask may be 0.
  void lower(std::uint64_t mask) noexcept {
    std::uint64_t borrow = mask & ~saturated();
    for (std::uint64_t& plane : planes_) {
      const std::uint64_t next = ~plane & borrow;
      plane ^= borrow;
      borrow = next;
    }
  }
  /// Adds the other word's counters, saturating at 15. A full adder runs from plane to plane. If a carry remains, all
  /// four bits are set.
  void add(const CounterWord& other) noexcept {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < kCounterPlanes; ++j) {
      const std::uint64_t differ = planes_[j] ^ other.planes_[j];
      const std::uint64_t both = planes_[j] & other.planes_[j];
      planes_[j] = differ ^ carry;
      carry = both | (differ & carry);
    }
    for (std::uint64_t& plane : planes_) plane |= carry;
  }

 private:
  std::array<std::uint64_t, kCounterPlanes> planes_;
};

}  // namespace crivo

// Fingerprints of f bits in densely packed slots, for the kinds cuckoo and hash_compaction (docs/format.md). A
// fingerprint is never 0, so a slot of 0 is empty.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/math128.h"
#include "crivo/detail/view.h"
#include "crivo/host/bytes.h"
#include "crivo/result.h"

namespace crivo {

/// Slots per bucket of the cuckoo kind.
inline constexpr unsigned kCuckooBucketSlots = 4;
/// The range of fingerprint bits.
inline constexpr unsigned kMinCuckooBits = 4;
inline constexpr unsigned kMinHashCompactionBits = 2;
inline constexpr unsigned kMaxFingerprintBits = 32;

/// A key's fingerprint, 1 to 2^bits - 1. The multiplication makes the fingerprint depend on the lower bits of the hash;
/// the upper bits select the key's slot or bucket.
[[nodiscard]] inline std::uint32_t fingerprint_of(std::uint64_t hash, unsigned bits) noexcept {
  return static_cast<std::uint32_t>(1 + mulhi(hash * kGolden64, (std::uint64_t{1} << bits) - 1));
}

/// A hash of a fingerprint. A single multiplication would space the fingerprints evenly, and the paths of cuckoo
/// relocations would meet too often.
[[nodiscard]] inline std::uint64_t scatter(std::uint32_t fingerprint) noexcept {
  const std::uint64_t mixed = fingerprint * kGolden64;
  return (mixed ^ (mixed >> 32)) * kGolden64;
}

/// The size of a payload with this many slots. One extra word lets an unaligned load read any slot, or any four
/// adjacent slots.
[[nodiscard]] constexpr std::uint64_t packed_bytes(std::uint64_t slots, unsigned bits) noexcept {
  return (slots * bits + 63) / 64 * 8 + 8;
}

[[nodiscard]] inline std::uint32_t load_slot(const std::byte* payload, std::uint64_t slot, unsigned bits) noexcept {
  const std::uint64_t bit = slot * bits;
  const std::uint64_t word = load_le<std::uint64_t>(payload + (bit >> 3)) >> (bit & 7);
  return static_cast<std::uint32_t>(word & ((std::uint64_t{1} << bits) - 1));
}

inline void store_slot(std::byte* payload, std::uint64_t slot, unsigned bits, std::uint32_t value) noexcept {
  const std::uint64_t bit = slot * bits;
  const std::uint64_t mask = ((std::uint64_t{1} << bits) - 1) << (bit & 7);
  const auto word = load_le<std::uint64_t>(payload + (bit >> 3));
  store_le(payload + (bit >> 3), (word & ~mask) | std::uint64_t{value} << (bit & 7));
}

/// The number of nonempty slots.
[[nodiscard]] std::uint64_t count_occupied(const std::byte* payload, std::uint64_t slots, unsigned bits) noexcept;

/// Checks that the bits after the last slot are 0. Errors: kCorrupt.
Result<void> check_packed_padding(const View& view, std::uint64_t slots);

}  // namespace crivo

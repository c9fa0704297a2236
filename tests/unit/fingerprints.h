// What the tests of the cuckoo and hash_compaction kinds share: their slots a second time, one integer each, written
// from docs/format.md alone, and filters of any shape.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "crivo/filter.h"
#include "reference.h"

namespace crivo::reference {

inline std::uint32_t fingerprint(std::uint64_t h, unsigned f) {
  return static_cast<std::uint32_t>(1 + mulhi(h * kMultiplier, (std::uint64_t{1} << f) - 1));
}

inline std::uint64_t scattered(std::uint32_t fingerprint) {
  const std::uint64_t t = fingerprint * kMultiplier;
  return (t ^ (t >> 32)) * kMultiplier;
}

/// Slots of f bits as bytes: bit by bit, then zeros to a whole word, then one more word.
inline std::vector<std::byte> packed(const std::vector<std::uint32_t>& slots, unsigned f) {
  std::vector<std::byte> bytes((slots.size() * f + 63) / 64 * 8 + 8);
  for (std::size_t bit = 0; bit < slots.size() * f; ++bit) {
    if ((slots[bit / f] >> (bit % f) & 1) != 0) bytes[bit / 8] |= std::byte{1} << (bit % 8);
  }
  return bytes;
}

}  // namespace crivo::reference

namespace crivo::testing {

/// Slots with random contents of any value, as no writer leaves them; about `empty` of 100 are empty.
inline std::vector<std::uint32_t> random_slots(std::size_t count, unsigned f, unsigned empty, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> slots(count);
  for (auto& slot : slots) {
    if (random() % 100 >= empty) slot = static_cast<std::uint32_t>(1 + random() % ((std::uint64_t{1} << f) - 1));
  }
  return slots;
}

inline AnyFilter filter_of(const Shape& shape, const std::vector<std::uint32_t>& slots) {
  const auto bytes = reference::packed(slots, shape.param);
  return *AnyFilter::adopt(shape, {.capacity = 1, .fp_rate = 0.5}, AlignedBytes(bytes.begin(), bytes.end()));
}

/// Why this shape is refused; the payload's size is right if there is one that is.
inline std::string refusal(const Shape& shape, const std::vector<std::byte>& payload) {
  const auto opened = FilterRef::open(shape, {.capacity = 1, .fp_rate = 0.5}, payload);
  return opened ? "accepted" : opened.error().message;
}

}  // namespace crivo::testing

// Shared by the tests of the cuckoo and hash_compaction kinds: a second implementation of their slots with an integer
// each, written only from docs/format.md, and filters of any shape.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <random>

#include "filters.h"
#include "reference.h"

namespace crivo::reference {

inline std::uint32_t fingerprint(std::uint64_t h, unsigned f) {
  return static_cast<std::uint32_t>(1 + mulhi(h * kMultiplier, (std::uint64_t{1} << f) - 1));
}

inline std::uint64_t scattered(std::uint32_t fingerprint) {
  const std::uint64_t t = fingerprint * kMultiplier;
  return (t ^ (t >> 32)) * kMultiplier;
}

/// Packs slots of f bits into bytes: bit by bit, zeros to a whole word, then one more word.
inline std::vector<std::byte> packed(const std::vector<std::uint32_t>& slots, unsigned f) {
  std::vector<std::byte> bytes((slots.size() * f + 63) / 64 * 8 + 8);
  for (std::size_t bit = 0; bit < slots.size() * f; ++bit) {
    if ((slots[bit / f] >> (bit % f) & 1) != 0) bytes[bit / 8] |= std::byte{1} << (bit % 8);
  }
  return bytes;
}

}  // namespace crivo::reference

namespace crivo::testing {

/// Slots with random contents that no writer produces; about `empty` percent are empty.
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

/// The error of opening a payload with this shape, or "accepted". The payload must have the right size if the shape has
/// one.
inline std::string refusal(const Shape& shape, const std::vector<std::byte>& payload) {
  const auto opened = FilterRef::open(shape, {.capacity = 1, .fp_rate = 0.5}, payload);
  return opened ? "accepted" : opened.error().message;
}

/// Expects a filter to answer each hash, alone and in a batch, as `contains(hash)` does.
template <class Contains>
void expect_answers(const FilterRef& ref, const std::vector<std::uint64_t>& hashes, const Contains& contains) {
  const auto hits = std::make_unique<bool[]>(hashes.size());
  ref.may_contain_hashes(hashes, {hits.get(), hashes.size()});
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    ASSERT_EQ(ref.may_contain_hash(hashes[i]), contains(hashes[i])) << "f = " << ref.shape().param;
    ASSERT_EQ(hits[i], contains(hashes[i])) << "f = " << ref.shape().param << " in a batch";
  }
}

/// Expects filters of a kind to hold as many keys as their capacity, at a load of at most 95%.
inline void expect_room_at_every_size(Kind kind, unsigned slots_of_unit) {
  for (std::uint64_t capacity = 1; capacity <= 3000; capacity += capacity < 100 ? 1 : 97) {
    for (const double fp_rate : {0.9, 0.01, 1e-6}) {
      AnyFilter filter = build_filter({.kind = kind, .capacity = capacity, .fp_rate = fp_rate}, 0);
      EXPECT_LE(static_cast<double>(capacity), 0.95 * slots_of_unit * static_cast<double>(filter.shape().units));
      for (std::uint64_t trial = 0; trial < std::max<std::uint64_t>(10, 3000 / capacity + 1); ++trial) {
        ASSERT_TRUE(filter.clear());
        const auto hashes = random_hashes(capacity, trial);
        ASSERT_TRUE(filter.add_hashes(hashes)) << capacity << " keys at " << fp_rate;
        ASSERT_EQ(count_found(filter.ref(), hashes), capacity);
      }
    }
  }
}

/// Expects an error for every set bit after the first `used` bits, which are the payload's slots.
inline void expect_padding_refused(const Shape& shape, const std::vector<std::byte>& payload, std::size_t used) {
  for (std::size_t bit = used; bit < 8 * payload.size(); ++bit) {
    auto padded = payload;
    padded[bit / 8] |= std::byte{1} << (bit % 8);
    EXPECT_THAT(refusal(shape, padded), ::testing::HasSubstr("padding bits of the payload must be 0")) << bit;
  }
}

}  // namespace crivo::testing

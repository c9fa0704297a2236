// Compares the kernels of every instruction set of this machine with the scalar kernels, bit for bit.

#include <gtest/gtest.h>

#include <algorithm>

#include "against_scalar.h"
#include "crivo/types.h"
#include "filters.h"
#include "kinds/bloom/block.h"

namespace crivo::testing {
namespace {

class EveryLevel : public ::testing::TestWithParam<Kernels> {};
INSTANTIATE_TEST_SUITE_P(Isa, EveryLevel, ::testing::ValuesIn(available_kernels().begin(), available_kernels().end()),
                         [](const auto& level) { return std::string(level.param.isa); });

/// Hashes of the first and the last block; with positions that repeat within a key; with a single bit set.
std::vector<std::uint64_t> adversarial_hashes() {
  std::vector<std::uint64_t> hashes = {0, ~0ULL, 0xFFFFFFFF, 0xFFFFFFFF00000000, 0x80000000, 0x8000000080000000};
  for (unsigned bit = 0; bit < 64; ++bit) {
    hashes.push_back(1ULL << bit);
    hashes.push_back(~(1ULL << bit));
  }
  for (std::uint64_t low = 0; low < 64; ++low) hashes.push_back(low << 26 | ~0ULL << 32);
  return hashes;
}

Shape shape_of(unsigned probes, std::uint64_t blocks) {
  return {.kind = Kind::kBlocked, .k = static_cast<std::uint8_t>(probes), .units = blocks};
}

std::vector<std::byte> blocked_payload(const Shape& shape, const std::vector<std::uint64_t>& hashes) {
  std::vector<std::byte> payload(shape.units * (kBlockBits / 8));
  available_kernels().front().blocked_add(shape, payload.data(), hashes.data(), hashes.size());
  return payload;
}

View view_of(const Shape& shape, const std::vector<std::byte>& payload) {
  return {shape, payload.data(), payload.size()};
}

TEST_P(EveryLevel, BuildsAndAnswersLikeScalar) {
  for (unsigned probes = 1; probes <= kMaxBlockedProbes; ++probes) {
    for (const std::uint64_t blocks : {1U, 2U, 7U, 1000U}) {
      const Shape shape = shape_of(probes, blocks);
      std::vector<std::uint64_t> added = random_hashes(400 * blocks / probes, probes);
      ASSERT_EQ(difference_in_additions(GetParam(), shape, added), "");
      const auto payload = blocked_payload(shape, added);
      const View view = view_of(shape, payload);
      added.resize(std::min<std::size_t>(added.size(), 1000));
      ASSERT_EQ(difference_in_answers(GetParam(), &Kernels::blocked, view, added), "");
      ASSERT_EQ(difference_in_answers(GetParam(), &Kernels::blocked, view, random_hashes(1000, probes + 100)), "");
    }
  }
}

TEST_P(EveryLevel, TreatsAdversarialHashesLikeScalar) {
  const auto hashes = adversarial_hashes();
  for (unsigned probes = 1; probes <= kMaxBlockedProbes; ++probes) {
    for (const std::uint64_t blocks : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{4096}}) {
      const Shape shape = shape_of(probes, blocks);
      for (const std::uint64_t hash : hashes) {
        if (blocks == 4096) break;  // one filter per hash only for small filters
        ASSERT_EQ(difference_in_additions(GetParam(), shape, {&hash, 1}), "") << "hash " << hash;
      }
      ASSERT_EQ(difference_in_additions(GetParam(), shape, hashes), "");
      const auto payload = blocked_payload(shape, hashes);
      ASSERT_EQ(difference_in_answers(GetParam(), &Kernels::blocked, view_of(shape, payload), hashes), "");
    }
  }
}

// If one bit is missing, the answer must be "no" for exactly the keys that use this bit.
TEST_P(EveryLevel, SeesEveryMissingBit) {
  const auto hashes = random_hashes(50, 3);
  for (const unsigned probes : {1U, 8U, 9U, 16U}) {
    const Shape shape = shape_of(probes, 1);
    for (unsigned missing = 0; missing < kBlockBits; ++missing) {
      std::vector<std::byte> payload(kBlockBits / 8, std::byte{0xFF});
      payload[missing / 8] ^= static_cast<std::byte>(1U << (missing % 8));
      ASSERT_EQ(difference_in_answers(GetParam(), &Kernels::blocked, view_of(shape, payload), hashes), "");
    }
  }
}

TEST_P(EveryLevel, ReadsAndWritesUnalignedPayloads) {
  const auto hashes = random_hashes(500, 4);
  for (const unsigned probes : {6U, 12U}) {
    const Shape shape = shape_of(probes, 10);
    const auto payload = blocked_payload(shape, hashes);
    for (std::size_t shift = 0; shift < 64; shift += 7) {
      ASSERT_EQ(difference_in_additions(GetParam(), shape, hashes, shift), "");
      std::vector<std::byte> memory(shift);
      memory.insert(memory.end(), payload.begin(), payload.end());
      const View view{shape, memory.data() + shift, payload.size()};
      ASSERT_EQ(difference_in_answers(GetParam(), &Kernels::blocked, view, hashes), "");
    }
  }
}

// The batch exceeds the number of keys that are partitioned together, and the filter exceeds the cache.
TEST(Blocked, AddsManyKeysAtOnceAsOneByOne) {
  constexpr std::size_t kKeys = (std::size_t{1} << 24) + 1000;
  const auto hashes = random_hashes(kKeys, 12);
  const FilterSpec spec{.capacity = std::uint64_t{1} << 26};
  AnyFilter at_once = *AnyFilter::create(spec);
  ASSERT_TRUE(at_once.add_hashes(hashes));
  AnyFilter in_pieces = *AnyFilter::create(spec);
  for (std::size_t from = 0; from < kKeys; from += 1000) {
    ASSERT_TRUE(in_pieces.add_hashes(std::span(hashes).subspan(from, std::min<std::size_t>(1000, kKeys - from))));
  }
  EXPECT_TRUE(std::ranges::equal(at_once.payload(), in_pieces.payload()));
  EXPECT_EQ(at_once.facts(), in_pieces.facts());
}

}  // namespace
}  // namespace crivo::testing

// Every instruction set this machine has against scalar, bit for bit.
#include "simd/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "crivo/sizing.h"

namespace crivo {
namespace {

constexpr std::size_t kBlockBytes = kBlockBits / 8;

class EveryLevel : public ::testing::TestWithParam<const Kernels*> {};
INSTANTIATE_TEST_SUITE_P(Isa, EveryLevel, ::testing::ValuesIn(available_kernels().begin(), available_kernels().end()),
                         [](const auto& level) { return std::string(level.param->isa); });

std::vector<std::uint64_t> random_hashes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> hashes(count);
  for (auto& hash : hashes) hash = random();
  return hashes;
}

/// All in the first block, or the last; positions that repeat within a key; every single bit.
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
  return {.kind = Kind::kBlocked, .probes = static_cast<std::uint8_t>(probes), .units = blocks};
}

std::vector<std::byte> added_by(const Kernels& kernels, const Shape& shape, const std::vector<std::uint64_t>& hashes) {
  std::vector<std::byte> payload(shape.units * kBlockBytes);
  kernels.blocked_add(shape, payload.data(), hashes.data(), hashes.size());
  return payload;
}

/// Single and batch answers of `kernels` are those of scalar for each hash.
void expect_answers_of_scalar(const Kernels& kernels, const View& view, const std::vector<std::uint64_t>& hashes) {
  const auto hits = std::make_unique<bool[]>(hashes.size());
  kernels.blocked.contains_batch(view, hashes.data(), hashes.size(), hits.get());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const bool expected = kScalarKernels.blocked.contains(view, hashes[i]);
    ASSERT_EQ(kernels.blocked.contains(view, hashes[i]), expected) << "hash " << hashes[i];
    ASSERT_EQ(hits[i], expected) << "hash " << hashes[i];
  }
}

TEST_P(EveryLevel, BuildsAndAnswersLikeScalar) {
  for (unsigned probes = 1; probes <= kMaxBlockedProbes; ++probes) {
    for (const std::uint64_t blocks : {1U, 2U, 7U, 1000U}) {
      const Shape shape = shape_of(probes, blocks);
      std::vector<std::uint64_t> added = random_hashes(400 * blocks / probes, probes);
      const auto payload = added_by(*GetParam(), shape, added);
      ASSERT_EQ(payload, added_by(kScalarKernels, shape, added)) << "k " << probes << ", blocks " << blocks;
      const View view{shape, payload.data(), payload.size()};
      added.resize(std::min<std::size_t>(added.size(), 1000));
      expect_answers_of_scalar(*GetParam(), view, added);
      expect_answers_of_scalar(*GetParam(), view, random_hashes(1000, probes + 100));
    }
  }
}

TEST_P(EveryLevel, TreatsAdversarialHashesLikeScalar) {
  const auto hashes = adversarial_hashes();
  for (unsigned probes = 1; probes <= kMaxBlockedProbes; ++probes) {
    for (const std::uint64_t blocks : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{4096}}) {
      const Shape shape = shape_of(probes, blocks);
      for (const std::uint64_t hash : hashes) {
        if (blocks == 4096) break;  // one filter per hash only where they are small
        ASSERT_EQ(added_by(*GetParam(), shape, {hash}), added_by(kScalarKernels, shape, {hash})) << "hash " << hash;
      }
      const auto payload = added_by(*GetParam(), shape, hashes);
      ASSERT_EQ(payload, added_by(kScalarKernels, shape, hashes));
      expect_answers_of_scalar(*GetParam(), {shape, payload.data(), payload.size()}, hashes);
    }
  }
}

// A filter with one bit missing tells the positions apart: the answer is "no" exactly for the keys that use it.
TEST_P(EveryLevel, SeesEveryMissingBit) {
  const auto hashes = random_hashes(50, 3);
  for (const unsigned probes : {1U, 8U, 9U, 16U}) {
    const Shape shape = shape_of(probes, 1);
    for (unsigned missing = 0; missing < kBlockBits; ++missing) {
      std::vector<std::byte> payload(kBlockBytes, std::byte{0xFF});
      payload[missing / 8] ^= static_cast<std::byte>(1U << (missing % 8));
      expect_answers_of_scalar(*GetParam(), {shape, payload.data(), payload.size()}, hashes);
    }
  }
}

TEST_P(EveryLevel, ReadsAndWritesUnalignedPayloads) {
  const auto hashes = random_hashes(500, 4);
  for (const unsigned probes : {6U, 12U}) {
    const Shape shape = shape_of(probes, 10);
    const auto expected = added_by(kScalarKernels, shape, hashes);
    for (std::size_t shift = 0; shift < 64; shift += 7) {
      std::vector<std::byte> memory(shift + expected.size());
      GetParam()->blocked_add(shape, memory.data() + shift, hashes.data(), hashes.size());
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), memory.begin() + static_cast<std::ptrdiff_t>(shift)));
      expect_answers_of_scalar(*GetParam(), {shape, memory.data() + shift, expected.size()}, hashes);
    }
  }
}

// More keys than are partitioned at once, into a filter too large for the cache.
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
}  // namespace crivo

// Compares the filters bit for bit with a second implementation, written only from docs/format.md.
#include "kinds/bloom/positions.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <random>
#include <span>

#include "crivo/filter.h"
#include "crivo/types.h"
#include "kinds/bloom/block.h"
#include "reference.h"

namespace crivo {
namespace {

using Positions = std::vector<std::uint64_t> (*)(std::uint64_t, unsigned, std::uint64_t);

/// Random hashes, and hashes whose carries, shifts and signs are the most error-prone.
std::vector<std::uint64_t> test_hashes(std::size_t count, std::uint64_t seed) {
  std::vector<std::uint64_t> hashes = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000, 1ULL << 63, ~0ULL};
  for (unsigned bit = 0; bit < 64; ++bit) hashes.push_back(1ULL << bit);
  std::mt19937_64 random(seed);
  while (hashes.size() < count) hashes.push_back(random());
  return hashes;
}

AnyFilter empty_filter(const Shape& shape, std::size_t payload_bytes) {
  return *AnyFilter::adopt(shape, Facts{0, 1, 0.5, false}, AlignedBytes(payload_bytes));
}

/// Builds both implementations from `added` and looks up `asked` in both.
void compare(const Shape& shape, std::size_t payload_bits, Positions positions_of,
             const std::vector<std::uint64_t>& added, const std::vector<std::uint64_t>& asked) {
  reference::Bits bits(payload_bits);
  for (const std::uint64_t hash : added) {
    for (const std::uint64_t position : positions_of(hash, shape.k, shape.units)) bits[position] = true;
  }
  AnyFilter filter = empty_filter(shape, payload_bits / 8);
  ASSERT_TRUE(filter.add_hashes(added));
  const auto expected = reference::to_bytes(bits);
  ASSERT_TRUE(std::equal(expected.begin(), expected.end(), filter.payload().begin(), filter.payload().end()))
      << "k " << int{shape.k} << ", units " << shape.units;

  const FilterRef ref = filter.ref();
  for (const std::uint64_t hash : asked) {
    const auto positions = positions_of(hash, shape.k, shape.units);
    const bool found = std::all_of(positions.begin(), positions.end(), [&](std::uint64_t at) { return bits[at]; });
    ASSERT_EQ(ref.may_contain_hash(hash), found) << "hash " << hash << ", k " << int{shape.k};
  }
}

// A filter that fits in a cache and one that does not are queried by different code, one by one and in batches. A byte
// of the payload is all ones or zero: eight bits of a classic filter, or one counter of a spectral one. Half of the
// keys pass all tests.
TEST(Positions, EveryWayToAskTestsThemAll) {
  const auto hashes = test_hashes(1037, 5);  // not a multiple of a batch
  const auto hits = std::make_unique<bool[]>(hashes.size());
  for (const std::size_t bytes : {std::size_t{1} << 16, (std::size_t{16} << 20) + 8}) {
    for (const unsigned k : {1U, 2U, 3U, 4U, 7U, 8U, 9U, 17U, 64U}) {
      AlignedBytes payload(bytes);
      std::mt19937_64 random(k);
      const auto least = static_cast<std::uint64_t>(std::ldexp(1 - std::pow(0.5, 1.0 / k), 64));
      for (std::byte& byte : payload) byte = random() >= least ? std::byte{0xFF} : std::byte{0};
      for (const bool classic : {true, false}) {
        Shape shape{.kind = classic ? Kind::kClassic : Kind::kSpectral, .k = static_cast<std::uint8_t>(k)};
        shape.param = classic ? 0 : 8;
        shape.units = classic ? 8 * bytes : bytes;
        const AnyFilter filter = *AnyFilter::adopt(shape, Facts{0, 1, 0.5, false}, payload);
        filter.ref().may_contain_hashes(hashes, {hits.get(), hashes.size()});
        std::size_t found = 0;
        for (std::size_t i = 0; i < hashes.size(); ++i) {
          const auto positions = reference::classic_positions(hashes[i], k, shape.units);
          const bool passes = std::all_of(positions.begin(), positions.end(), [&](std::uint64_t at) {
            return payload[static_cast<std::size_t>(classic ? at / 8 : at)] != std::byte{0};
          });
          ASSERT_EQ(filter.ref().may_contain_hash(hashes[i]), passes) << i << " of k " << k;
          ASSERT_EQ(hits[i], passes) << "in a batch: " << i << " of k " << k;
          found += passes ? 1 : 0;
        }
        EXPECT_GT(found, hashes.size() / 4);
        EXPECT_LT(found, hashes.size() * 3 / 4);
      }
    }
  }
}

TEST(Positions, ClassicIsWhatTheFormatSays) {
  for (unsigned k = 1; k <= kMaxClassicProbes; ++k) {
    for (const std::uint64_t m : {1U, 2U, 63U, 64U, 65U, 1000U, 4096U, 100'003U}) {
      Shape shape{.kind = Kind::kClassic, .k = static_cast<std::uint8_t>(k), .units = m};
      const std::size_t keys = std::max<std::size_t>(m / k, 1);
      compare(shape, (m + 63) / 64 * 64, &reference::classic_positions, test_hashes(keys, k),
              test_hashes(300, k + 100));
    }
  }
}

TEST(Positions, NoneIsInThePadding) {
  const Shape shape{.kind = Kind::kClassic, .k = 3, .units = 1000};
  for (std::size_t bit = 0; bit < 1024; ++bit) {
    AlignedBytes payload(1024 / 8);
    payload[bit / 8] = std::byte{1} << bit % 8;
    EXPECT_EQ(static_cast<bool>(FilterRef::open(shape, {.capacity = 1, .fp_rate = 0.5}, payload)), bit < 1000) << bit;
  }
}

TEST(Positions, BlockedIsWhatTheFormatSays) {
  for (unsigned k = 1; k <= kMaxBlockedProbes; ++k) {
    for (const std::uint64_t blocks : {1U, 2U, 3U, 64U, 1001U}) {
      Shape shape{.kind = Kind::kBlocked, .k = static_cast<std::uint8_t>(k), .units = blocks};
      const std::size_t keys = std::max<std::size_t>(400 * blocks / k, 1);
      compare(shape, blocks * 512, &reference::blocked_positions, test_hashes(keys, k), test_hashes(300, k + 100));
    }
  }
}

/// Zeros that reserve address space, and memory only for pages that are written.
class SparsePayload {
 public:
  explicit SparsePayload(std::size_t bytes) : bytes_(bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(memory);
  }
  ~SparsePayload() { munmap(memory_, bytes_); }
  SparsePayload(const SparsePayload&) = delete;
  SparsePayload& operator=(const SparsePayload&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return {memory_, bytes_}; }
  void flip(std::uint64_t bit) { memory_[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8)); }

 private:
  std::byte* memory_;
  std::size_t bytes_;
};

// The payload has only this key's bits: the key is found, and with any of these bits clear it is not.
void expect_positions_are_asked(const Shape& shape, std::size_t payload_bits, Positions positions_of) {
  SparsePayload payload(payload_bits / 8);
  const auto filter = FilterRef::open(shape, {.capacity = 1, .fp_rate = 0.5}, payload.bytes());
  for (const std::uint64_t hash : test_hashes(200, 9)) {
    auto positions = positions_of(hash, shape.k, shape.units);
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    for (const std::uint64_t position : positions) payload.flip(position);
    ASSERT_TRUE(filter->may_contain_hash(hash)) << "hash " << hash;
    for (const std::uint64_t position : positions) {
      payload.flip(position);
      ASSERT_FALSE(filter->may_contain_hash(hash)) << "hash " << hash << ", bit " << position;
      payload.flip(position);
    }
    for (const std::uint64_t position : positions) payload.flip(position);
  }
}

TEST(Positions, AreTheFormatsPastTwoToThe32BitsAndBlocks) {
  for (const std::uint64_t bits : {(1ULL << 33) + 64, (1ULL << 42) + 448}) {
    const Shape classic{.kind = Kind::kClassic, .k = 7, .units = bits};
    expect_positions_are_asked(classic, bits, &reference::classic_positions);
    const Shape blocked{.kind = Kind::kBlocked, .k = 12, .units = bits / 512};
    expect_positions_are_asked(blocked, bits / 512 * 512, &reference::blocked_positions);
  }
}

// With one column, a block is a word, and the answer is the parity of the key's row with 64 bits. The payload is all
// zeros except for its counts. Then no key is bumped, and a key is found if the lowest bit of its fingerprint is 0.
TEST(Positions, OfARibbonAreTheFormatsPastTwoToThe32Slots) {
  constexpr std::uint64_t kBlocks = 1ULL << 34;
  constexpr std::uint64_t kThresholds = 2;  // words: header, blocks, thresholds, solution; then the base of two blocks
  constexpr std::uint64_t kSolution = kThresholds + kBlocks / 2 / 32;
  constexpr std::uint64_t kBase = kSolution + kBlocks;
  SparsePayload payload((kBase + 3) * 8);
  const auto set = [&](std::uint64_t word, unsigned bit) { payload.flip(64 * word + bit); };
  set(0, 1);   // two levels
  set(0, 16);  // one key
  set(1, 34);
  set(kBase, 1);
  const Shape shape{.kind = Kind::kRibbon, .k = 1, .units = kBase + 3};
  const auto filter = FilterRef::open(shape, {.capacity = 1, .fp_rate = 0.5}, payload.bytes());
  std::uint64_t last = 0;
  for (const std::uint64_t hash : test_hashes(300, 9)) {
    const bool found = (hash * 0xD6E8FEB86659FD93 >> 32 & 1) == 0;
    const std::uint64_t start = reference::mulhi(hash, 64 * (kBlocks - 1));
    ASSERT_EQ(filter->may_contain_hash(hash), found) << "hash " << hash;
    payload.flip(64 * kSolution + start);  // the lowest bit of a row is always 1
    ASSERT_EQ(filter->may_contain_hash(hash), !found) << "hash " << hash;
    payload.flip(64 * kThresholds + 2 * (start / 128));
    payload.flip(64 * kThresholds + 2 * (start / 128) + 1);  // bumps the whole bucket to the base, which is all zeros
    ASSERT_EQ(filter->may_contain_hash(hash), found) << "hash " << hash;
    payload.flip(64 * kThresholds + 2 * (start / 128));
    payload.flip(64 * kThresholds + 2 * (start / 128) + 1);
    payload.flip(64 * kSolution + start);
    last = std::max(last, start);
  }
  EXPECT_GT(last, 1ULL << 39);
}

}  // namespace
}  // namespace crivo

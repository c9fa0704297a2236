// Gap coding: close to the entropy at every fill, exact for every payload, and safe on every stream.
#include "format/codec_gap.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "crivo/host/bytes.h"
#include "filters.h"
#include "kinds/bloom/sizes.h"

namespace crivo {
namespace {

using Bytes = std::vector<std::byte>;

/// A filter with this number of bits, of which this fraction is set.
AnyFilter filter_with_fill(Kind kind, std::uint64_t bits, double fill) {
  constexpr unsigned kProbes = 8;
  Shape shape{.kind = kind, .k = kProbes, .units = kind == Kind::kClassic ? bits : bits / kBlockBits};
  const std::uint64_t payload_bytes = kind == Kind::kClassic ? (bits + 63) / 64 * 8 : shape.units * 64;
  Facts facts;
  facts.capacity = 1;
  facts.fp_rate = 0.5;
  auto filter = AnyFilter::adopt(shape, facts, AlignedBytes(payload_bytes));
  const double keys = -std::log1p(-fill) * static_cast<double>(bits) / kProbes;
  EXPECT_TRUE(filter->add_hashes(testing::present_hashes(static_cast<std::uint64_t>(std::ceil(keys)), 0)));
  return *std::move(filter);
}

/// Expects the stored payload of this form to be at most 3% and 64 bytes larger than the entropy of its bits.
void expect_near_entropy(Kind kind, std::uint64_t bits, double fill, BlobForm form) {
  const AnyFilter filter = filter_with_fill(kind, bits, fill);
  const Stats stats = filter.ref().stats();
  const double share = static_cast<double>(stats.bits_set) / static_cast<double>(stats.bits);
  const double entropy_bytes = bit_entropy(share) * static_cast<double>(stats.bits) / 8;
  const Bytes blob = testing::blob_of(filter.ref(), form);
  EXPECT_LE(static_cast<double>(blob.size() - kBlobHeaderBytes), 1.03 * entropy_bytes + 64)
      << kind_name(kind) << ", " << bits << " bits, " << share << " set";

  const auto opened = parse_blob(blob);
  EXPECT_TRUE(std::ranges::equal(opened->ref().payload(), filter.payload()));
}

constexpr double kFills[] = {0.001, 0.003, 0.01, 0.03, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5};

class GapCoding : public ::testing::TestWithParam<std::tuple<Kind, std::uint64_t>> {
 protected:
  void expect_every_fill_near_entropy() const {
    const auto [kind, bits] = GetParam();
    for (const double fill : kFills) {
      expect_near_entropy(kind, bits, fill, BlobForm::kSmallest);
      if (fill <= 0.2) expect_near_entropy(kind, bits, fill, BlobForm::kAuto);  // raw above a fill of 0.2145
    }
  }
};

TEST_P(GapCoding, StaysWithinThreePercentOfTheEntropyAtEveryFill) { expect_every_fill_near_entropy(); }

INSTANTIATE_TEST_SUITE_P(KindsAndSizes, GapCoding,
                         ::testing::Combine(::testing::Values(Kind::kClassic, Kind::kBlocked),
                                            ::testing::Values(10'000, 100'000, 1'000'000, 10'000'000)));

using LongGapCoding = GapCoding;
TEST_P(LongGapCoding, StaysWithinThreePercentOfTheEntropyAtEveryFill) { expect_every_fill_near_entropy(); }
INSTANTIATE_TEST_SUITE_P(Kinds, LongGapCoding,
                         ::testing::Combine(::testing::Values(Kind::kClassic, Kind::kBlocked),
                                            ::testing::Values(100'000'000)));

TEST(GapCodingAuto, IsWhatASparseBitArrayIsStoredAs) {
  for (const Kind kind : {Kind::kClassic, Kind::kBlocked}) {
    for (const double fill : {0.0, 0.001, 0.2, 0.22, 0.5}) {
      const Bytes blob = testing::blob_of(filter_with_fill(kind, 100'000, fill).ref(), BlobForm::kAuto);
      EXPECT_EQ(parse_blob(blob)->codec(), fill < 0.21 ? Codec::kGapZstd : Codec::kRaw) << kind_name(kind) << fill;
    }
  }
}

// The keys fill every tenth block. The filter is sparse, but its bits are not random.
TEST(GapCodingAuto, LeavesPatternsToZstd) {
  Shape shape{.kind = Kind::kBlocked, .k = 8, .units = 1000};
  AlignedBytes payload(64'000);
  for (std::size_t i = 0; i < payload.size(); ++i) payload[i] = i / 64 % 10 == 0 ? std::byte{0xFF} : std::byte{0};
  const auto filter = AnyFilter::adopt(shape, {.capacity = 1, .fp_rate = 0.5}, std::move(payload));
  for (const BlobForm form : {BlobForm::kAuto, BlobForm::kSmallest}) {
    const Bytes blob = testing::blob_of(filter->ref(), form);
    const auto opened = parse_blob(blob);
    EXPECT_EQ(opened->codec(), Codec::kZstd);
    EXPECT_TRUE(std::ranges::equal(opened->ref().payload(), filter->payload()));
  }
}

Bytes random_payload(std::mt19937_64& random, std::size_t size, double fill) {
  Bytes payload(size);
  std::bernoulli_distribution is_set(fill);
  for (std::size_t i = 0; i < size * 8; ++i) {
    if (is_set(random)) payload[i / 8] |= static_cast<std::byte>(1U << (i % 8));
  }
  return payload;
}

void expect_round_trip(const Bytes& payload) {
  const auto stored = compress_gap(payload, 0);
  EXPECT_EQ(stored, compress_gap(payload, 0));
  const auto decoded = decompress_gap(*stored, payload.size());
  EXPECT_TRUE(std::ranges::equal(*decoded, payload));
}

TEST(GapCodingRoundTrip, IsExactForEverySizeAndFill) {
  std::mt19937_64 random(1);
  for (std::size_t size = 0; size < 70; ++size) {
    for (const double fill : {0.0, 0.01, 0.05}) expect_round_trip(random_payload(random, size, fill));
  }
  for (const double fill : {0.00001, 0.001, 0.1, 0.24}) expect_round_trip(random_payload(random, 100'003, fill));
}

TEST(GapCodingRoundTrip, IsForPayloadsOfWhichAQuarterIsSetAtMost) {
  std::mt19937_64 random(4);
  for (const std::size_t size : {8U, 64U, 1000U}) {
    std::vector<std::size_t> positions(8 * size);
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = i;
    std::ranges::shuffle(positions, random);
    Bytes payload(size);
    const auto set = [&](std::size_t position) {
      payload[position / 8] |= static_cast<std::byte>(1U << (position % 8));
    };
    for (std::size_t i = 0; i < 2 * size; ++i) set(positions[i]);
    expect_round_trip(payload);
    set(positions[2 * size]);
    EXPECT_FALSE(compress_gap(payload, 0)) << size;
  }
}

// zstd compresses a regular pattern of 100,000 set bits to a few bytes. A forged payload would be equally small.
TEST(GapCodingRoundTrip, IsNotForPatternsOfLessThanTwoBitsPerGap) {
  Bytes payload(50'000, std::byte{0x11});
  EXPECT_FALSE(compress_gap(payload, 0));
  EXPECT_FALSE(compress_gap(payload, 64));
}

TEST(GapCodingRoundTrip, IsExactForALoneBitAndForExtremes) {
  for (const std::size_t bit : {0U, 7U, 8U, 63U, 64U, 12345U, 799'999U}) {
    Bytes payload(100'000);
    payload[bit / 8] = static_cast<std::byte>(1U << (bit % 8));
    expect_round_trip(payload);
  }
  std::mt19937_64 random(5);  // first half of the bits set, then all clear, then one bit: gaps far above the mean
  Bytes uneven = random_payload(random, 20'000, 0.5);
  uneven.resize(100'000);
  uneven.back() = std::byte{0x80};
  expect_round_trip(uneven);
}

// Streams written by hand from docs/format.md. tests/golden/hostile_set.cpp has the streams whose numbers are wrong.
class HostileGapStream : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kRawBytes = 1000;  // 8000 bits

  static Bytes stream(std::uint64_t set, const std::vector<std::uint8_t>& low,
                      const std::vector<std::uint8_t>& symbols) {
    Bytes bytes(8);
    store_le(bytes.data(), set);
    for (const std::uint8_t byte : low) bytes.push_back(std::byte{byte});
    const Bytes frame = frame_of(symbols, 0);
    bytes.insert(bytes.end(), frame.begin(), frame.end());
    return bytes;
  }
  /// A frame that stores at most 128 KiB of symbols raw (RFC 8878, 3.1.1). A window_log of 0 gives a single segment.
  /// Otherwise the frame omits the content size, because zstd reduces a window that exceeds it.
  static Bytes frame_of(const std::vector<std::uint8_t>& symbols, unsigned window_log) {
    const auto size = static_cast<std::uint32_t>(symbols.size());
    Bytes frame(4);
    store_le(frame.data(), std::uint32_t{0xFD2FB528});
    if (window_log == 0) {
      frame.push_back(std::byte{0xA0});  // a content size of four bytes, a single segment
      for (unsigned i = 0; i < 4; ++i) frame.push_back(static_cast<std::byte>(size >> 8 * i));
    } else {
      frame.push_back(std::byte{0});
      frame.push_back(static_cast<std::byte>((window_log - 10) << 3));
    }
    const std::uint32_t last_raw_block = 1 | size << 3;
    for (unsigned i = 0; i < 3; ++i) frame.push_back(static_cast<std::byte>(last_raw_block >> 8 * i));
    for (const std::uint8_t symbol : symbols) frame.push_back(std::byte{symbol});
    return frame;
  }
  static void expect_corrupt(const Bytes& bytes, std::string_view why, std::uint64_t raw_bytes = kRawBytes) {
    const auto decoded = decompress_gap(bytes, raw_bytes);
    ASSERT_FALSE(decoded) << why;
    EXPECT_EQ(decoded.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(decoded.error().message.find(why), std::string::npos) << decoded.error().message;
  }
};

TEST_F(HostileGapStream, IsTheControl) {
  // With 500 of 8000 bits set, b is 0, as 500 x 16 >= 8000. With 499 it is 1.
  const auto decoded = decompress_gap(stream(500, {}, std::vector<std::uint8_t>(500, 15)), kRawBytes);
  for (std::size_t i = 0; i < kRawBytes; ++i)
    EXPECT_EQ((*decoded)[i], i % 2 == 0 ? std::byte{0} : std::byte{0x80}) << i;
  EXPECT_TRUE(
      decompress_gap(stream(499, std::vector<std::uint8_t>(63, 0), std::vector<std::uint8_t>(499, 7)), kRawBytes));
}

// zstd stores any number of equal symbols in a few bytes, and each symbol would be a bit to set.
TEST_F(HostileGapStream, IsRejectedWhenItsGapsTakeLessThanTwoBitsEach) {
  const std::vector<std::uint8_t> gaps(2000, 0);
  Bytes frame(ZSTD_compressBound(gaps.size()));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), gaps.data(), gaps.size(), 1));
  Bytes bytes(8);
  store_le(bytes.data(), std::uint64_t{2000});
  bytes.insert(bytes.end(), frame.begin(), frame.end());
  expect_corrupt(bytes, "at least 500 bytes for 2000 bits set, got " + std::to_string(bytes.size()));

  const auto padded = [&](std::uint64_t set, std::size_t size) {
    Bytes stored(size, std::byte{0x28});
    store_le(stored.data(), set);
    return stored;
  };
  expect_corrupt(padded(2000, 499), "at least 500 bytes for 2000 bits set, got 499");
  expect_corrupt(padded(2000, 500), "zstd frame must");
}

TEST_F(HostileGapStream, IsRejectedByItsFrame) {
  const std::vector<std::uint8_t> gaps(500, 15);
  const Bytes good = stream(500, {}, gaps);
  Bytes bytes = good;
  bytes.push_back(std::byte{0});
  expect_corrupt(bytes, "fill the rest of the stored payload");
  bytes = good;
  bytes.insert(bytes.end(), good.begin() + 8, good.end());
  expect_corrupt(bytes, "fill the rest of the stored payload");
  bytes = good;
  bytes[8] = std::byte{0x50};
  bytes[9] = std::byte{0x2A};
  bytes[10] = std::byte{0x4D};
  bytes[11] = std::byte{0x18};  // the magic number of a skippable frame
  expect_corrupt(bytes, "start with its magic");

  for (const unsigned window_log : {17U, 18U, 27U}) {
    Bytes wide(8);
    store_le(wide.data(), std::uint64_t{500});
    const Bytes frame = frame_of(gaps, window_log);
    wide.insert(wide.end(), frame.begin(), frame.end());
    if (window_log == 17) {
      EXPECT_TRUE(decompress_gap(wide, kRawBytes));
    } else {
      expect_corrupt(wide, "zstd frame must decode");
    }
  }
}

#if !defined(__SANITIZE_THREAD__)  // ThreadSanitizer makes all reserved memory resident
/// The resident bytes of a payload's pages.
std::size_t resident_bytes(std::span<const std::byte> payload) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<std::uintptr_t>(payload.data()) + page - 1) / page * page;
  const std::size_t pages = payload.size() / page - 1;
  std::vector<unsigned char> in_memory(pages);
  auto* const address = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr)
  EXPECT_EQ(::mincore(address, pages * page, in_memory.data()), 0);
  return page * static_cast<std::size_t>(std::ranges::count_if(in_memory, [](auto it) { return (it & 1) != 0; }));
}

// With huge pages, each of these bits would occupy a page of 2 MiB.
TEST(GapCodedPayload, TakesTheMemoryThatItFills) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  constexpr std::size_t kBits = 16;
  Bytes payload(kBits * kHugePage);
  for (std::size_t i = 0; i < kBits; ++i) payload[i * kHugePage + 5] = std::byte{1};
  const Bytes stored = *compress_gap(payload, 0);
  EXPECT_LT(stored.size(), 1000U);
  const auto decoded = decompress_gap(stored, payload.size());
  EXPECT_LT(resident_bytes(*decoded), 2 * kBits * 65'536);
  EXPECT_TRUE(std::ranges::equal(*decoded, payload));
}
#endif

TEST_F(HostileGapStream, DecodesToAPayloadOfTheRightSizeOrNothingAtEveryBitFlip) {
  std::mt19937_64 random(3);
  const Bytes good = *compress_gap(random_payload(random, kRawBytes, 0.03), 0);
  std::size_t decoded_count = 0;
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes bytes = good;
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    const auto decoded = decompress_gap(bytes, kRawBytes);
    if (!decoded) continue;
    ++decoded_count;
    EXPECT_EQ(decoded->size(), kRawBytes);
    EXPECT_TRUE(compress_gap(*decoded, 0));
  }
  EXPECT_GT(decoded_count, 0U);  // low bits: another valid payload, which only the blob's checksum can detect
}

}  // namespace
}  // namespace crivo

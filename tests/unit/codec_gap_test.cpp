// Gap coding: close to the entropy at every fill, exact for every payload, and safe on every stream.
#include "format/codec_gap.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "base/bytes.h"
#include "crivo/blob.h"
#include "crivo/sizing.h"
#include "filters.h"

namespace crivo {
namespace {

using Bytes = std::vector<std::byte>;

/// A filter of this many bits with this share of them set.
AnyFilter filter_with_fill(Kind kind, std::uint64_t bits, double fill) {
  constexpr unsigned kProbes = 8;
  Shape shape;
  shape.kind = kind;
  shape.probes = kProbes;
  shape.units = kind == Kind::kClassic ? bits : bits / kBlockBits;
  const std::uint64_t payload_bytes = kind == Kind::kClassic ? (bits + 63) / 64 * 8 : shape.units * 64;
  Facts facts;
  facts.capacity = 1;
  facts.fp_rate = 0.5;
  auto filter = AnyFilter::adopt(shape, facts, AlignedBytes(payload_bytes));
  EXPECT_TRUE(filter) << filter.error().message;
  const double keys = -std::log1p(-fill) * static_cast<double>(bits) / kProbes;
  EXPECT_TRUE(filter->add_hashes(testing::present_hashes(static_cast<std::uint64_t>(std::ceil(keys)), 0)));
  return *std::move(filter);
}

/// The stored payload that a form writes is within 3% of the entropy of its bits, and 64 bytes.
void expect_near_entropy(Kind kind, std::uint64_t bits, double fill, BlobForm form) {
  const AnyFilter filter = filter_with_fill(kind, bits, fill);
  const Stats stats = filter.ref().stats();
  const double share = static_cast<double>(stats.bits_set) / static_cast<double>(stats.bits);
  const double entropy_bytes = bit_entropy(share) * static_cast<double>(stats.bits) / 8;
  const Bytes blob = testing::blob_of(filter.ref(), form);
  EXPECT_LE(static_cast<double>(blob.size() - kBlobHeaderBytes), 1.03 * entropy_bytes + 64)
      << kind_name(kind) << ", " << bits << " bits, " << share << " set";

  const auto opened = parse_blob(blob);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_TRUE(std::ranges::equal(opened->ref().payload(), filter.payload()));
}

constexpr double kFills[] = {0.001, 0.003, 0.01, 0.03, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5};

class GapCoding : public ::testing::TestWithParam<std::tuple<Kind, std::uint64_t>> {
 protected:
  void expect_every_fill_near_entropy() const {
    const auto [kind, bits] = GetParam();
    for (const double fill : kFills) {
      expect_near_entropy(kind, bits, fill, BlobForm::kSmallest);
      if (fill <= 0.2) expect_near_entropy(kind, bits, fill, BlobForm::kAuto);  // raw from 0.2145 on
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

TEST(GapCodingAuto, TakesNextToNothingForAnEmptyFilter) {
  EXPECT_LE(testing::blob_of(filter_with_fill(Kind::kBlocked, 100'000'000, 0).ref(), BlobForm::kAuto).size(), 100U);
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
  const Bytes stored = compress_gap(payload, 0);
  EXPECT_EQ(stored, compress_gap(payload, 0));
  const auto decoded = decompress_gap(stored, payload.size());
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_TRUE(std::ranges::equal(*decoded, payload));
}

TEST(GapCodingRoundTrip, IsExactForEverySizeAndFill) {
  std::mt19937_64 random(1);
  for (std::size_t size = 0; size < 70; ++size) {
    for (const double fill : {0.0, 0.01, 0.5, 1.0}) expect_round_trip(random_payload(random, size, fill));
  }
  for (const double fill : {0.00001, 0.001, 0.1, 0.9}) expect_round_trip(random_payload(random, 100'003, fill));
}

TEST(GapCodingRoundTrip, IsExactForALoneBitAndForExtremes) {
  for (const std::size_t bit : {0U, 7U, 8U, 63U, 64U, 12345U, 799'999U}) {
    Bytes payload(100'000);
    payload[bit / 8] = static_cast<std::byte>(1U << (bit % 8));
    expect_round_trip(payload);
  }
  Bytes half(100'000);  // all set, then all clear, then one bit: gaps far above the mean
  std::fill(half.begin(), half.begin() + 50'000, std::byte{0xFF});
  half.back() = std::byte{0x80};
  expect_round_trip(half);
}

TEST(GapCodingRoundTrip, LeavesRoomForTheHeader) {
  const Bytes payload(1000, std::byte{1});
  const Bytes plain = compress_gap(payload, 0);
  const Bytes with_room = compress_gap(payload, 64);
  EXPECT_TRUE(std::ranges::equal(std::span(with_room).subspan(64), plain));
}

// Streams made by hand, from docs/format.md.
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
  /// A frame of this window, which zstd would lower if it knew the size; 0: of the default form.
  static Bytes frame_of(const std::vector<std::uint8_t>& symbols, int window_log) {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    Bytes frame(ZSTD_compressBound(symbols.size()) + 64);
    ZSTD_inBuffer in{symbols.data(), symbols.size(), 0};
    ZSTD_outBuffer out{frame.data(), frame.size(), 0};
    if (window_log != 0) {
      ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
      ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);
    }
    EXPECT_EQ(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0U);
    ZSTD_freeCCtx(context);
    frame.resize(out.pos);
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
  // 500 bits set of 8000: b is 0, as 500 x 16 >= 8000. 499 of them: b is 1.
  const auto decoded = decompress_gap(stream(500, {}, std::vector<std::uint8_t>(500, 15)), kRawBytes);
  ASSERT_TRUE(decoded) << decoded.error().message;
  for (std::size_t i = 0; i < kRawBytes; ++i)
    EXPECT_EQ((*decoded)[i], i % 2 == 0 ? std::byte{0} : std::byte{0x80}) << i;
  EXPECT_TRUE(
      decompress_gap(stream(499, std::vector<std::uint8_t>(63, 0), std::vector<std::uint8_t>(499, 7)), kRawBytes));
}

TEST_F(HostileGapStream, IsRejectedWhenItsCountIsNotThatOfItsGaps) {
  const std::vector<std::uint8_t> gaps(600, 3);
  EXPECT_TRUE(decompress_gap(stream(600, {}, gaps), kRawBytes));
  expect_corrupt(stream(599, {}, gaps), "as many gaps as bits set, got more");
  expect_corrupt(stream(601, {}, gaps), "as many gaps as bits set, got 1 too few");
  expect_corrupt(stream(8001, {}, gaps), "at most 8000 bits set, got 8001");
  expect_corrupt(stream(UINT64_MAX, {}, gaps), "at most 8000 bits set");
  expect_corrupt(stream(0, {}, gaps), "got more");
  expect_corrupt(stream(500, {}, {}), "got 500 too few");
}

TEST_F(HostileGapStream, IsRejectedOutsideThePayload) {
  std::vector<std::uint8_t> gaps(500, 15);
  gaps.back() = 16;
  expect_corrupt(stream(500, {}, gaps), "stay inside 8000 bits, got a gap of 16 at 7984");
  expect_corrupt(stream(500, {}, std::vector<std::uint8_t>(500, 254)), "stay inside");
  expect_corrupt(stream(500, {}, std::vector<std::uint8_t>(100'000, 255)), "gaps of at most 8000 bits");
}

TEST_F(HostileGapStream, IsRejectedWhenAGapDoesNotEnd) {
  std::vector<std::uint8_t> gaps(500, 3);
  gaps.push_back(255);
  expect_corrupt(stream(500, {}, gaps), "as many gaps as bits set");
}

TEST_F(HostileGapStream, IsRejectedByItsLowBits) {
  const std::vector<std::uint8_t> gaps(499, 0);
  std::vector<std::uint8_t> low(63, 0);
  EXPECT_TRUE(decompress_gap(stream(499, low, gaps), kRawBytes));
  low.back() = 0x08;  // 499 bits end at bit 2 of the last byte
  expect_corrupt(stream(499, low, gaps), "clear padding");
  low.pop_back();
  expect_corrupt(stream(499, low, gaps), "zstd frame must");
  Bytes head(8 + 62);
  store_le(head.data(), std::uint64_t{499});
  expect_corrupt(head, "hold 63 bytes of low bits, got 62");
}

TEST_F(HostileGapStream, IsRejectedByItsFrame) {
  const std::vector<std::uint8_t> gaps(500, 15);
  const Bytes good = stream(500, {}, gaps);
  Bytes bytes = good;
  bytes.push_back(std::byte{0});
  expect_corrupt(bytes, "fill the rest of the stored payload");
  bytes = good;
  bytes.insert(bytes.end(), good.begin() + 8, good.end());  // a second frame
  expect_corrupt(bytes, "fill the rest of the stored payload");
  bytes = good;
  bytes[8] = std::byte{0x50};
  bytes[9] = std::byte{0x2A};
  bytes[10] = std::byte{0x4D};
  bytes[11] = std::byte{0x18};  // a skippable frame's magic
  expect_corrupt(bytes, "start with its magic");

  for (const int window_log : {17, 18, 27}) {
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

TEST_F(HostileGapStream, IsRejectedAtEveryTruncation) {
  std::mt19937_64 random(2);
  const Bytes payload = random_payload(random, kRawBytes, 0.03);
  const Bytes good = compress_gap(payload, 0);
  for (std::size_t size = 0; size < good.size(); ++size) {
    const auto decoded = decompress_gap(std::span(good).first(size), kRawBytes);
    ASSERT_FALSE(decoded) << size;
    EXPECT_EQ(decoded.error().code, ErrorCode::kCorrupt) << size;
  }
  EXPECT_FALSE(decompress_gap(good, kRawBytes / 2));  // nor into less than its gaps add up to
}

TEST_F(HostileGapStream, DecodesToAPayloadOfTheRightSizeOrNothingAtEveryBitFlip) {
  std::mt19937_64 random(3);
  const Bytes good = compress_gap(random_payload(random, kRawBytes, 0.03), 0);
  std::size_t decoded_count = 0;
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes bytes = good;
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    const auto decoded = decompress_gap(bytes, kRawBytes);
    if (!decoded) continue;
    ++decoded_count;
    EXPECT_EQ(decoded->size(), kRawBytes);
    EXPECT_EQ(compress_gap(*decoded, 0).size() > 8, true);
  }
  EXPECT_GT(decoded_count, 0U);  // low bits: another payload, which only the blob's checksum can tell
}

}  // namespace
}  // namespace crivo

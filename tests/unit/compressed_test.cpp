// Sizes of compressed filters: the smallest blob at a rate, and the lowest rate in a blob. Real blobs must reach the
// figures of table 1 of Mitzenmacher 2002, "Compressed Bloom filters".
#include "kinds/bloom/compressed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "filters.h"
#include "kinds/bloom/positions.h"
#include "kinds/bloom/sizes.h"

namespace crivo::testing {
namespace {

constexpr double kCodecOverhead = 1.03;  // docs/format.md, "Gap coding": 3%, and 64 bytes

double blob_bits_per_key(const AnyFilter& filter, std::uint64_t keys) {
  const auto bytes = blob_of(filter.ref(), BlobForm::kAuto).size() - kBlobHeaderBytes;
  return static_cast<double>(bytes) * 8 / static_cast<double>(keys);
}

FilterSpec compressed_spec(std::uint64_t capacity) {
  FilterSpec spec;
  EXPECT_TRUE(choose_kind(spec, "compressed"));
  spec.capacity = capacity;
  return spec;
}

/// The limit of classic_fp_rate as the number of keys grows: (1 - e^(-kn/m))^k.
double rate_of_many(double bits_per_key, unsigned probes) {
  return std::pow(-std::expm1(-double(probes) / bits_per_key), probes);
}

struct Figure {
  double bits_per_key;  // of the uncompressed filter in memory
  unsigned probes;
  double fp_rate;
};

class PaperFigures : public ::testing::TestWithParam<Figure> {};

// Each of the three blobs has eight bits per key.
TEST_P(PaperFigures, AreReachedByRealBlobs) {
  const Figure figure = GetParam();
  constexpr std::uint64_t kKeys = 100'000;
  constexpr std::uint64_t kAbsent = 1'000'000;
  Shape shape{.kind = Kind::kClassic,
              .k = static_cast<std::uint8_t>(figure.probes),
              .units = static_cast<std::uint64_t>(figure.bits_per_key * kKeys)};
  auto filter = AnyFilter::adopt(shape, {.capacity = kKeys, .fp_rate = 0.5}, AlignedBytes((shape.units + 63) / 64 * 8));
  ASSERT_TRUE(filter->add_hashes(present_hashes(kKeys, 0)));

  const double bound = stored_bits_per_key(figure.bits_per_key, figure.probes);
  const double transmitted = blob_bits_per_key(*filter, kKeys);
  const auto found = static_cast<double>(count_found(filter->ref(), absent_hashes(kAbsent, 0)));
  std::printf("m/n = %2.0f, k = %u: %.3f bits per key transmitted, entropy %.3f; rate %.5f, in the paper %.4f\n",
              figure.bits_per_key, figure.probes, transmitted, bound, found / kAbsent, figure.fp_rate);
  EXPECT_NEAR(bound, 8, 0.1);
  EXPECT_LE(transmitted, kCodecOverhead * bound + 64.0 * 8 / kKeys);
  // The tolerance is half of the figure's last digit, the binomial deviation at one in a million, and 2% for this
  // filter's own fill. The standard deviation of k times the fill's relative error is below 0.5% in all three.
  const double deviation = 4.75 * std::sqrt(figure.fp_rate / kAbsent);
  EXPECT_NEAR(found / kAbsent, figure.fp_rate, 0.00005 + deviation + 0.02 * figure.fp_rate);
}

INSTANTIATE_TEST_SUITE_P(AtEightBitsPerKey, PaperFigures,
                         ::testing::Values(Figure{8, 6, 0.0216}, Figure{14, 2, 0.0177}, Figure{92, 1, 0.0108}));

TEST(Compressed, PicksThePapersOptimumAtEightBitsPerKey) {
  FilterSpec spec = compressed_spec(100'000);
  spec.bits_per_key = 8;
  const AnyFilter filter = build_filter(spec, 100'000);
  EXPECT_EQ(filter.shape().k, 1U);
  // In table 1 of the paper: 92 bits per key in memory, 7.92 in the blob. Here, the blob has 8.
  EXPECT_NEAR(static_cast<double>(filter.shape().units), 97e5, 1e5);
  EXPECT_LE(filter.facts().fp_rate, 0.0108);
  EXPECT_GE(filter.facts().fp_rate, 0.0100);
  EXPECT_LE(blob_bits_per_key(filter, 100'000), kCodecOverhead * 8 + 64.0 * 8 / 100'000);
}

class CompressedAtRate : public ::testing::TestWithParam<double> {};

TEST_P(CompressedAtRate, MeetsItInASmallerBlobThanClassic) {
  const double fp_rate = GetParam();
  constexpr std::uint64_t kKeys = 20'000;
  FilterSpec spec = compressed_spec(kKeys);
  spec.fp_rate = fp_rate;
  const AnyFilter compressed = build_filter(spec, kKeys);
  spec.smallest_blob = false;
  const AnyFilter classic = build_filter(spec, kKeys);

  EXPECT_LE(compressed.ref().predicted_fp_rate(kKeys), fp_rate);
  EXPECT_NEAR(compressed.ref().stats().current_fp_rate, fp_rate, 0.1 * fp_rate);
  EXPECT_LE(static_cast<double>(compressed.shape().units), kMaxCompressedBitsPerKey * kKeys);
  const double bits = stored_bits_per_key(static_cast<double>(compressed.shape().units) / kKeys, compressed.shape().k);
  const double stored = blob_bits_per_key(compressed, kKeys);
  EXPECT_LE(stored, kCodecOverhead * bits + 64.0 * 8 / kKeys);
  // By the formula, the blob is 7% (at a rate of 0.1) to 16% (at 0.01) smaller. The codec adds up to 1.5%.
  EXPECT_LT(stored, 0.95 * blob_bits_per_key(classic, kKeys));
}

INSTANTIATE_TEST_SUITE_P(Rates, CompressedAtRate, ::testing::Values(0.1, 0.02, 0.01, 0.001, 1e-4, 1e-6));

TEST(Compressed, IsNoOtherChoiceOfProbesAndBits) {
  for (const double fp_rate : {0.3, 0.1, 0.01, 0.001, 1e-5}) {
    constexpr std::uint64_t kKeys = 1'000'000;
    const auto best = size_compressed(kKeys, fp_rate);
    const double best_bits = stored_bits_per_key(static_cast<double>(best->units) / kKeys, best->probes);
    EXPECT_LE(classic_fp_rate(static_cast<double>(best->units), kKeys, best->probes), fp_rate);
    EXPECT_GE(best_bits, -std::log2(fp_rate));
    for (unsigned probes = 1; probes <= kMaxClassicProbes; ++probes) {
      for (double bits = 1; bits <= kMaxCompressedBitsPerKey; bits *= 1.01) {
        if (rate_of_many(bits, probes) > fp_rate) continue;
        EXPECT_GE(stored_bits_per_key(bits, probes), best_bits * (1 - 1e-6)) << fp_rate << " " << probes << " " << bits;
      }
    }
  }
}

TEST(Compressed, HasTheLowestRateThatFitsTheBits) {
  for (const double stored : {0.5, 2.0, 3.2, 5.0, 8.0, 12.0, 30.0, 100.0, 130.0, 1000.0}) {
    constexpr std::uint64_t kKeys = 1'000'000;
    const auto best = size_compressed_by_bits(kKeys, stored);
    const double best_bits = static_cast<double>(best->units) / kKeys;
    const double best_rate = rate_of_many(best_bits, best->probes);
    EXPECT_LE(stored_bits_per_key(best_bits, best->probes), stored * (1 + 1e-5));
    const double most = std::max(kMaxCompressedBitsPerKey, stored);
    for (unsigned probes = 1; probes <= kMaxClassicProbes; ++probes) {
      for (double bits = 0.25; bits <= most; bits *= 1.01) {
        if (stored_bits_per_key(bits, probes) > stored) continue;
        EXPECT_GE(rate_of_many(bits, probes), best_rate * (1 - 1e-4)) << stored << " " << probes << " " << bits;
      }
    }
  }
}

}  // namespace
}  // namespace crivo::testing

// The scalable kind: it grows by layers, stays within its rate while it grows, and its layer table is fully validated.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "crivo/types.h"
#include "filters.h"
#include "kinds/bloom/layers.h"

namespace crivo::testing {
namespace {

FilterSpec spec_of(std::uint64_t capacity, double fp_rate, unsigned growth = 2) {
  return {.kind = Kind::kScalable, .capacity = capacity, .fp_rate = fp_rate, .growth = growth};
}

AnyFilter create(const FilterSpec& spec) { return *AnyFilter::create(spec); }

unsigned layers_of(const AnyFilter& filter) { return read_series(filter.payload().data()).layers; }

TEST(Scalable, NamesTheRateOfItsFirstLayer) {
  const Result<AnyFilter> refused = AnyFilter::create(spec_of(1'000'000, 1e-13));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.find("fp_rate of the first layer, a quarter of fp_rate: fp_rate must be above"), 0U)
      << refused.error().message;
}

class ScalablePromise : public ::testing::TestWithParam<std::tuple<double, unsigned>> {};

// X counts the false positives among T absent keys. With a rate of p, X exceeds T p + 4.75 sqrt(T p (1 - p)) once in a
// million runs. The model's rate is below the requested one at this growth: the layers' rates sum to P (1 - (3/4)^L).
TEST_P(ScalablePromise, HoldsAtAHundredTimesTheFirstCapacity) {
  const auto [fp_rate, growth] = GetParam();
  constexpr std::uint64_t kFirst = 2000;
  constexpr std::uint64_t kAbsent = 400000;
  AnyFilter filter = create(spec_of(kFirst, fp_rate, growth));
  const auto hashes = present_hashes(100 * kFirst, 0);
  ASSERT_TRUE(filter.add_hashes(hashes));
  EXPECT_EQ(count_found(filter.ref(), hashes), hashes.size());
  EXPECT_GE(layers_of(filter), 3U);
  const auto found = static_cast<double>(count_found(filter.ref(), absent_hashes(kAbsent, 0)));
  EXPECT_LE(found, kAbsent * fp_rate + 4.75 * std::sqrt(kAbsent * fp_rate * (1 - fp_rate)));

  // The rate that the filter reports agrees with the measured rate, within the same bound on both sides.
  const double at_fill = filter.ref().stats().current_fp_rate;
  EXPECT_NEAR(found, kAbsent * at_fill, 4.75 * std::sqrt(kAbsent * at_fill * (1 - at_fill)) + 1);
  EXPECT_LE(at_fill, fp_rate);
  EXPECT_LE(filter.ref().predicted_fp_rate(100 * kFirst), fp_rate);
  EXPECT_NEAR(filter.ref().predicted_fp_rate(100 * kFirst), at_fill, 0.1 * at_fill);
}

INSTANTIATE_TEST_SUITE_P(RatesAndGrowths, ScalablePromise,
                         ::testing::Values(std::tuple{0.1, 2U}, std::tuple{0.01, 2U}, std::tuple{0.01, 4U},
                                           std::tuple{0.001, 2U}, std::tuple{0.001, 16U}));

TEST(Scalable, PredictsBelowThePromiseForEver) {
  const AnyFilter filter = create(spec_of(1000, 0.01));
  EXPECT_EQ(filter.ref().predicted_fp_rate(0), 0);
  double before = 0;
  for (double keys = 1; keys < 1e9; keys *= 3) {
    const double rate = filter.ref().predicted_fp_rate(keys);
    EXPECT_LE(rate, 0.01) << keys;
    EXPECT_GE(rate, before) << keys;
    before = rate;
  }
  EXPECT_GT(before, 0.009);  // the requested rate is nearly used: 1 - (3/4)^20 of it
}

TEST(Scalable, OpensALayerForTheFirstKeyThatDoesNotFit) {
  AnyFilter filter = create(spec_of(100, 1e-9));  // at this rate, no key is a false positive
  ASSERT_TRUE(filter.add_hashes(present_hashes(100, 0)));
  EXPECT_EQ(layers_of(filter), 1U);
  ASSERT_TRUE(filter.add_hashes(present_hashes(1, 0, 100)));
  EXPECT_EQ(layers_of(filter), 2U);
  ASSERT_TRUE(filter.add_hashes(present_hashes(199, 0, 101)));
  EXPECT_EQ(layers_of(filter), 2U);
  ASSERT_TRUE(filter.add_hashes(present_hashes(1, 0, 300)));
  EXPECT_EQ(layers_of(filter), 3U);
}

TEST(Scalable, EstimatesItsDistinctKeys) {
  AnyFilter filter = create(spec_of(1000, 0.01));
  EXPECT_EQ(filter.ref().stats().cardinality, 0.0);
  ASSERT_TRUE(filter.add_hashes(present_hashes(50000, 0)));
  // Per layer, the estimate's standard deviation is well below 1% (Papapetrou et al. 2010). Keys that were false
  // positives in an older layer (less than 1%) are in no layer.
  EXPECT_NEAR(filter.ref().stats().cardinality.value(), 50000, 1000);
}

TEST(Scalable, HasNoEstimateWhicheverOfItsLayersHasEveryBitSet) {
  AnyFilter filter = create(spec_of(1000, 0.01));
  ASSERT_TRUE(filter.add_hashes(present_hashes(2500, 0)));
  ASSERT_EQ(layers_of(filter), 2U);
  const auto middle =
      static_cast<std::ptrdiff_t>((table_blocks(2) + read_layer(filter.payload().data(), 0).blocks) * kBlockBytes);
  const auto with_all_set = [&](std::ptrdiff_t from, std::ptrdiff_t to) {
    AlignedBytes payload(filter.payload().size());
    std::ranges::copy(filter.payload(), payload.begin());
    std::fill(payload.begin() + from, payload.begin() + to, std::byte{0xFF});
    return AnyFilter::adopt(filter.shape(), filter.facts(), std::move(payload));
  };
  const auto older = with_all_set(table_blocks(2) * kBlockBytes, middle);
  const auto newer = with_all_set(middle, static_cast<std::ptrdiff_t>(filter.payload().size()));
  ASSERT_TRUE(older && newer);
  EXPECT_NE(filter.ref().stats().cardinality, std::nullopt);
  EXPECT_EQ(older->ref().stats().cardinality, std::nullopt);
  EXPECT_EQ(newer->ref().stats().cardinality, std::nullopt);
}

// The filter grows from the first key to a hundred times the capacity. The first layer must not use up the rate.
TEST(Scalable, KeepsItsPromiseFromTinyFirstLayers) {
  constexpr int kFilters = 40;
  constexpr std::uint64_t kAbsent = 50'000;
  for (const std::uint64_t first : {1U, 3U, 10U}) {
    for (const double fp_rate : {0.5, 0.01, 1e-4}) {
      double found = 0;
      double predicted = 0;
      for (std::uint64_t i = 0; i < kFilters; ++i) {
        AnyFilter filter = create(spec_of(first, fp_rate));
        ASSERT_TRUE(filter.add_hashes(present_hashes(100 * first, i)));
        predicted = filter.ref().predicted_fp_rate(static_cast<double>(100 * first));
        EXPECT_LE(predicted, fp_rate);
        found += static_cast<double>(count_found(filter.ref(), absent_hashes(kAbsent, i)));
      }
      constexpr double kTrials = kFilters * double{kAbsent};
      EXPECT_LE(found, kTrials * fp_rate + 4.75 * std::sqrt(kTrials * fp_rate)) << first << " at " << fp_rate;
      EXPECT_LE(found, 1.1 * kTrials * predicted + 4.75 * std::sqrt(kTrials * fp_rate)) << first << " at " << fp_rate;
    }
  }
}

TEST(Scalable, IsFullAtTheGrowthLimitAndStaysAsItIs) {
  AnyFilter filter = create(spec_of(1, 1e-18));  // the layer for 8 keys would need a rate below 8 x 2^-64
  const auto hashes = present_hashes(1000, 0);
  std::uint64_t added = 0;
  Result<void> result;
  std::vector<std::byte> before;
  while (result && added < hashes.size()) {
    before = bytes_of(filter);
    result = filter.add_hashes({&hashes[added++], 1});
  }
  EXPECT_EQ(result.error().code, ErrorCode::kFull) << result.error().message;
  EXPECT_EQ(bytes_of(filter), before);
  EXPECT_EQ(filter.facts().keys, added - 1);
  EXPECT_EQ(count_found(filter.ref(), {hashes.begin(), hashes.begin() + static_cast<std::ptrdiff_t>(added - 1)}),
            added - 1);
}

TEST(Scalable, PromisesForAllLayersWhatBitsPerKeyAllow) {
  FilterSpec spec = spec_of(10000, 0.5);
  spec.bits_per_key = 12;
  AnyFilter filter = create(spec);
  EXPECT_LE(filter.payload().size() * 8, 10000 * 12 + 512);
  EXPECT_NEAR(filter.facts().fp_rate, 4 * filter.ref().predicted_fp_rate(10000), 1e-12);
  ASSERT_TRUE(filter.add_hashes(present_hashes(200000, 0)));
  EXPECT_LE(filter.ref().stats().current_fp_rate, filter.facts().fp_rate);
}

// Forges each field of the table to values that no writer produces.
class ForgedTable : public ::testing::Test {
 protected:
  ForgedTable() : filter_(create(spec_of(100, 0.01))) {
    EXPECT_TRUE(filter_.add_hashes(present_hashes(1000, 0)));
    payload_.assign(filter_.payload().begin(), filter_.payload().end());
    series_ = read_series(payload_.data());
    EXPECT_EQ(series_.layers, 4U);
  }
  void expect_corrupt(std::string_view field) const {
    const auto ref = FilterRef::open(filter_.shape(), filter_.facts(), payload_);
    ASSERT_FALSE(ref) << field;
    EXPECT_EQ(ref.error().code, ErrorCode::kCorrupt);
    EXPECT_NE(ref.error().message.find(field), std::string::npos) << ref.error().message;
  }
  void forge_series(const LayerSeries& series, std::string_view field) {
    write_series(payload_.data(), series);
    expect_corrupt(field);
    write_series(payload_.data(), series_);
  }
  void forge_layer(unsigned index, const Layer& layer, std::string_view field) {
    const Layer genuine = read_layer(payload_.data(), index);
    write_layer(payload_.data(), index, layer);
    expect_corrupt(field);
    write_layer(payload_.data(), index, genuine);
  }

  AnyFilter filter_;
  AlignedBytes payload_;
  LayerSeries series_;
};

TEST_F(ForgedTable, IsRejectedByItsHead) {
  for (const double rate : {0.0, -0.5, 1.0, 2.0, std::nan(""), HUGE_VAL}) {
    forge_series({rate, series_.first_capacity, series_.layers}, "promised rate of the layers");
  }
  forge_series({0.01, 0, series_.layers}, "capacity of the first layer");
  forge_series({0.01, kMaxCapacity + 1, series_.layers}, "capacity of the first layer");
  forge_series({0.01, 101, series_.layers}, "keys in layer 0");
  forge_series({0.01, series_.first_capacity, 0}, "number of layers");
  forge_series({0.01, series_.first_capacity, 3}, "layer");
  forge_series({0.01, series_.first_capacity, 5}, "layer");
  forge_series({0.01, series_.first_capacity, 255}, "number of layers");
  forge_series({0.01, kMaxCapacity, series_.layers}, "number of layers");
}

TEST_F(ForgedTable, IsRejectedByALayer) {
  for (unsigned i = 0; i < series_.layers; ++i) {
    const Layer layer = read_layer(payload_.data(), i);
    forge_layer(i, {layer.keys, layer.blocks, 0}, "k of layer");
    forge_layer(i, {layer.keys, layer.blocks, 17}, "k of layer");
    forge_layer(i, {layer.keys, 0, layer.probes}, "number of blocks");
    forge_layer(i, {layer.keys, layer.blocks + 1, layer.probes}, "number of blocks");
    forge_layer(i, {layer.keys, (std::uint64_t{1} << 48) - 1, layer.probes}, "number of blocks");
    forge_layer(i, {UINT64_MAX, layer.blocks, layer.probes}, "keys in layer");
    forge_layer(i, {0, layer.blocks, layer.probes}, "keys in layer");
  }
  const Layer first = read_layer(payload_.data(), 0);
  forge_layer(0, {first.keys, first.blocks, first.probes + 1}, "k must be that of the first layer");
}

// After a forged table of a few bytes, the next addition must not allocate terabytes.
TEST(ScalableForged, CannotClaimKeysThatItsBitsCannotHold) {
  const AnyFilter filter = create(spec_of(512, 0.5));
  Shape shape = filter.shape();
  shape.units = 2;
  AlignedBytes payload(128);
  const LayerSeries series{1e-6, 512, 1};
  write_series(payload.data(), series);
  write_layer(payload.data(), 0, {512, 1, shape.k});
  auto largest = AnyFilter::adopt(shape, filter.facts(), payload);
  const auto hashes = present_hashes(1, 0);
  const auto added = largest->add_hashes(hashes);
  EXPECT_EQ(added.error().code, ErrorCode::kFull);
  EXPECT_LE(largest->payload().size(), 128U);

  write_series(payload.data(), {1e-6, 513, 1});
  write_layer(payload.data(), 0, {513, 1, shape.k});
  const auto claims_more = AnyFilter::adopt(shape, filter.facts(), payload);
  EXPECT_EQ(claims_more.error().message, "keys in layer 0 must be in [0, 512], got 513");

  write_layer(payload.data(), 0, {512, 1, shape.k});  // full only by its number of bits
  auto must_not_claim_more = AnyFilter::adopt(shape, filter.facts(), payload);
  const auto more = must_not_claim_more->add_hashes(hashes);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().message,
            "keys in the newest layer must be at most its 512 bits, got 513 (capacity 512, keys 0)");
  EXPECT_TRUE(FilterRef::open(shape, filter.facts(), must_not_claim_more->payload()));
}

// zstd compresses a full layer of zeros to a few hundred bytes, and the next layer would be thirty times as large.
TEST(ScalableForged, CannotMakeAnAdditionOutgrowTheReadersLimit) {
  constexpr std::uint64_t kBlocks = 1 << 17;
  const AnyFilter sound = create(spec_of(100, 0.02));
  Shape shape = sound.shape();
  shape.units = 1 + kBlocks;
  AlignedBytes payload(shape.units * 64);
  write_series(payload.data(), {0.02, kBlocks * 512, 1});
  write_layer(payload.data(), 0, {kBlocks * 512, kBlocks, shape.k});
  const auto forged = AnyFilter::adopt(shape, sound.facts(), std::move(payload));
  const Bytes blob = zstd_blob_of(forged->ref());
  EXPECT_LT(blob.size(), 1000U);

  constexpr std::uint64_t kLimit = 16 << 20;
  auto opened = parse_blob(blob, {.max_bytes = kLimit});
  AnyFilter filter = std::move(*opened).into_filter();
  const auto added = filter.add("one more");
  EXPECT_EQ(added.error().code, ErrorCode::kTooLarge);
  EXPECT_EQ(filter.payload().size(), shape.units * 64);
}

TEST_F(ForgedTable, IsRejectedByUnusedBytes) {
  for (const std::size_t offset : {15U, 31U, 47U, 79U, 80U, 127U}) {  // the reserved bytes, then the table's padding
    payload_[offset] = std::byte{1};
    expect_corrupt("layer table");
    payload_[offset] = std::byte{0};
  }
}

TEST_F(ForgedTable, IsRejectedByTheShape) {
  const auto open = [&](Shape shape) { return FilterRef::open(shape, filter_.facts(), payload_); };
  ASSERT_TRUE(open(filter_.shape()));
  for (const unsigned growth : {0U, 1U, 3U, 17U, 65535U}) {
    Shape shape = filter_.shape();
    shape.param = static_cast<std::uint16_t>(growth);
    EXPECT_FALSE(open(shape)) << growth;
  }
  for (const unsigned units : {0U, 1U, 2U}) {
    Shape shape = filter_.shape();
    shape.units = units;
    EXPECT_FALSE(FilterRef::open(shape, filter_.facts(), std::span(payload_).first(units * 64))) << units;
  }
}

}  // namespace
}  // namespace crivo::testing

// The kind map: every key has its value, others are absent at the promised rate, and its bytes do not depend on how it
// was built.
#include <cmath>
#include <filesystem>
#include <random>

#include "crivo/blob.h"
#include "crivo/hash.h"
#include "crivo/map_builder.h"
#include "matchers.h"

namespace crivo::testing {
namespace {

struct Pairs {
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint64_t> values;
};

Pairs random_pairs(std::size_t count, unsigned value_bits, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Pairs pairs;
  for (std::size_t i = 0; i < count; ++i) {
    pairs.hashes.push_back(random());
    pairs.values.push_back(random() >> (64 - value_bits));
  }
  return pairs;
}

Result<AnyFilter> try_map(const Pairs& pairs, const FilterSpec& spec, const BuildOptions& options = {}) {
  Result<MapBuilder> builder = MapBuilder::create(spec, options);
  if (!builder) return builder.error();
  for (std::size_t i = 0; i < pairs.hashes.size(); ++i) {
    if (auto added = builder->add_hash(pairs.hashes[i], pairs.values[i]); !added) return added.error();
  }
  return builder->finish();
}

AnyFilter map_of(const Pairs& pairs, const FilterSpec& spec, const BuildOptions& options = {}) {
  Result<AnyFilter> made = try_map(pairs, spec, options);
  EXPECT_TRUE(made) << made.error().message;
  return *std::move(made);
}

FilterSpec spec_of(unsigned value_bits, double fp_rate) {
  return {.kind = Kind::kMap, .fp_rate = fp_rate, .value_bits = value_bits};
}

TEST(Map, GivesEveryKeyItsValueAtEverySize) {
  for (const std::size_t n : {0U, 1U, 2U, 10U, 63U, 64U, 65U, 1000U, 2048U, 2049U, 5000U, 100'000U}) {
    for (const unsigned bits : {1U, 7U, 8U, 31U, 32U}) {
      for (const double fp_rate : {1.0, 0.5, 0.01, 2e-9}) {
        const Pairs pairs = random_pairs(n, bits, n + bits);
        const AnyFilter map = map_of(pairs, spec_of(bits, fp_rate));
        std::vector<std::uint64_t> values(n);
        const std::unique_ptr<bool[]> hits(new bool[n + 1]());
        map.ref().find_hashes(pairs.hashes, values, {hits.get(), n});
        ASSERT_EQ(values, pairs.values) << n << ", bits " << bits << ", rate " << fp_rate;
        EXPECT_EQ(std::count(hits.get(), hits.get() + n, true), static_cast<std::ptrdiff_t>(n));
        for (std::size_t i = 0; i < std::min<std::size_t>(n, 1000); ++i) {
          ASSERT_EQ(map.ref().find_hash(pairs.hashes[i]), pairs.values[i]);
          ASSERT_TRUE(map.ref().may_contain_hash(pairs.hashes[i]));
        }
        EXPECT_EQ(map.facts().keys, n);
      }
    }
  }
}

TEST(Map, FindsAbsentKeysAtItsRate) {
  const Pairs pairs = random_pairs(50'000, 8, 1);
  const Pairs others = random_pairs(200'000, 8, 2);
  for (const double fp_rate : {1.0, 0.5, 0.01, 1e-3}) {
    const AnyFilter map = map_of(pairs, spec_of(8, fp_rate));
    double found = 0;
    for (const std::uint64_t hash : others.hashes) found += map.ref().find_hash(hash).has_value();
    const double rate = map.ref().stats().current_fp_rate;
    EXPECT_LE(rate, fp_rate);
    const double expected = 200'000 * rate;
    EXPECT_NEAR(found, expected, 6 * std::sqrt(expected)) << fp_rate;  // six standard deviations of a binomial
  }
  EXPECT_EQ(map_of({}, spec_of(8, 1)).ref().find_hash(7), std::nullopt);
}

TEST(Map, TakesItsColumnsAndHardlyMore) {
  const Pairs pairs = random_pairs(100'000, 8, 1);
  for (const double fp_rate : {1.0, 0.01}) {
    const AnyFilter map = map_of(pairs, spec_of(8, fp_rate));
    const double bits = static_cast<double>(map.payload().size()) * 8 / 100'000;
    EXPECT_LT(bits, 1.01 * map.shape().k);
  }
}

TEST(Map, TakesAsManyBitsAsTheLargestValueNeeds) {
  for (const auto& [largest, bits] :
       {std::pair{0U, 1U}, {1U, 1U}, {2U, 2U}, {255U, 8U}, {256U, 9U}, {UINT32_MAX, 32U}}) {
    EXPECT_EQ(map_of({{1, 2}, {0, largest}}, spec_of(0, 1)).shape().param, bits);
  }
}

TEST(Map, HasTheSameBytesHoweverItIsBuilt) {
  const Pairs pairs = random_pairs(3'000'000, 12, 5);
  const FilterSpec spec = spec_of(12, 0.01);
  const AnyFilter map = map_of(pairs, spec);
  const std::vector<std::byte> bytes(map.payload().begin(), map.payload().end());
  const auto has_them = [&](const AnyFilter& other) {
    return std::ranges::equal(other.payload(), bytes) && other.shape() == map.shape();
  };
  EXPECT_TRUE(has_them(map_of(pairs, spec, {.threads = 4})));
  EXPECT_TRUE(has_them(map_of(pairs, spec, {.max_memory = kMinBuildMemoryBytes})));
  Pairs twice{pairs.hashes, pairs.values};
  twice.hashes.insert(twice.hashes.end(), pairs.hashes.rbegin(), pairs.hashes.rend());
  twice.values.insert(twice.values.end(), pairs.values.rbegin(), pairs.values.rend());
  EXPECT_TRUE(has_them(map_of(twice, spec)));
}

TEST(Map, RefusesTwoValuesOfOneKey) {
  for (const std::uint64_t max_memory : {UINT64_MAX, kMinBuildMemoryBytes}) {
    Pairs pairs = random_pairs(1'500'000, 12, 5);
    pairs.hashes.push_back(pairs.hashes[7]);
    pairs.values.push_back(pairs.values[7] ^ 1);
    const auto made = try_map(pairs, spec_of(12, 0.01), {.max_memory = max_memory});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::kBadArgument);
    EXPECT_THAT(made.error().message,
                AllOf(HasSubstr(std::to_string(pairs.values[7])), HasSubstr(std::to_string(pairs.values[7] ^ 1)),
                      HasSubstr(std::to_string(pairs.hashes[7]))));
  }
}

TEST(Map, RefusesWhatNoMapCanBe) {
  const auto message = [](const FilterSpec& spec) {
    const auto made = MapBuilder::create(spec);
    return made ? std::string() : made.error().message;
  };
  EXPECT_EQ(message(spec_of(33, 0.5)), "value bits must lie in [1, 32], got 33");
  EXPECT_THAT(message(spec_of(8, 1.5)), StartsWith("fp_rate must "));
  EXPECT_THAT(message(spec_of(8, 1e-12)), StartsWith("fp_rate must be at least 2^-32 for a map, got "));
  EXPECT_EQ(message({.kind = Kind::kRibbon}), "kind must be map, got ribbon");
  auto builder = MapBuilder::create(spec_of(8, 0.5));
  EXPECT_EQ(builder->add("key", 256).error().message, "value must be at most 255, got 256");
}

TEST(Map, ComesBackFromABlob) {
  const Pairs pairs = random_pairs(5000, 9, 3);
  const AnyFilter map = map_of(pairs, spec_of(9, 0.01));
  for (const BlobForm form : {BlobForm::kRaw, BlobForm::kSmallest, BlobForm::kMappable}) {
    const auto blob = *to_blob(map.ref(), form);
    const auto opened = parse_blob(blob);
    ASSERT_TRUE(opened) << opened.error().message;
    EXPECT_EQ(opened->ref().find_hash(pairs.hashes[9]), pairs.values[9]);
  }
}

}  // namespace
}  // namespace crivo::testing

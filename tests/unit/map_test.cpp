// The kind map: every key has its value, absent keys are found at the requested rate, and the bytes do not depend on
// the order or the threads of the build.
#include "crivo/map.h"

#include <random>

#include "crivo/builder.h"
#include "crivo/hash.h"
#include "filters.h"
#include "kernels.h"
#include "kinds/ribbon/payload.h"
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
  Result<FilterBuilder> builder = FilterBuilder::create(spec, options);
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

MapRef as_map(const FilterRef& filter) { return *MapRef::of(filter); }

FilterSpec spec_of(unsigned value_bits, double fp_rate) {
  return {.kind = Kind::kMap, .fp_rate = fp_rate, .value_bits = value_bits};
}

TEST(Map, GivesEveryKeyItsValueAtEverySize) {
  for (const std::size_t n : {0U, 1U, 2U, 64U, 65U, 2048U, 2049U, 5000U, 50'000U}) {
    for (const unsigned bits : {1U, 7U, 8U, 31U, 32U}) {
      for (const double fp_rate : {1.0, 0.5, 0.01, 2e-9}) {
        const Pairs pairs = random_pairs(n, bits, n + bits);
        const AnyFilter map = map_of(pairs, spec_of(bits, fp_rate));
        std::vector<std::uint64_t> values(n);
        const std::unique_ptr<bool[]> hits(new bool[n + 1]());
        as_map(map.ref()).find_hashes(pairs.hashes, values, {hits.get(), n});
        ASSERT_EQ(values, pairs.values) << n << ", bits " << bits << ", rate " << fp_rate;
        EXPECT_EQ(std::count(hits.get(), hits.get() + n, true), static_cast<std::ptrdiff_t>(n));
        for (std::size_t i = 0; i < std::min<std::size_t>(n, 1000); ++i) {
          ASSERT_EQ(as_map(map.ref()).find_hash(pairs.hashes[i]), pairs.values[i]);
          ASSERT_TRUE(map.ref().may_contain_hash(pairs.hashes[i]));
        }
        EXPECT_EQ(map.facts().keys, n);
      }
    }
  }
}

TEST(Map, TakesAsManyBitsAsTheLargestValueNeeds) {
  for (const auto& [largest, bits] :
       {std::pair{0U, 1U}, {1U, 1U}, {2U, 2U}, {255U, 8U}, {256U, 9U}, {UINT32_MAX, 32U}}) {
    EXPECT_EQ(map_of({{1, 2}, {0, largest}}, spec_of(0, 1)).shape().param, bits);
  }
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
  const auto message = [](const FilterSpec& spec) { return message_of(FilterBuilder::create(spec)); };
  EXPECT_EQ(message(spec_of(33, 0.5)), "value bits must be in [1, 32], got 33");
  EXPECT_THAT(message(spec_of(8, 1.5)), StartsWith("fp_rate must "));
  EXPECT_THAT(message(spec_of(8, 1e-12)), StartsWith("fp_rate must be at least 2.328"));
  EXPECT_EQ(message({.kind = Kind::kMap, .bits_per_key = 3, .value_bits = 8}),
            "bits_per_key must be at least 8, the bits of a value, got 3");
  auto sized = FilterBuilder::create({.kind = Kind::kMap, .bits_per_key = 10});
  for (std::uint64_t i = 0; i < 10'000; ++i) ASSERT_TRUE(sized->add_hash(i * 0x9E3779B97F4A7C15, UINT32_MAX));
  EXPECT_EQ(sized->finish().error().message, "bits_per_key must be at least 32, the bits of a value, got 10");
  auto builder = FilterBuilder::create(spec_of(8, 0.5));
  EXPECT_EQ(builder->add("key", 256).error().message, "value must be in [0, 255], got 256");
}

class MapLevels : public ::testing::TestWithParam<Kernels> {};
INSTANTIATE_TEST_SUITE_P(Isa, MapLevels, ::testing::ValuesIn(available_kernels().begin(), available_kernels().end()),
                         [](const auto& tested) { return std::string(tested.param.isa); });

/// Looks up present and absent hashes, one by one and in a batch.
void expect_what_scalar_finds(const Probe& asked, const View& view, const std::vector<std::uint64_t>& hashes) {
  View prepared = view;
  View ribbon = as_ribbon(view);
  prepare_ribbon(ribbon);
  prepared.prepared = ribbon.prepared;
  for (const View& by : {view, prepared}) {
    std::vector<std::uint64_t> values(hashes.size());
    const std::unique_ptr<bool[]> found(new bool[2 * hashes.size()]);
    asked.find_batch(by, hashes.data(), hashes.size(), values.data(), found.get());
    asked.contains_batch(by, hashes.data(), hashes.size(), found.get() + hashes.size());
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      std::uint64_t expected = 0;
      std::uint64_t value = 0;
      const bool has = available_kernels().front().map.find(view, hashes[i], expected);
      ASSERT_EQ(asked.find(by, hashes[i], value), has) << i;
      ASSERT_EQ(asked.contains(by, hashes[i]), has) << i;
      ASSERT_EQ(value, expected) << i;
      ASSERT_EQ(found[i], has) << i << " of " << hashes.size();
      ASSERT_EQ(found[hashes.size() + i], has) << i << " of " << hashes.size();
      ASSERT_EQ(values[i], expected) << i << " of " << hashes.size();
    }
  }
}

TEST_P(MapLevels, FindWhatScalarFinds) {
  for (const std::size_t n : {0U, 1U, 10U, 3000U, 100'000U, 2'000'000U}) {  // with the last size, a batch prefetches
    for (const auto& [bits, fp_rate] : {std::pair{1U, 1.0}, {7U, 0.01}, {20U, 1e-6}, {32U, 2.4e-10}}) {
      if (n > 100'000 && bits != 20) continue;
      const Pairs pairs = random_pairs(n, bits, n);
      const AnyFilter map = map_of(pairs, spec_of(bits, fp_rate));
      const View view{map.shape(), map.payload().data(), map.payload().size()};
      for (const std::size_t count : {1U, 31U, 32U, 33U, 65U, 1000U}) {
        std::vector<std::uint64_t> hashes = random_hashes(count, 6);
        for (std::size_t i = 0; i < std::min(n, count); i += 2) hashes[i] = pairs.hashes[i];
        expect_what_scalar_finds(GetParam().map, view, hashes);
      }
    }
  }
}

TEST(Map, GivesTenMillionKeysTheirValuesLong) {
  const Pairs pairs = random_pairs(10'000'000, 16, 1);
  for (const BuildOptions& options :
       {BuildOptions(), BuildOptions{.threads = 2, .max_memory = std::uint64_t{64} << 20}}) {
    const AnyFilter map = map_of(pairs, spec_of(16, 0.01), options);
    std::vector<std::uint64_t> values(pairs.hashes.size());
    const std::unique_ptr<bool[]> found(new bool[values.size()]());
    as_map(map.ref()).find_hashes(pairs.hashes, values, {found.get(), values.size()});
    EXPECT_EQ(values, pairs.values);
    EXPECT_LT(static_cast<double>(map.payload().size()) * 8 / 1e7, 1.01 * map.shape().k);
  }
}

}  // namespace
}  // namespace crivo::testing

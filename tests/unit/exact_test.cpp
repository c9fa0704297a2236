// The kind exact: its answer is certain for every key of its universe. Its size is close to the information content,
// and its bytes do not depend on the order or the threads of the build.
#include <cmath>

#include "crivo/builder.h"
#include "crivo/hash.h"
#include "crivo/host/bytes.h"
#include "filters.h"
#include "matchers.h"

namespace crivo::testing {
namespace {

struct Universe {
  std::vector<std::uint64_t> members;
  std::vector<std::uint64_t> others;
};

Universe random_universe(std::size_t members, std::size_t others, std::uint64_t seed) {
  return {random_hashes(members, seed), random_hashes(others, ~seed)};
}

FilterSpec spec_of(double fp_rate = 1) { return {.kind = Kind::kExact, .fp_rate = fp_rate}; }

Result<AnyFilter> try_exact(const Universe& universe, const FilterSpec& spec = spec_of(),
                            const BuildOptions& options = {}) {
  return build_exact(spec, universe.members, universe.others, options);
}

AnyFilter exact_of(const Universe& universe, const FilterSpec& spec = spec_of(), const BuildOptions& options = {}) {
  Result<AnyFilter> made = try_exact(universe, spec, options);
  EXPECT_TRUE(made) << made.error().message;
  return *std::move(made);
}

void expect_certain(const FilterRef& filter, const Universe& universe) {
  ASSERT_EQ(count_found(filter, universe.members), universe.members.size());
  ASSERT_EQ(count_found(filter, universe.others), 0U);
  for (std::size_t i = 0; i < universe.members.size(); i += universe.members.size() / 1000 + 1) {
    ASSERT_TRUE(filter.may_contain_hash(universe.members[i])) << i;
  }
  for (std::size_t i = 0; i < universe.others.size(); i += universe.others.size() / 1000 + 1) {
    ASSERT_FALSE(filter.may_contain_hash(universe.others[i])) << i;
  }
}

TEST(Exact, IsCertainOfItsUniverseAtEverySize) {
  for (const std::size_t members : {0U, 1U, 2U, 64U, 2048U, 2049U, 5000U, 40'000U}) {
    for (const std::size_t others : {0U, 1U, 10U, 3000U, 100'000U}) {
      for (const double fp_rate : {1.0, 0.01, 1e-6}) {
        SCOPED_TRACE(std::to_string(members) + " and " + std::to_string(others) + " at " + std::to_string(fp_rate));
        const Universe universe = random_universe(members, others, members + 3 * others);
        const AnyFilter filter = exact_of(universe, spec_of(fp_rate));
        expect_certain(filter.ref(), universe);
        EXPECT_EQ(filter.facts().keys, members + others);
        EXPECT_EQ(filter.ref().stats().cardinality, static_cast<double>(members));
      }
    }
  }
}

/// The information in bits: log2 of the number of ways to choose the members from all keys.
double information(double members, double others) {
  return (std::lgamma(members + others + 1) - std::lgamma(members + 1) - std::lgamma(others + 1)) / std::log(2.0);
}

TEST(Exact, IsNearTheInformationLimit) {
  for (const auto& [ratio, most] :
       {std::pair{4U, 1.13}, {5U, 1.11}, {8U, 1.12}, {16U, 1.11}, {30U, 1.09}, {100U, 1.08}, {1000U, 1.10}}) {
    const std::size_t members = 4'000'000 / (ratio + 1);
    const Universe universe = random_universe(members, members * ratio, ratio);
    const AnyFilter filter = exact_of(universe);
    const double limit = information(static_cast<double>(members), static_cast<double>(members) * ratio);
    const double factor = 8 * static_cast<double>(filter.payload().size()) / limit;
    EXPECT_LT(factor, most) << "others for each member: " << ratio;
    EXPECT_GT(factor, 1) << "no filter is smaller";
  }
}

TEST(Exact, RefusesAKeyOnBothSides) {
  for (const std::uint64_t max_memory : {UINT64_MAX, kMinBuildMemoryBytes}) {
    Universe universe = random_universe(300'000, 1'200'000, 5);
    universe.members.push_back(universe.others[7]);
    const auto made = try_exact(universe, spec_of(), {.max_memory = max_memory});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::kBadArgument);
    EXPECT_EQ(made.error().key_hash, universe.others[7]);
    EXPECT_EQ(made.error().message, "key must be in only one set, got one in both, or two with the same hash, " +
                                        std::to_string(universe.others[7]));
  }
}

TEST(Exact, RefusesWhatNoExactFilterCanBe) {
  const auto message = [](const FilterSpec& spec) { return message_of(FilterBuilder::create(spec)); };
  EXPECT_EQ(message(spec_of(1.5)), "fp_rate must be in (0, 1] for an exact filter, got 1.5");
  EXPECT_EQ(message({.kind = Kind::kExact, .bits_per_key = 0}), "bits_per_key must be in (0, 1000], got 0");
  EXPECT_THAT(message(spec_of(1e-11)), StartsWith("fp_rate must be at least 1.164"));
  auto builder = FilterBuilder::create(spec_of());
  EXPECT_EQ(builder->add("key", 2).error().message, "value must be in [0, 1], got 2");
  EXPECT_EQ(builder->add("key").error().code, ErrorCode::kUnsupported);
}

// The smallest sets fit in memory twice. Larger sets are sorted in a file. For the largest, the keys of the map also go
// to a file.
TEST(Exact, IsBuiltInTheLeastMemory) {
  for (const std::size_t members : {70'000U, 250'000U, 262'000U, 300'000U, 380'000U, 600'000U}) {
    for (const std::size_t others : {std::size_t{0}, 4 * members}) {
      const Universe universe = random_universe(members, others, members);
      const AnyFilter filter = exact_of(universe, spec_of(), {.max_memory = kMinBuildMemoryBytes});
      expect_certain(filter.ref(), universe);
    }
  }
}

TEST(Exact, IsBuiltOfFewMembersAndManyOthersInTheLeastMemory) {
  for (const std::size_t members : {1U, 100U, 3000U}) {
    const Universe universe = random_universe(members, 1'500'000, members);
    const AnyFilter filter = exact_of(universe, spec_of(), {.max_memory = kMinBuildMemoryBytes});
    expect_certain(filter.ref(), universe);
  }
}

TEST(Exact, NeedsNoMoreBytesThanItsMembersDo) {
  const Universe universe = random_universe(1000, 200'000, 3);
  const std::uint64_t needed = exact_of(universe).payload().size();
  EXPECT_LT(needed, 3000U);
  EXPECT_TRUE(try_exact(universe, spec_of(), {.max_bytes = needed + needed / 8}));
  EXPECT_EQ(try_exact(universe, spec_of(), {.max_bytes = needed - 8}).error().code, ErrorCode::kTooLarge);
}

// A forged payload has correct checksums, so this test sets each word of the payload's head to invalid values.
TEST(Exact, RefusesAPayloadThatContradictsItself) {
  const AnyFilter filter = exact_of(random_universe(3000, 20'000, 3));
  const Bytes good = bytes_of(filter);
  for (std::size_t word = 0; word < 3; ++word) {
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, good.size() / 8, std::uint64_t{1} << 61, UINT64_MAX}) {
      Bytes payload = good;
      store_le(payload.data() + 8 * word, value);
      const auto opened = FilterRef::open(filter.shape(), filter.facts(), payload);
      if (word == 2 && value <= 1 + good.size() / 8) continue;  // no other field repeats the number of the others
      EXPECT_FALSE(opened) << "word " << word << " as " << value;
    }
  }
  Shape shape = filter.shape();
  shape.k = 0;
  EXPECT_FALSE(FilterRef::open(shape, filter.facts(), good)) << "words of a filter that has no columns";
}

TEST(Exact, IsCertainOfTenMillionLong) {
  const Universe universe = random_universe(100'000, 9'900'000, 1);
  for (const BuildOptions& options :
       {BuildOptions(), BuildOptions{.threads = 2, .max_memory = std::uint64_t{64} << 20}}) {
    expect_certain(exact_of(universe, spec_of(), options).ref(), universe);
  }
}

}  // namespace
}  // namespace crivo::testing

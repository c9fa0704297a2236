// Exact filters in C: certain for both sets, built at once and in steps, and rejected if a key is in both sets.
#include "c_filters.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kMembers = 3000;
constexpr std::uint64_t kOthers = 30'000;

TEST(ExactInC, AreCertainOfBothSides) {
  const KeyList members = present_keys(kMembers);
  const KeyList others = absent_keys(kOthers);
  const Filter filter = make(crivo_build_exact, nullptr, members.keys(), others.keys());
  EXPECT_EQ(found(filter, members), kMembers);
  EXPECT_EQ(found(filter, others), 0U);
  const crivo_facts facts = facts_of(filter);
  EXPECT_STREQ(facts.kind, "exact");
  EXPECT_EQ(facts.keys, kMembers + kOthers);
  EXPECT_EQ(facts.fp_rate, 1) << "as small as it can be";
  EXPECT_EQ(facts.can, std::uint32_t{CRIVO_CAN_EXACT});

  const crivo_options options = options_of("exact");
  const Builder builder = start(&options);
  const std::vector<std::uint64_t> zeros(kOthers, 0);
  const std::vector<std::uint64_t> ones(kMembers, 1);
  ASSERT_EQ(crivo_builder_add_values(builder.get(), others.keys(), zeros.data(), nullptr), CRIVO_OK);
  ASSERT_EQ(crivo_builder_add_values(builder.get(), members.keys(), ones.data(), nullptr), CRIVO_OK);
  EXPECT_EQ(blob_of(make(crivo_builder_finish, builder.get()), CRIVO_FORM_RAW), blob_of(filter, CRIVO_FORM_RAW));
}

// The size depends on the number of distinct members, not on how often they are added. Tested in memory and with
// temporary files.
TEST(ExactInC, AreNoLargerForMembersThatAreGivenOften) {
  constexpr std::uint64_t kFew = 10;
  constexpr std::uint64_t kTimes = 20'000;
  constexpr std::uint64_t kMany = 600'000;  // more pairs than fit in 16 MiB
  std::vector<std::uint64_t> hashes(kFew + kMany);
  for (std::uint64_t i = 0; i < hashes.size(); ++i) hashes[i] = i * 0x9E3779B97F4A7C15;
  const std::vector<std::uint64_t> ones(kFew, 1);
  const std::vector<std::uint64_t> zeros(kMany, 0);
  for (const std::uint64_t max_memory : {UINT64_C(0), UINT64_C(16) << 20}) {
    crivo_options options = options_of("exact");
    options.max_bytes = 1000;
    options.max_memory = max_memory;
    const Builder builder = start(&options);
    for (std::uint64_t i = 0; i < kTimes; ++i) {
      ASSERT_EQ(crivo_builder_add_hash_values(builder.get(), hashes.data(), ones.data(), kFew, nullptr), CRIVO_OK);
    }
    ASSERT_EQ(crivo_builder_add_hash_values(builder.get(), hashes.data() + kFew, zeros.data(), kMany, nullptr),
              CRIVO_OK);
    const Filter filter = make(crivo_builder_finish, builder.get());
    ASSERT_NE(filter, nullptr);
    std::vector<std::uint8_t> hits(hashes.size());
    ASSERT_EQ(crivo_contains_hashes(filter.get(), hashes.data(), hashes.size(), hits.data(), nullptr), CRIVO_OK);
    EXPECT_EQ(std::accumulate(hits.begin(), hits.begin() + kFew, 0), 10);
    EXPECT_EQ(std::accumulate(hits.begin() + kFew, hits.end(), 0), 0);
  }
}

TEST(ExactInC, RefuseAKeyOnBothSidesAndOtherKinds) {
  const auto refusal = [](const crivo_options& options, const KeyList& members, const KeyList& others) {
    crivo_filter* filter = nullptr;
    crivo_error error{};
    EXPECT_NE(crivo_build_exact(&options, members.keys(), others.keys(), &filter, &error), CRIVO_OK);
    EXPECT_EQ(filter, nullptr);
    return std::string(error.message);
  };
  EXPECT_THAT(refusal(options_of("exact"), KeyList({"a", "b"}), KeyList({"c", "a"})),
              StartsWith("key must be in only one set, got one in both, or two with the same hash, "));
  EXPECT_EQ(refusal(options_of("ribbon"), KeyList({"a"}), KeyList({"b"})), "kind must be exact, got ribbon");
  const std::uint64_t offsets[] = {0, 1, 0};
  const crivo_keys falling = {"a", 1, offsets, 0, 2};
  crivo_filter* none = nullptr;
  crivo_error error{};
  EXPECT_EQ(crivo_build_exact(nullptr, KeyList().keys(), &falling, &none, &error), CRIVO_BAD_ARGUMENT);
  EXPECT_THAT(error.message, StartsWith("others.offsets must "));
  crivo_filter* filter = nullptr;
  const crivo_options options = options_of("exact");
  EXPECT_EQ(crivo_build(&options, present_keys(10).keys(), &filter, nullptr), CRIVO_UNSUPPORTED);
}

}  // namespace
}  // namespace crivo::testing

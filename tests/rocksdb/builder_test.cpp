// The builder's class: functions that this version of RocksDB does not call, and limits that need gigabytes.
#include "builder/builder.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "crivo/host/sizing.h"
#include "crivo/host/sst_block.h"
#include "support.h"

namespace crivo::testing {
namespace {

LevelSpec spec_of(Kind kind) { return {.kind = kind, .bits_per_key = 10, .fp_rate = 0.01}; }

class EveryKindOfBlock : public ::testing::TestWithParam<Kind> {};
CRIVO_FOR_BOTH_KINDS(EveryKindOfBlock);

TEST_P(EveryKindOfBlock, PlansNothingAboveTheRealLimit) {
  // The core's plan for 4,000 key counts above the limit.
  const BlockSizing sizing(spec_of(GetParam()));
  for (std::uint64_t i = 0; i < 20000; i += 5) {
    const std::uint64_t keys = 5'500'000'000 + i * 1'000'003;
    const FilterSpec planned = sizing.spec(keys);
    ASSERT_TRUE(planned.bits_per_key) << keys << " keys are past the limit";
    const double blocks = std::ceil(static_cast<double>(keys) * *planned.bits_per_key / kBlockBits);
    const double bytes = GetParam() == Kind::kRibbon
                             ? static_cast<double>(size_ribbon_by_bits(keys, *planned.bits_per_key)->units) * 8
                             : blocks * kBlockBits / 8;
    ASSERT_LE(bytes, kMaxPayloadBytes) << keys << " keys";
    ASSERT_GT(bytes, kMaxPayloadBytes * 0.96) << keys << " keys";
    ASSERT_EQ(static_cast<double>(sizing.bytes(keys)), bytes + kSstTrailerBytes) << keys << " keys";
  }
}

TEST_P(EveryKindOfBlock, OfTheSmallestSizeHasARate) {
  const BlockSizing sizing(spec_of(GetParam()));
  EXPECT_LT(sizing.fp_rate(1, sizing.bytes(1)), 0.1);
  EXPECT_EQ(sizing.fp_rate(1, sizing.bytes(1) - 1), 1);
}

/// Keys in order, each with its prefix, and every way in which the two sequences repeat values.
std::vector<std::pair<std::string, std::string>> keys_and_prefixes() {
  std::vector<std::pair<std::string, std::string>> pairs{
      {"", ""},                                 // a key that is its own prefix
      {"a", "a"},                               // the same key again
      {"a", "a"},                               // the same key a third time: an older version
      {"ab", "a"},  {"abc", "a"},               // the same prefix as before
      {"b", "b"},   {"bc", "b"},  {"c1", "b"},  // a prefix that occurred earlier
      {"c1", "c"},                              // the same key with another prefix
      {"c2", "c1"},                             // a prefix that equals the previous key
      {"d", "c"},   {"c", "d"},                 // a key and a prefix that change places
      {"e", "c"},
  };
  for (int i = 0; i < 5000; ++i) {
    std::string prefix = std::to_string(i / 7);
    prefix.insert(0, 1, 'p');
    pairs.emplace_back(prefix + "/" + std::to_string(i), prefix);
  }
  return pairs;
}

template <typename Builder>
void expect_keys_and_prefixes(Builder& builder, Kind kind) {
  std::set<std::string> distinct;
  for (const auto& [key, prefix] : keys_and_prefixes()) {
    builder.AddKeyAndAlt(key, prefix);
    distinct.insert(key);
    distinct.insert(prefix);
  }
  // The prefix "c" occurs again after another key and prefix, so it is stored twice. All other repetitions are
  // adjacent.
  EXPECT_EQ(builder.EstimateEntriesAdded(), distinct.size() + 1);
  std::unique_ptr<const char[]> buffer;
  const std::string block = builder.Finish(&buffer).ToString();
  const auto filter = open_sst_block(std::as_bytes(std::span(block)));
  ASSERT_TRUE(filter);
  for (const std::string& key : distinct) EXPECT_TRUE(filter->may_contain(key)) << key;
  if (kind == Kind::kRibbon) {  // equal sets give equal ribbons
    BlockBuilder one_by_one(BlockSizing(spec_of(kind)), /*verify=*/false);
    for (const std::string& key : distinct) one_by_one.AddKey(key);
    EXPECT_EQ(block, one_by_one.Finish(&buffer).ToString());
  }
}

TEST_P(EveryKindOfBlock, HoldsKeysAndPrefixesOnce) {
  BlockBuilder builder(BlockSizing(spec_of(GetParam())), /*verify=*/false);
  expect_keys_and_prefixes(builder, GetParam());
  expect_keys_and_prefixes(builder, GetParam());  // the builder must not contain keys of the block before
}

TEST_P(EveryKindOfBlock, ForgetsThePrefixOfTheBlockBefore) {
  BlockBuilder builder(BlockSizing(spec_of(GetParam())), /*verify=*/false);
  std::unique_ptr<const char[]> buffer;
  builder.AddKeyAndAlt("key", "prefix");
  (void)builder.Finish(&buffer);
  builder.AddKeyAndAlt("prefix", "key");
  EXPECT_EQ(builder.EstimateEntriesAdded(), 2U);
  const std::string block = builder.Finish(&buffer).ToString();
  const auto filter = open_sst_block(std::as_bytes(std::span(block)));
  ASSERT_TRUE(filter);
  EXPECT_TRUE(filter->may_contain("key"));
  EXPECT_TRUE(filter->may_contain("prefix"));
}

#if CRIVO_ROCKSDB_VERSION >= 906
TEST_P(EveryKindOfBlock, TakesKeysAndPrefixesThroughTheVtable) {
  const Policy policy = GetParam() == Kind::kRibbon
                            ? NewRocksDBFilterPolicy({.fp_rate = 0.01, .kind = GetParam(), .bloom_before_level = -1})
                            : crivo_bloom(10);
  expect_keys_and_prefixes(*new_builder(*policy), GetParam());
}
#endif

}  // namespace
}  // namespace crivo::testing

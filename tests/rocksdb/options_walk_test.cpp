// A random walk over options: every policy, options at the limits of their ranges, table options, and numbers of keys
// from 0 and around the limits. There is no crash, no lost key and no exceeded limit, and a filter is missing only if
// even the smallest does not fit. A failure prints how to repeat it: CRIVO_OPTIONS_SEED=<seed>.
#include <algorithm>
#include <array>
#include <iostream>
#include <span>
#include <sstream>

#include "builder/builder.h"
#include "crivo/host/sizing.h"
#include "crivo/host/sst_block.h"
#include "random_walk.h"
#include "support.h"

namespace crivo::testing {
namespace {

using Values = std::vector<std::string>;

constexpr std::size_t kAlwaysMaybe = 6;  // bytes of a filter that every key passes
constexpr std::uint64_t kMaxKeys = 10'000;

struct Option {
  std::string name;
  Values values;
  std::string policy{};  // the only policy with this option
};

const Values kBits{"0", "0.4999", "0.5", "1", "3.3", "10", "16", "100", "999.5", "1000"};
const std::vector<Option> kSizes{{"bits_per_key", kBits},
                                 {"fp_rate", {"1e-9", "1e-6", "1e-4", "0.01", "0.5", "0.999999"}},
                                 {"budget_bits_per_key", kBits, "crivo.Auto"}};
const Values kBytes{"0",   "1",   "95",  "96",   "97",   "127",  "128",   "160",     "192",     "200",
                    "224", "256", "300", "1000", "4096", "9999", "65536", "2097152", "4194304", "1000000000000000"};
const std::vector<Option> kOthers{
    {"max_filter_bytes", kBytes},
    {"max_build_bytes", kBytes},
    {"max_total_bytes", {"0", "1G", "1000000000000000"}, "crivo.Auto"},
    {"count_questions", {"true", "false"}},
    {"key_transform",
     {"none", "drop_suffix:1", "drop_suffix:4294967295", "take_prefix:1", "take_prefix:12", "lower_ascii"}},
    {"bloom_before_level", {"-1", "0", "1", "2147483647"}, "crivo.Ribbon"},
    {"bottommost_fp_rate", {"1e-9", "0.1", "1"}, "crivo.Auto"},
    {"ribbon_levels", {"0", "1", "64"}, "crivo.Auto"},
    {"levels", {"2", "4", "64"}, "crivo.Auto"},
    {"level_ratio", {"1", "10", "1000"}, "crivo.Auto"}};

/// The options of a policy and of its tables that a walk draws.
struct Drawn {
  std::string policy;  // as an option string
  std::uint64_t max_filter_bytes = UINT64_MAX;
  std::size_t least_bytes = 96;  // of the smallest filter
  rocksdb::BlockBasedTableOptions table;
  std::string text;
};

std::string draw_policy(Random& draw, Drawn& drawn) {
  const std::string name = draw.one_of({"crivo.Auto", "crivo.Bloom", "crivo.Ribbon"});
  std::string text = "{id=" + name + ";";
  const auto give = [&](const Option& option) {
    if (!option.policy.empty() && option.policy != name) return;
    if (option.name == "bottommost_fp_rate" && text.find("budget") != std::string::npos) return;
    const std::string& value = draw.one_of(option.values);
    text += option.name + "=" + value + ";";
    if (option.name == "max_filter_bytes" && value != "0") drawn.max_filter_bytes = std::stoull(value);
    if (option.name == "key_transform" && value != "none") drawn.least_bytes = 64 + sst_tail_bytes(value.size());
  };
  if (draw.percent(90)) give(kSizes[draw.below(kSizes.size())]);
  for (const Option& option : kOthers) {
    // Half of the walks have a limit.
    if (draw.percent(option.name == "max_filter_bytes" ? 50 : 30)) give(option);
  }
  return text + "}";
}

Drawn draw_options(Random& draw) {
  Drawn drawn;
  drawn.policy = draw_policy(draw, drawn);
  auto& table = drawn.table;
  table.filter_policy = policy_from_string(drawn.policy);
  table.partition_filters = draw.percent(50);
  if (table.partition_filters) table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.metadata_block_size = std::array<std::uint64_t, 4>{64, 128, 512, 4096}[draw.below(4)];
  table.detect_filter_construct_corruption = draw.percent(30);
  if (draw.percent(20)) {
    table.cache_usage_options.options_overrides[rocksdb::CacheEntryRole::kFilterConstruction] = {
        rocksdb::CacheEntryRoleOptions::Decision::kEnabled};
  }
  std::ostringstream text;
  text << drawn.policy << (table.partition_filters ? ", partitions of " : ", not in partitions of ")
       << table.metadata_block_size << (table.detect_filter_construct_corruption ? ", verified" : "");
  drawn.text = text.str();
  return drawn;
}

/// A number of keys: small, of any size, or the number at which a filter of a drawn size is full.
std::uint64_t draw_keys(Random& draw, const Drawn& drawn, abi::FilterBitsBuilder& builder) {
  const std::uint64_t way = draw.below(3);
  if (way == 0) return draw.below(6);
  if (way == 1) return draw.below(std::uint64_t{1} << (3 + draw.below(11)));
  const std::uint64_t bytes = drawn.max_filter_bytes <= 100'000 ? drawn.max_filter_bytes : 96 + 64 * draw.below(100);
  return std::min<std::uint64_t>(builder.ApproximateNumEntries(bytes), kMaxKeys) + draw.below(3);
}

rocksdb::FilterBuildingContext draw_context(Random& draw, const Drawn& drawn) {
  rocksdb::FilterBuildingContext context(drawn.table);
  context.compaction_style = draw.percent(80) ? rocksdb::kCompactionStyleLevel : rocksdb::kCompactionStyleFIFO;
  context.num_levels = 7;
  context.level_at_creation = static_cast<int>(draw.below(8)) - 1;
  context.reason =
      draw.percent(30) ? rocksdb::TableFileCreationReason::kFlush : rocksdb::TableFileCreationReason::kCompaction;
  context.is_bottommost = draw.percent(30);
  return context;
}

void expect_every_key(abi::FilterBitsReader& reader, const std::vector<std::string>& keys) {
  constexpr std::size_t kBatch = 40;
  std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
  std::array<rocksdb::Slice*, kBatch> batch;
  for (std::size_t begin = 0; begin < slices.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, slices.size() - begin);
    std::array<bool, kBatch> answers{};
    for (std::size_t i = 0; i < count; ++i) batch[i] = &slices[begin + i];
    reader.MayMatch(static_cast<int>(count), batch.data(), answers.data());
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_TRUE(answers[i]) << "LOST in a batch: " << slices[begin + i].ToString();
      ASSERT_TRUE(reader.MayMatch(slices[begin + i])) << "LOST: " << slices[begin + i].ToString();
    }
  }
}

/// Counts over all walks of a test. A test whose walks did nothing proves nothing.
struct Tally {
  std::uint64_t keys = 0;
  std::uint64_t filters = 0;
  std::uint64_t without_room = 0;  // filters that did not fit
};

/// Builds the filters of one file, in several partitions as RocksDB does.
void walk_builder(const Drawn& drawn, Random& draw, Tally& tally) {
  const auto builder = new_builder(*drawn.table.filter_policy, draw_context(draw, drawn));
  if (builder == nullptr) return;  // no filter at this level
  std::uint64_t sum = 0;
  const std::uint64_t parts = drawn.table.partition_filters ? 1 + draw.below(5) : 1;
  for (std::uint64_t part = 0; part < parts; ++part) {
    std::vector<std::string> keys(draw_keys(draw, drawn, *builder));
    SCOPED_TRACE(std::to_string(keys.size()) + " keys in part " + std::to_string(part));
    for (std::string& key : keys) builder->AddKey(key = key_of(draw.below(1'000'000)));
    const std::size_t added = builder->EstimateEntriesAdded();
    ASSERT_LE(added, keys.size());
    const double rate = builder->EstimatedFpRate(added, builder->CalculateSpace(added));
    ASSERT_TRUE(rate >= 0 && rate <= 1) << rate;
    std::unique_ptr<const char[]> buffer;
    rocksdb::Status status;
    const rocksdb::Slice block = builder->Finish(&buffer, &status);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_TRUE(builder->MaybePostVerify(block).ok());
    const auto reader = new_reader(*drawn.table.filter_policy, block);
    expect_every_key(*reader, keys);
    if (::testing::Test::HasFatalFailure()) return;
    tally.keys += keys.size();
    ++(block.size() == kAlwaysMaybe ? tally.without_room : tally.filters);
    if (block.size() == kAlwaysMaybe) {
      ASSERT_LT(drawn.max_filter_bytes - std::min(sum, drawn.max_filter_bytes), drawn.least_bytes) << "there was room";
      continue;
    }
    sum += block.size();
    ASSERT_LE(sum, drawn.max_filter_bytes);
    ASSERT_TRUE(added != 0 || !reader->MayMatch("absent")) << "a filter of no keys finds nothing";
  }
}

/// Walks from these seeds. Each walk draws options, and builds filters for several files of different sizes.
void walk_all(std::uint64_t first, std::uint64_t walks) {
  constexpr unsigned kFiles = 10;
  Tally tally;
  const bool all = walk_seeds("CRIVO_OPTIONS_SEED", first, walks, [&](std::uint64_t seed) {
    Random draw(seed);
    const Drawn drawn = draw_options(draw);
    SCOPED_TRACE(drawn.text);
    for (unsigned file = 0; file < kFiles; ++file) {
      walk_builder(drawn, draw, tally);
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
  std::cout << walks << " option strings, " << tally.keys << " keys in " << tally.filters << " filters, "
            << tally.without_room << " times no room for one\n";
  if (!all) return;
  EXPECT_GT(tally.filters, walks * kFiles / 2);
  EXPECT_GT(tally.without_room, walks / 10);
}

/// A builder alone with counted memory: it stays within its limit, and frees all memory.
void walk_build_memory(Random& draw) {
  const double bits = std::array{0.5, 3.3, 10.0, 100.0, 1000.0}[draw.below(5)];
  const Kind kind = draw.percent(50) ? Kind::kRibbon : Kind::kBlocked;
  const double rate = blocked_fp_rate(bits / kBlockBits, 1, best_blocked_probes(bits));
  const std::size_t most = std::max<std::size_t>(std::stoull(draw.one_of(kBytes)), 1);
  const std::uint64_t keys = draw.below(std::uint64_t{1} << (3 + draw.below(17)));
  SCOPED_TRACE(std::string(kind_name(kind)) + " of " + std::to_string(keys) + " keys, " + std::to_string(bits) +
               " bits each, max_build_bytes " + std::to_string(most));
  BuildMemory memory;
  {
    BlockBuilder builder(BlockSizing({.kind = kind, .bits_per_key = bits, .fp_rate = rate}), draw.percent(30), nullptr,
                         nullptr, {.max_build_bytes = most, .memory = &memory});
    const std::string block = build_block(builder, 0, keys);
    const auto filter = open_sst_block(std::as_bytes(std::span(block)));
    ASSERT_TRUE(filter) << filter.error().message;
    for (std::uint64_t i = 0; i < keys; ++i) ASSERT_TRUE(filter->may_contain(key_of(i))) << "LOST: " << key_of(i);
    // The limit never denies the array of the first hashes, one chunk for hashes, and the finished filter.
    const std::size_t filter_bytes = std::max(block.size(), builder.CalculateSpace(keys));
    const std::size_t always = 65536 + std::min(most / 2, BuildMemory::kChunkBytes) + filter_bytes;
    ASSERT_LE(memory.reset_peak(), std::max(most, always));
  }
  ASSERT_EQ(memory.held(), 0U);
}

TEST(RocksdbOptionsWalk, LosesNoKeyAndKeepsEveryBound) { walk_all(1, 200); }

void walk_build_memory(int times) {
  Random draw(1);
  for (int i = 0; i < times && !::testing::Test::HasFatalFailure(); ++i) walk_build_memory(draw);
}

TEST(RocksdbOptionsWalk, HoldsNoMoreMemoryThanItMay) { walk_build_memory(100); }
TEST(RocksdbOptionsWalk, LongHoldsNoMoreMemoryThanItMay) { walk_build_memory(1000); }

TEST(RocksdbOptionsWalk, LongLosesNoKeyAndKeepsEveryBound) { walk_all(1, 10'000); }

}  // namespace
}  // namespace crivo::testing

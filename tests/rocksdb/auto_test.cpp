// crivo.Auto: the filter of each file by level, cause and size, and the corresponding option strings.
#include <rocksdb/convenience.h>

#include <cmath>
#include <span>

#include "crivo/host/sizing.h"
#include "crivo/host/sst_block.h"
#include "support.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 20000;

struct File {
  std::string label;
  rocksdb::TableFileCreationReason reason = rocksdb::TableFileCreationReason::kCompaction;
  int level = -1;
  bool bottommost = false;
  rocksdb::CompactionStyle style = rocksdb::kCompactionStyleLevel;
};

using Reason = rocksdb::TableFileCreationReason;

std::unique_ptr<abi::FilterBitsBuilder> builder_for(const rocksdb::FilterPolicy& policy, const File& file) {
  const rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.reason = file.reason;
  context.level_at_creation = file.level;
  context.is_bottommost = file.bottommost;
  context.compaction_style = file.style;
  context.num_levels = 7;
  return new_builder(policy, context);
}

/// The kind and the bits per key of a file's filter, measured from the block that the policy writes.
struct Written {
  Kind kind;
  double bits_per_key;
};
Written written(const rocksdb::FilterPolicy& policy, const File& file, std::uint64_t keys = kKeys) {
  const auto builder = builder_for(policy, file);
  if (builder == nullptr) return {Kind::kClassic, 0};
  const std::string block = build_block(*builder, 0, keys);
  const auto filter = open_sst_block(std::as_bytes(std::span(block)));
  EXPECT_TRUE(filter) << file.label;
  return {filter->shape().kind, static_cast<double>(block.size()) * 8 / static_cast<double>(keys)};
}

/// A policy that got the options of a column family, with or without dynamic level sizes, as from DB::Open.
Policy opened(const std::string& text, bool dynamic_levels) {
  Policy policy = policy_from_string(text);
  rocksdb::ColumnFamilyOptions options;
  options.level_compaction_dynamic_level_bytes = dynamic_levels;
  EXPECT_EQ(policy->ValidateOptions({}, options).ToString(), "OK");
  return policy;
}

struct Expected {
  File file;
  bool dynamic_levels;
  Kind kind;
};

TEST(RocksdbAuto, GivesAFileTheKindThatItsLifeIsLongEnoughFor) {
  const auto level = rocksdb::kCompactionStyleLevel;
  const auto universal = rocksdb::kCompactionStyleUniversal;
  for (const auto& [file, dynamic_levels, kind] :
       {Expected{{"Flush", Reason::kFlush, 0}, true, Kind::kBlocked},
        Expected{{"Recovery", Reason::kRecovery, 0}, true, Kind::kBlocked},
        Expected{{"WithinLevel0", Reason::kCompaction, 0}, true, Kind::kBlocked},
        Expected{{"DynamicLevel4", Reason::kCompaction, 4}, true, Kind::kBlocked},
        Expected{{"DynamicLevel5", Reason::kCompaction, 5}, true, Kind::kRibbon},
        Expected{{"DynamicLast", Reason::kCompaction, 6}, true, Kind::kRibbon},
        Expected{{"FixedLevel2", Reason::kCompaction, 2}, false, Kind::kBlocked},
        Expected{{"FixedLevel3", Reason::kCompaction, 3}, false, Kind::kRibbon},
        Expected{{"BottommostOnLevel1", Reason::kCompaction, 1, true, level}, false, Kind::kRibbon},
        Expected{{"UniversalFull", Reason::kCompaction, 0, true, universal}, false, Kind::kRibbon},
        Expected{{"UniversalLevel4", Reason::kCompaction, 4, false, universal}, false, Kind::kBlocked},
        Expected{{"UniversalLevel5", Reason::kCompaction, 5, false, universal}, false, Kind::kRibbon},
        Expected{{"Fifo", Reason::kFlush, 0, false, rocksdb::kCompactionStyleFIFO}, true, Kind::kRibbon},
        Expected{{"ForIngestion", Reason::kMisc, -1}, true, Kind::kRibbon}}) {
    EXPECT_EQ(written(*opened("crivo.Auto", dynamic_levels), file).kind, kind) << file.label;
  }
}

const File kFlushed{"Flush", Reason::kFlush, 0};
const File kLastButOne{"LastButOne", Reason::kCompaction, 5};
const File kBottommost{"Bottommost", Reason::kCompaction, 6, true};

TEST(RocksdbAuto, CountsBloomEquivalentBits) {
  const Policy policy = opened("crivo.Auto:10", true);
  EXPECT_NEAR(written(*policy, kFlushed).bits_per_key, 10, 0.05);
  const double rate = blocked_fp_rate(10.0 / kBlockBits, 1, best_blocked_probes(10));
  EXPECT_NEAR(written(*policy, kBottommost).bits_per_key, std::log2(1 / rate) * 1.02, 0.2);
}

TEST(RocksdbAuto, MakesTheBottommostFilterSmallOrLeavesItOut) {
  const Policy small = opened("crivo.Auto:10:bottommost_fp_rate:0.1", true);
  EXPECT_NEAR(written(*small, kBottommost).bits_per_key, 3.4, 0.15);
  EXPECT_NEAR(written(*small, kLastButOne).bits_per_key, 6.8, 0.2) << "only the bottommost";
  EXPECT_NEAR(written(*small, {"Last", Reason::kCompaction, 6}).bits_per_key, 3.4, 0.15) << "nothing lies below it";
  const Policy none = opened("crivo.Auto:10:bottommost_fp_rate:1", true);
  EXPECT_EQ(builder_for(*none, kBottommost), nullptr);
  EXPECT_NE(builder_for(*none, kLastButOne), nullptr);
}

TEST(RocksdbAuto, WritesBlockedFiltersWhereARibbonSavesLittle) {
  const Policy policy = opened("crivo.Auto:10", true);
  int blocked = 0;
  for (std::uint64_t keys = 1; keys < 2000; keys += keys < 100 ? 1 : 50) {
    const Written filter = written(*policy, kBottommost, keys);
    const double as_blocked = std::ceil(static_cast<double>(keys) * 10 / 512) * 64 + 32;
    const double bytes = filter.bits_per_key * static_cast<double>(keys) / 8;
    if (filter.kind == Kind::kBlocked) {
      ++blocked;
    } else {
      EXPECT_LT(bytes - 32, (as_blocked - 32) * 0.89) << keys << " keys";
    }
    EXPECT_LE(bytes, as_blocked + 0.5) << keys << " keys";
  }
  EXPECT_GT(blocked, 20);
  EXPECT_EQ(written(*policy, kBottommost, 2000).kind, Kind::kRibbon);
}

TEST(RocksdbAuto, SpendsABudgetWhereItSavesMostReads) {
  const Policy policy = opened("{id=crivo.Auto;budget_bits_per_key=7;levels=3}", true);
  const double flushed = written(*policy, kFlushed).bits_per_key;
  const double last_but_one = written(*policy, kLastButOne).bits_per_key;
  const double last = written(*policy, kBottommost).bits_per_key;
  EXPECT_GT(flushed, last_but_one + 2);
  EXPECT_GT(last_but_one, last + 2);
  // Levels of 1, 1, 10 and 100: the plan assumes that level 0 is as large as level 1.
  const double level4 = written(*policy, {"Level4", Reason::kCompaction, 4}).bits_per_key;
  EXPECT_GT(flushed, level4 + 1) << "level 0 has four runs";
  const double mean = (flushed + level4 + last_but_one * 10 + last * 100) / 112;
  EXPECT_NEAR(mean, 7, 0.25);
}

/// The bits per key of a policy for a flush, for level 1 and for the bottommost level.
std::vector<double> bits_by_level(const rocksdb::FilterPolicy& policy) {
  return {written(policy, kFlushed).bits_per_key, written(policy, {"Level1", Reason::kCompaction, 1}).bits_per_key,
          written(policy, kBottommost).bits_per_key};
}

TEST(RocksdbAuto, TakesTheTreeOfABudgetFromTheColumnFamily) {
  const auto opened_with = [](const std::string& text, int num_levels, double multiplier,
                              rocksdb::CompactionStyle style) {
    rocksdb::Options options = with_policy(test_options(), policy_from_string(text));
    options.num_levels = num_levels;
    options.max_bytes_for_level_multiplier = multiplier;
    options.compaction_style = style;
    options.level_compaction_dynamic_level_bytes = false;
    EXPECT_TRUE(try_to_open(options).ok());
    const Policy policy = options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->filter_policy;
    EXPECT_EQ(policy->GetId(), policy_from_string(text)->GetId()) << "what was learned is no option";
    return bits_by_level(*policy);
  };
  const auto given = [](const std::string& levels_and_ratio) {
    return bits_by_level(*opened("crivo.Auto:budget_bits_per_key:7" + levels_and_ratio, false));
  };
  const std::string budget = "crivo.Auto:budget_bits_per_key:7";
  const auto level = rocksdb::kCompactionStyleLevel;
  const auto universal = rocksdb::kCompactionStyleUniversal;
  EXPECT_EQ(opened_with(budget, 3, 4, level), given(":levels:2:level_ratio:4"));
  EXPECT_EQ(opened_with(budget, 4, 25, level), given(":levels:3:level_ratio:25"));
  EXPECT_EQ(opened_with(budget, 7, 10, level), given("")) << "that there may be more levels is not to have them";
  EXPECT_EQ(opened_with(budget, 3, 1e9, level), given(":levels:2:level_ratio:1000"));
  EXPECT_EQ(opened_with(budget, 3, 0.5, level), given(":levels:2")) << "no ratio of ours";
  EXPECT_EQ(opened_with(budget, 3, 4, universal), given(":levels:2")) << "it has no such ratio";
  EXPECT_EQ(opened_with(budget + ":levels:3:level_ratio:20", 7, 4, level), given(":levels:3:level_ratio:20"));
  EXPECT_NE(given(":levels:2:level_ratio:4"), given(""));
}

TEST(RocksdbAuto, KnowsTheNumbersOfTheLevelsFromTheColumnFamily) {
  const File level5{"Level5", Reason::kCompaction, 5};
  EXPECT_EQ(written(*opened("crivo.Auto:10:levels:8", true), level5).kind, Kind::kRibbon) << "the second-to-last of 7";
  EXPECT_EQ(written(*opened("crivo.Auto:10:levels:8", false), level5).kind, Kind::kBlocked) << "three above the last";
}

}  // namespace
}  // namespace crivo::testing

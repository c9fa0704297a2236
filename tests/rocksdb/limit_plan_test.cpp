// The plan for a file's filter, by its level and its share of max_total_bytes, computed from the tree of files. Whole
// databases (total_test.cpp, auto_test.cpp) differ from run to run, so only this test detects small errors.
#include "options/limit_plan.h"

#include <gtest/gtest.h>
#include <rocksdb/table.h>

#include <cmath>
#include <memory>
#include <vector>

#include "options/level_specs.h"
#include "report/filter_tree.h"
#include "support.h"

namespace crivo::testing {
namespace {

using namespace plugin;

constexpr int kLast = 6;
constexpr double kTolerance = 0.015;  // divide_budget interpolates the sizes of ribbons

/// crivo.Auto with dynamic level sizes.
Settings with_limit(double bytes) {
  Settings settings;
  settings.tree.dynamic_levels = true;
  settings.max_total_bytes = static_cast<std::uint64_t>(bytes);
  auto specs = level_specs(kPolicies.back(), settings);
  settings.by_distance = std::make_shared<const std::vector<LevelSpec>>(*std::move(specs));
  return settings;
}

/// A file from a flush, or from a compaction into a level.
class NewFile {
 public:
  static NewFile flushed() { return NewFile(0, rocksdb::TableFileCreationReason::kFlush); }
  static NewFile compacted_into(int level) { return NewFile(level, rocksdb::TableFileCreationReason::kCompaction); }

  [[nodiscard]] FilePlan plan(const Settings& settings, const ListedTree& tree, PlanUse use) const {
    return *plan_file(settings, tree, context(), use);
  }
  [[nodiscard]] rocksdb::FilterBuildingContext context() const {
    rocksdb::FilterBuildingContext context(table_);
    context.compaction_style = rocksdb::kCompactionStyleLevel;
    context.num_levels = kLast + 1;
    context.level_at_creation = level_;
    context.reason = reason_;
    return context;
  }

 private:
  NewFile(int level, rocksdb::TableFileCreationReason reason) : level_(level), reason_(reason) {}

  int level_;
  rocksdb::TableFileCreationReason reason_;
  rocksdb::BlockBasedTableOptions table_;
};

/// A tree of one column family, with this number of keys in its last level and in the level above.
ListedTree tree_of(double last_keys, double keys_above = 0) {
  ListedTree tree;
  tree.levels.resize(kLast + 1);
  tree.levels[kLast].keys = last_keys;
  tree.levels[kLast - 1].keys = keys_above;
  tree.limited_keys = last_keys + keys_above;
  return tree;
}

double bytes_of(const LevelSpec& spec, double keys) { return real_bits_per_key(spec) * keys / 8; }

bool same(const LevelSpec& a, const LevelSpec& b) {
  return a.kind == b.kind && a.bits_per_key == b.bits_per_key && a.fp_rate == b.fp_rate;
}

TEST(LevelSpecs, AreRibbonsInTheLastTwoLevelsAndBlockedAbove) {
  const Settings settings = with_limit(0);
  const auto kind_at = [&](const NewFile& file) {
    return spec_of_file(kPolicies.back(), settings, file.context()).kind;
  };
  for (int level = 0; level <= kLast; ++level) {
    EXPECT_EQ(kind_at(NewFile::compacted_into(level)), level < kLast - 1 ? Kind::kBlocked : Kind::kRibbon) << level;
  }
  EXPECT_EQ(kind_at(NewFile::flushed()), Kind::kBlocked);
}

TEST(LevelSpecs, HaveTheBottommostRateOnlyWhereNoOtherFileFollows) {
  Settings settings = with_limit(0);
  settings.bottommost_fp_rate = 0.25;
  auto specs = level_specs(kPolicies.back(), settings);
  settings.by_distance = std::make_shared<const std::vector<LevelSpec>>(*std::move(specs));
  const auto rate = [&](const rocksdb::FilterBuildingContext& context) {
    return spec_of_file(kPolicies.back(), settings, context).fp_rate;
  };
  rocksdb::FilterBuildingContext context = NewFile::compacted_into(2).context();
  EXPECT_LT(rate(context), 0.02);
  context.is_bottommost = true;
  EXPECT_EQ(rate(context), 0.25) << "whatever its level";
  EXPECT_EQ(rate(NewFile::compacted_into(kLast).context()), 0.25);
  EXPECT_LT(rate(NewFile::compacted_into(kLast - 1).context()), 0.02);
  // A lookup may read all files of an unknown level, or of a tree without levels.
  EXPECT_LT(rate(NewFile::compacted_into(-1).context()), 0.02);
  context.compaction_style = rocksdb::kCompactionStyleFIFO;
  EXPECT_LT(rate(context), 0.02);
}

// The plan is 0.9 of the limit, minus the filters of families without a limit, and minus 96 bytes per block.
TEST(LimitPlan, ReducesFiltersOnlyWhereTheyDoNotFit) {
  constexpr double kKeys = 1'000'000;
  ListedTree tree = tree_of(kKeys);
  tree.limited_blocks = 50;
  tree.unlimited_bytes = 10'000;
  const LevelSpec wanted = with_limit(0).at(0);
  const double least = (bytes_of(wanted, kKeys) + 50 * 96 + 10'000) / 0.9;
  const NewFile file = NewFile::compacted_into(kLast);
  EXPECT_TRUE(same(file.plan(with_limit(std::ceil(least)), tree, PlanUse::kAll).spec, wanted));
  const LevelSpec less = file.plan(with_limit(std::floor(least) - 1), tree, PlanUse::kAll).spec;
  EXPECT_FALSE(same(less, wanted));
  EXPECT_FALSE(file.plan(with_limit(std::ceil(least)), tree, PlanUse::kAll).is_reduced);
  EXPECT_TRUE(file.plan(with_limit(std::floor(least) - 1), tree, PlanUse::kAll).is_reduced);
  EXPECT_NEAR(bytes_of(less, kKeys), bytes_of(wanted, kKeys), kTolerance * bytes_of(wanted, kKeys));
}

TEST(LimitPlan, DividesAllOfTheLimitOverTheLevels) {
  const ListedTree tree = tree_of(1'000'000, 100'000);
  const Settings settings = with_limit(500'000);
  const LevelSpec last = NewFile::compacted_into(kLast).plan(settings, tree, PlanUse::kAll).spec;
  const LevelSpec above = NewFile::compacted_into(kLast - 1).plan(settings, tree, PlanUse::kAll).spec;
  EXPECT_GT(real_bits_per_key(above), real_bits_per_key(last)) << "bits buy more in a smaller level";
  EXPECT_NEAR(bytes_of(last, 1'000'000) + bytes_of(above, 100'000), 450'000, kTolerance * 450'000);
}

TEST(LimitPlan, ReservesASixteenthForALevelThatHasNoKeysYet) {
  const ListedTree tree = tree_of(1'600'000);
  const Settings settings = with_limit(500'000);
  const LevelSpec flushed = NewFile::flushed().plan(settings, tree, PlanUse::kAll).spec;
  const LevelSpec last = NewFile::compacted_into(kLast).plan(settings, tree, PlanUse::kAll).spec;
  EXPECT_NEAR(bytes_of(last, 1'600'000), 450'000, kTolerance * 450'000) << "it has all keys";
  // The plan assumes that level 0 will have a sixteenth of all keys. Per key, level 0 gets more bits than the last
  // level, but in total less than a third of the budget.
  EXPECT_GT(bytes_of(flushed, 100'000), bytes_of(last, 100'000));
  EXPECT_LT(bytes_of(flushed, 100'000), 450'000 / 3.0);
}

// A lookup reads every file of level 0.
TEST(LimitPlan, GivesLevelZeroMoreBitsTheMoreFilesItHas) {
  ListedTree tree = tree_of(1'000'000);
  tree.levels[0].keys = 100'000;
  tree.limited_keys = 1'100'000;
  const auto bits_with_files = [&](double files) {
    tree.levels[0].files = files;
    return real_bits_per_key(NewFile::flushed().plan(with_limit(500'000), tree, PlanUse::kAll).spec);
  };
  EXPECT_GT(bits_with_files(10), bits_with_files(1) + 1);
}

TEST(LimitPlan, GivesAFlushedFileHalfOfWhatIsLeft) {
  ListedTree tree = tree_of(1'000'000);
  tree.staying_bytes = 40'000;
  tree.moving_bytes = 5'000;
  EXPECT_EQ(max_flushed_bytes(tree, 100'000, 0), (105'000U - 40'000 - 5'000) / 2);
  EXPECT_EQ(max_flushed_bytes(tree, 100'000, 15'000), (105'000U - 40'000 - 15'000) / 2);
  tree.flushed_bytes = 10'000;
  EXPECT_EQ(max_flushed_bytes(tree, 100'000, 0), (105'000U - 40'000 - 5'000 - 10'000) / 2);
  tree.staying_bytes = 200'000;
  EXPECT_EQ(max_flushed_bytes(tree, 100'000, 0), 0U) << "nothing is left";
  EXPECT_EQ(max_bytes_without_plan(with_limit(100'000)), 5'000U);
}

// With a limit of 100,000, flushes can have 105,000 bytes.
TEST(FilterTree, CountsTheFiltersOfRunningFlushes) {
  FilterTree tree;
  std::size_t counted = 0;
  const auto most = [&](const Flush& flush, std::size_t wanted) {
    return tree.reserve(flush, 100'000, 0, wanted, counted);
  };
  EXPECT_EQ(most({1, "a"}, 5'000), 52'500U);
  EXPECT_EQ(counted, 5'000U) << "at once, because other flushes run in parallel";
  EXPECT_EQ(most({2, "a"}, 60'000), 50'000U) << "the same column family's next memtable";
  EXPECT_EQ(counted, 50'000U) << "no more than it can have";
  tree.count({2, "a"}, counted, 45'000);
  EXPECT_EQ(most({2, "a"}, 60'000), 50'000U) << "for all partitions together";
  EXPECT_EQ(counted, 5'000U);
  tree.count({2, "a"}, counted, 0);
  EXPECT_EQ(most({3, "b"}, 0), (105'000U - 50'000) / 2);
  tree.cancel_flushes(1);
  EXPECT_EQ(most({3, "b"}, 0), (105'000U - 45'000) / 2);
  tree.end_writing({2, "a"});
  tree.end_flush({2, "a"});
  EXPECT_EQ(most({3, "b"}, 0), (105'000U - 45'000) / 2) << "until the next list";
  EXPECT_EQ(most({3, "c"}, 10'000), (105'000U - 45'000) / 2) << "in an atomic flush";
  EXPECT_EQ(most({3, "b"}, 0), (105'000U - 55'000) / 2);
}

/// The bytes that count for flushes, listed or not.
std::size_t flushed_bytes(FilterTree& tree) {
  std::size_t counted = 0;
  return 105'000 - 2 * tree.reserve({99, "another"}, 100'000, 0, 0, counted);
}

TEST(FilterTree, EndsWrittenFlushesWithALaterOneOfTheColumnFamily) {
  FilterTree tree;
  std::size_t counted = 0;
  for (const int job : {1, 2, 3, 4}) (void)tree.reserve({job, job == 2 ? "b" : "a"}, 100'000, 0, 1'000, counted);
  for (const int job : {1, 2, 4}) tree.end_writing({job, job == 2 ? "b" : "a"});
  EXPECT_EQ(flushed_bytes(tree), 4'000U) << "a written file is not listed before that of an earlier flush";
  tree.end_flush({4, "a"});
  tree.cancel_flushes(1);
  EXPECT_EQ(flushed_bytes(tree), 4'000U) << "job 1 has ended with job 4, and both count until the next list";
  tree.cancel_flushes(3);
  EXPECT_EQ(flushed_bytes(tree), 3'000U) << "job 3 was running";
  tree.cancel_flushes(2);
  EXPECT_EQ(flushed_bytes(tree), 2'000U) << "job 2 is of another column family";
}

// RocksDB does not report the end of the flush of a dropped column family.
TEST(FilterTree, ForgetsTheWrittenFlushesOfDroppedColumnFamilies) {
  const ScratchDatabase db(configured({}));
  Family dropped = create_family(*db, configured({}), "dropped");
  const Family fresh = create_family(*db, configured({}), "fresh");
  FilterTree tree;
  std::size_t counted = 0;
  for (const char* family : {"dropped", "fresh"}) {
    (void)tree.reserve({1, family}, 100'000, 0, 1'000, counted);
    tree.end_writing({1, family});
  }
  (void)tree.reserve({2, "running"}, 100'000, 0, 1'000, counted);
  ASSERT_TRUE(db->DropColumnFamily(dropped.get()).ok());
  tree.list(*db, /*now=*/true);
  EXPECT_EQ(flushed_bytes(tree), 3'000U) << "it exists until its last handle is deleted";
  dropped.reset();
  tree.list(*db, /*now=*/true);
  EXPECT_EQ(flushed_bytes(tree), 2'000U);
}

// The other files have larger filters, from an earlier plan.
TEST(LimitPlan, GivesACompactionNoMoreThanTheOtherFilesLeave) {
  constexpr double kKeys = 1'000'000;
  ListedTree tree = tree_of(kKeys / 2);
  tree.levels[kLast].moving_keys = kKeys / 2;
  tree.limited_keys = kKeys;
  const NewFile file = NewFile::compacted_into(kLast);
  const Settings settings = with_limit(1'000'000);
  const LevelSpec share = file.plan(settings, tree, PlanUse::kAll).spec;
  tree.staying_bytes = 1'000'000 - 1.1 * bytes_of(share, kKeys / 2);
  EXPECT_TRUE(same(file.plan(settings, tree, PlanUse::kWithinRest).spec, share)) << "there is room";
  tree.staying_bytes = 900'000;
  const LevelSpec less = file.plan(settings, tree, PlanUse::kWithinRest).spec;
  EXPECT_NEAR(bytes_of(less, kKeys / 2), 100'000, kTolerance * 100'000);
  // At the limit, a compaction may replace the filters of its inputs, scaled to the limit.
  tree.staying_bytes = 1'000'000;
  tree.moving_bytes = 250'000;
  const LevelSpec scaled = file.plan(settings, tree, PlanUse::kWithinRest).spec;
  EXPECT_NEAR(bytes_of(scaled, kKeys / 2), 200'000, kTolerance * 200'000);
  // With this limit, only the other files' filters leave too little.
  EXPECT_FALSE(file.plan(with_limit(3'000'000), tree, PlanUse::kWithinRest).is_reduced);
  tree.staying_bytes = 2'900'000;
  EXPECT_TRUE(file.plan(with_limit(3'000'000), tree, PlanUse::kWithinRest).is_reduced);
}

}  // namespace
}  // namespace crivo::testing

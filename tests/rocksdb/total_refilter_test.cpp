// max_total_bytes: RefilterRocksDB makes the filters of a database fit the limit and use it.
#include <rocksdb/slice_transform.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "crivo/rocksdb_refilter.h"
#include "total_support.h"

namespace crivo::testing {
namespace {

TEST(Total, IsChangedWhileTheDatabaseIsOpenAndReachedByRefilter) {
  const ScratchDatabase db(small_tree({}));
  write(*db, 0, 100'000);
  settle_for_good(*db);
  const std::uint64_t before = filter_bytes(*db);
  EXPECT_GT(before, 80'000U);
  ASSERT_TRUE(db->SetOptions({{"table_factory.filter_policy.max_total_bytes", "60000"}}).ok());
  EXPECT_GT(RefilterRocksDB(*db, {.dry_run = true}).files_left, 0U);
  const auto report = RefilterRocksDB(*db);
  EXPECT_TRUE(report.status.ok()) << report.status.ToString();
  EXPECT_LE(filter_bytes(*db), kMax);
  EXPECT_GT(filter_bytes(*db), kLimit / 2);
  EXPECT_EQ(RefilterRocksDB(*db, {.dry_run = true}).files_left, 0U) << "all are as they are planned";
  EXPECT_EQ(lost(*db, 100'000), 0U);

  ASSERT_TRUE(db->SetOptions({{"table_factory.filter_policy.max_total_bytes", "0"}}).ok());
  EXPECT_TRUE(RefilterRocksDB(*db).status.ok());
  EXPECT_GT(filter_bytes(*db), 80'000U);
}

TEST(Total, IsKeptByARefilterOfADatabaseThatWasJustOpened) {
  const rocksdb::Options options = small_tree({.max_total_bytes = kLimit});
  ScratchDatabase db(options);
  write(*db, 0, 100'000);
  settle(*db);
  rocksdb::Options lower = small_tree({.max_total_bytes = kLimit / 2});
  lower.disable_auto_compactions = true;  // a compaction would change the tree, and the plan, between two calls
  db.reopen(lower);
  EXPECT_TRUE(RefilterRocksDB(*db).status.ok());
  EXPECT_LE(filter_bytes(*db), kMax / 2);
  EXPECT_GT(filter_bytes(*db), kLimit / 5);
  EXPECT_EQ(RefilterRocksDB(*db, {.dry_run = true}).files_left, 0U) << "the next call has nothing to do";
}

/// The filters use most of the limit. The plan (options/limit_plan.cpp) reserves a tenth, and 96 bytes per filter
/// block: 32 for the trailer and 64 for rounding up a blocked filter. A ribbon has a trailer, almost no rounding, and
/// may be 4% smaller than planned (PredictsItsSizes in block_test.cpp). So the filters use at least 0.96 x 0.9 of the
/// limit, minus 0.96 x 96 - 32 = 61 bytes per block. Each file has one block.
void expect_limit_used(rocksdb::DB& db, std::uint64_t limit, std::size_t files_before) {
  const std::size_t files = std::max(files_before, live_files(db).size());
  EXPECT_LE(filter_bytes(db), limit + limit / 20);
  EXPECT_GE(filter_bytes(db) + files * 61, limit * 86 / 100) << files << " files";
}

/// One call of RefilterRocksDB makes the filters fit and use the limit. The next call has nothing to do.
void expect_reached_by_one_refilter(rocksdb::DB& db, std::uint64_t limit) {
  const std::size_t files = live_files(db).size();
  const auto report = RefilterRocksDB(db);
  EXPECT_TRUE(report.status.ok()) << report.status.ToString();
  expect_limit_used(db, limit, files);
  EXPECT_EQ(RefilterRocksDB(db).files, 0U) << "the second call";
}

TEST(Total, IsUsedWhereAllKeysLieInOneLevel) {
  constexpr std::uint64_t kKeys = 60'000;
  for (const double bits : {0.8, 2.67}) {
    SCOPED_TRACE(bits);
    const auto limit = static_cast<std::uint64_t>(bits * kKeys / 8);
    const ScratchDatabase db(small_tree({.max_total_bytes = limit}));
    write(*db, 0, kKeys);
    settle_for_good(*db);
    for (int i = 0; i < 2; ++i) {
      const std::size_t files = live_files(*db).size();
      rewrite_files(*db);
      expect_limit_used(*db, limit, files);
    }
    EXPECT_EQ(RefilterRocksDB(*db).files, 0U) << "as compactions write it";
    EXPECT_EQ(lost(*db, kKeys), 0U);
  }
}

TEST(Total, IsReachedByRefilterUnderFifo) {
  struct Limits {
    std::uint64_t loading, refilter;
  };
  for (const Limits& limits : {Limits{80'000, 80'000}, Limits{500'000, 50'000}}) {
    SCOPED_TRACE(limits.refilter);
    rocksdb::Options options = small_tree({.max_total_bytes = limits.loading});
    options.compaction_style = rocksdb::kCompactionStyleFIFO;
    options.compaction_options_fifo.max_table_files_size = 1 << 30;
    const ScratchDatabase db(options);
    write(*db, 0, 120'000);
    settle_for_good(*db);
    EXPECT_LE(filter_bytes(*db), limits.loading + limits.loading / 20);
    const std::string now = std::to_string(limits.refilter);
    ASSERT_TRUE(db->SetOptions({{"table_factory.filter_policy.max_total_bytes", now}}).ok());
    expect_reached_by_one_refilter(*db, limits.refilter);
    EXPECT_EQ(lost(*db, 120'000), 0U);
  }
}

TEST(Total, IsReachedByRefilterWhereTheFiltersGetOtherKeys) {
  struct Change {
    const char* what;
    bool whole_before, whole_now;
    const char *transform_before, *transform_now;
  };
  for (const Change& change :
       {Change{"whole_key_filtering on", false, true, "", ""}, Change{"whole_key_filtering off", true, false, "", ""},
        Change{"keys no longer merged", true, true, "take_prefix:3", ""},
        Change{"keys merged", true, true, "", "take_prefix:3"}}) {
    SCOPED_TRACE(change.what);
    const bool few_now = !change.whole_now || *change.transform_now != 0;
    const std::uint64_t limit = few_now ? 2'500 : kLimit / 2;  // 5 bits for each of 4096 prefixes, 4 bits for each key
    const auto options = [&](bool whole, const char* transform) {
      rocksdb::Options made = small_tree({.key_transform = transform, .max_total_bytes = limit});
      if (few_now) made.target_file_size_base = 1 << 20;  // large enough for a filter of a thousand prefixes
      rocksdb::BlockBasedTableOptions table = *made.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
      table.whole_key_filtering = whole;
      made = with_table(made, table);
      made.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(3));
      if (*transform != 0) made.prefix_extractor.reset();
      return made;
    };
    ScratchDatabase db(options(change.whole_before, change.transform_before));
    write(*db, 0, 60'000);
    settle(*db);
    ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
    rocksdb::Options now = options(change.whole_now, change.transform_now);
    now.disable_auto_compactions = true;
    db.reopen(now);
    expect_reached_by_one_refilter(*db, limit);
    EXPECT_EQ(lost(*db, 60'000), 0U);
  }
}

}  // namespace
}  // namespace crivo::testing

// max_total_bytes: the filters of a database stay within one limit while it grows, and lose no key.
#include <gmock/gmock.h>
#include <rocksdb/listener.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "crivo/rocksdb.h"
#include "crivo/rocksdb_counters.h"
#include "crivo/rocksdb_refilter.h"
#include "support.h"

namespace crivo::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kLimit = 60'000;
constexpr std::uint64_t kMax = kLimit + kLimit / 20;
constexpr std::uint64_t kMissing = 6;  // bytes of a block that lets every key pass, for lack of space

/// Small files and small levels, so that a hundred thousand keys fill several levels.
rocksdb::Options small_tree(const RocksDBFilterOptions& filter) {
  rocksdb::Options options = configured(filter);
  options.write_buffer_size = 256 << 10;
  options.target_file_size_base = 128 << 10;
  options.max_bytes_for_level_base = 512 << 10;
  options.disable_auto_compactions = false;
  options.compression = rocksdb::kNoCompression;
  return options;
}

void write(rocksdb::DB& db, std::uint64_t begin, std::uint64_t end, rocksdb::ColumnFamilyHandle* family = nullptr) {
  if (family == nullptr) family = db.DefaultColumnFamily();
  for (std::uint64_t i = begin; i < end; ++i) {
    const std::string key = key_of(i * 0x9E3779B97F4A7C15);  // in random order, so that files overlap
    ASSERT_TRUE(db.Put({}, family, key, std::string(40, 'v')).ok());
  }
}

/// Flushes, and waits until no compaction is running or pending. (DB::WaitForCompact exists since RocksDB 8, and
/// universal compaction may report a pending one forever.)
void settle(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family = nullptr) {
  if (family == nullptr) family = db.DefaultColumnFamily();
  ASSERT_TRUE(db.Flush({}, family).ok());
  const bool levels = db.GetOptions(family).compaction_style == rocksdb::kCompactionStyleLevel;
  for (int quiet = 0; quiet < 20; ++quiet) {
    std::uint64_t running = 0;
    std::uint64_t pending = 0;
    EXPECT_TRUE(db.GetIntProperty(family, rocksdb::DB::Properties::kNumRunningCompactions, &running));
    EXPECT_TRUE(db.GetIntProperty(family, rocksdb::DB::Properties::kCompactionPending, &pending));
    if (running != 0 || (levels && pending != 0)) quiet = 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// Settles the database, and disables compactions, which would change the plan between two calls.
void settle_for_good(rocksdb::DB& db) {
  settle(db);
  ASSERT_TRUE(db.SetOptions({{"disable_auto_compactions", "true"}}).ok());
}

std::uint64_t lost(rocksdb::DB& db, std::uint64_t end, std::uint64_t step = 7) {
  std::uint64_t missing = 0;
  std::string value;
  for (std::uint64_t i = 0; i < end; i += step) missing += !db.Get({}, key_of(i * 0x9E3779B97F4A7C15), &value).ok();
  return missing;
}

TEST(Total, HoldsWhileADatabaseGrowsManyTimesAndIsOpenedAgain) {
  const rocksdb::Options options = small_tree({.max_total_bytes = kLimit});
  ScratchDatabase db(options);
  std::uint64_t keys = 0;
  for (const std::uint64_t end : {2'000U, 20'000U, 60'000U, 100'000U, 150'000U}) {
    if (end == 150'000) {
      db.reopen(options);
      EXPECT_FALSE(GetRocksDBFilterTotal(*db)) << "nothing was written yet";
    }
    for (; keys < end; keys += 2000) {
      write(*db, keys, keys + 2000);
      EXPECT_LE(filter_bytes(*db), kMax + kMissing * live_files(*db).size()) << keys;
    }
    settle(*db);
    EXPECT_LE(filter_bytes(*db), kMax + kMissing * live_files(*db).size()) << keys;
    if (keys >= 60'000) {
      EXPECT_GT(filter_bytes(*db), kLimit / 2) << keys << ": it is used";
    }
    EXPECT_EQ(lost(*db, keys), 0U);
  }
  const std::unique_ptr<char, decltype(&std::free)> exported(crivo_rocksdb_counters("prometheus"), &std::free);
  EXPECT_THAT(exported.get(), HasSubstr("crivo_rocksdb_max_total_bytes{folder=\"" + db.path() + "\"} 60000\n"));
  EXPECT_THAT(exported.get(), HasSubstr("crivo_rocksdb_filter_bytes{folder=\"" + db.path() + "\"} "));
  const auto total = GetRocksDBFilterTotal(*db);
  ASSERT_TRUE(total);
  EXPECT_EQ(total->max_total_bytes, kLimit);
  EXPECT_EQ(total->bytes, filter_bytes(*db));
  EXPECT_GE(total->keys, keys);
  EXPECT_EQ(total->files, live_files(*db).size());
  db.close();
  EXPECT_THAT(read_bytes(db.path() + "/LOG"), HasSubstr("crivo: max_total_bytes is 60000; the filters of "));
}

TEST(Total, IsSharedByColumnFamilies) {
  const rocksdb::Options options = small_tree({.max_total_bytes = kLimit});
  const ScratchDatabase db(options);
  const Family other = create_family(*db, options, "other");
  const Family unlimited = create_family(*db, small_tree({}), "unlimited");
  for (std::uint64_t i = 0; i < 60'000; i += 1000) {
    write(*db, i, i + 1000);
    write(*db, i, i + 1000, other.get());
    if (i < 10'000) write(*db, i, i + 1000, unlimited.get());
  }
  for (const auto& family : {db->DefaultColumnFamily(), other.get(), unlimited.get()}) {
    settle(*db, family);
  }
  const std::uint64_t here = filter_bytes(*db);
  const std::uint64_t there = filter_bytes(*db, other.get());
  const std::uint64_t beside = filter_bytes(*db, unlimited.get());
  EXPECT_GT(beside, 8'000U) << "ten thousand keys as they are without a limit";
  EXPECT_LE(here + there + beside, kMax + kMissing * live_files(*db).size());
  EXPECT_GT(here, kLimit / 10);
  EXPECT_GT(there, kLimit / 10);
}

// RocksDB begins the flushes of all column families before it writes the first file.
TEST(Total, HoldsWhenManyColumnFamiliesFlushTogether) {
  rocksdb::Options options = small_tree({.max_total_bytes = kLimit});
  options.atomic_flush = true;
  options.disable_auto_compactions = true;  // only flushes write files
  const ScratchDatabase db(options);
  std::vector<Family> families;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  for (int i = 0; i < 16; ++i) {
    families.push_back(create_family(*db, options, "family" + std::to_string(i)));
    handles.push_back(families.back().get());
  }
  const auto all_bytes = [&] {
    std::uint64_t bytes = 0;
    for (rocksdb::ColumnFamilyHandle* const handle : handles) bytes += filter_bytes(*db, handle);
    return bytes;
  };
  for (std::uint64_t round = 0; round < 6; ++round) {
    for (rocksdb::ColumnFamilyHandle* const handle : handles) write(*db, 700 * round, 700 * (round + 1), handle);
    ASSERT_TRUE(db->Flush({}, handles).ok());
    EXPECT_LE(all_bytes(), kMax + kMissing * 16 * (round + 1)) << round;
  }
  EXPECT_GT(all_bytes(), kLimit);
}

// Only a new file or a handle shows a column family's options. Until then, its files show the limit.
TEST(Total, IsSharedWithAColumnFamilyThatWritesNothingAfterAnOpen) {
  rocksdb::Options options = small_tree({.max_total_bytes = kLimit});
  options.create_missing_column_families = true;
  const TempFolder folder;
  std::uint64_t bytes[2];
  for (const bool reopens : {false, true}) {
    const std::string path = folder.file(reopens ? "reopened" : "open");
    std::unique_ptr<rocksdb::DB> db;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    const auto open = [&] {
      const std::vector<rocksdb::ColumnFamilyDescriptor> families = {{"default", options}, {"cold", options}};
      ASSERT_TRUE(
          open_into(&db, [&](auto* out) { return rocksdb::DB::Open(options, path, families, &handles, out); }).ok());
    };
    const auto close = [&] {
      for (rocksdb::ColumnFamilyHandle* const handle : handles) ASSERT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
      handles.clear();
      db.reset();
    };
    open();
    write(*db, 0, 60'000, handles[1]);
    settle(*db, handles[1]);
    if (reopens) {
      close();
      open();
    }
    write(*db, 0, 60'000);
    settle(*db);
    bytes[reopens ? 1 : 0] = filter_bytes(*db, handles[0]);
    close();
  }
  EXPECT_GT(bytes[1], bytes[0] / 2) << bytes[0] << ": compactions differ from run to run; with the limit unknown, 0";
}

TEST(Total, IsReportedBeforeItsColumnFamilyWritesAfterAnOpen) {
  rocksdb::Options unlimited = small_tree({});
  unlimited.create_missing_column_families = true;
  const rocksdb::Options limited = small_tree({.max_total_bytes = kLimit});
  const TempFolder folder;
  for (const bool reopens : {false, true}) {
    std::unique_ptr<rocksdb::DB> db;
    std::vector<rocksdb::ColumnFamilyHandle*> handles;
    const std::vector<rocksdb::ColumnFamilyDescriptor> families = {{"default", unlimited}, {"limited", limited}};
    ASSERT_TRUE(open_into(&db, [&](auto* out) {
                  return rocksdb::DB::Open(unlimited, folder.file("db"), families, &handles, out);
                }).ok());
    put_keys(*db, 0, 1000, handles[reopens ? 0 : 1]);
    EXPECT_EQ(GetRocksDBFilterTotal(*db)->max_total_bytes, kLimit) << reopens;
    for (rocksdb::ColumnFamilyHandle* const handle : handles) ASSERT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
  }
}

// Short of memory, a Bloom filter replaces a ribbon, and would be 1.44 times as large at the same rate.
TEST(Total, HoldsWhenBloomFiltersReplaceRibbons) {
  for (const std::uint64_t limit : {kLimit, 1000 * kLimit}) {
    SCOPED_TRACE(limit);
    const ScratchDatabase db(small_tree({.max_build_bytes = 100'000, .max_total_bytes = limit}));
    write(*db, 0, 100'000);
    settle_for_good(*db);
    EXPECT_LE(filter_bytes(*db), limit + limit / 20);
    EXPECT_TRUE(RefilterRocksDB(*db).status.ok());
    EXPECT_LE(filter_bytes(*db), limit);
    EXPECT_EQ(RefilterRocksDB(*db).files, 0U) << "the second call";
    EXPECT_EQ(lost(*db, 100'000), 0U);
  }
}

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

TEST(Total, IsOfEachDatabaseWhereTwoHaveOneLogger) {
  rocksdb::Options options = small_tree({.max_total_bytes = kLimit});
  const ScratchDatabase one(options);
  options.info_log = one->GetDBOptions().info_log;
  const ScratchDatabase other(options);
  write(*one, 0, 30'000);
  write(*other, 0, 100'000);
  for (const auto* db : {&one, &other}) {
    settle(**db);
    EXPECT_LE(filter_bytes(**db), kMax + kMissing * live_files(**db).size());
    EXPECT_GT(filter_bytes(**db), 20'000U);
  }
}

TEST(Total, IsNotUsedUpByTheRecoveriesOfADatabaseWithTheSameLogger) {
  rocksdb::Options options = small_tree({.max_total_bytes = kLimit});
  options.avoid_flush_during_shutdown = true;
  const ScratchDatabase one(options);
  options.info_log = one->GetDBOptions().info_log;
  ScratchDatabase other(options);
  write(*one, 0, 1000);
  ASSERT_TRUE(one->Flush({}).ok());
  for (int i = 0; i < 30; ++i) {
    write(*other, 0, 3000);
    other.reopen(options);
  }
  write(*one, 1000, 2000);
  ASSERT_TRUE(one->Flush({}).ok());
  EXPECT_GT(filter_bytes(*one), 2000U) << "10 bits per key";
}

TEST(Total, HoldsInUniversalCompactionAndInPartitions) {
  for (const bool universal : {false, true}) {
    rocksdb::Options options = small_tree({.max_total_bytes = kLimit});
    rocksdb::BlockBasedTableOptions table = *options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    if (!universal) partition(table, 1024);
    options = with_table(options, table);
    if (universal) options.compaction_style = rocksdb::kCompactionStyleUniversal;
    const ScratchDatabase db(options);
    write(*db, 0, 120'000);
    settle(*db);
    EXPECT_LE(GetRocksDBFilterTotal(*db)->bytes, kMax + kLimit / 100) << universal << ": partitions without a filter";
    EXPECT_GT(GetRocksDBFilterTotal(*db)->bytes, kLimit / 4) << universal;
    EXPECT_EQ(lost(*db, 120'000), 0U);
    ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
    EXPECT_LE(GetRocksDBFilterTotal(*db)->bytes, kMax + kLimit / 100) << universal << ": partitions without a filter";
    EXPECT_GT(GetRocksDBFilterTotal(*db)->bytes, kLimit / 5 * 2) << universal << ": level 0 may have a third";
    EXPECT_EQ(lost(*db, 120'000), 0U);
  }
}

// If keys arrive in order, RocksDB moves their files to the next level unchanged, with their filters.
TEST(Total, HoldsForKeysInOrder) {
  const ScratchDatabase db(small_tree({.max_total_bytes = kLimit}));
  for (std::uint64_t i = 0; i < 200'000; i += 5000) {
    for (std::uint64_t j = i; j < i + 5000; ++j) {
      char key[16];
      std::snprintf(key, sizeof key, "%012d", static_cast<int>(j));
      ASSERT_TRUE(db->Put({}, key, std::string(40, 'v')).ok());
    }
    ASSERT_TRUE(db->Flush({}).ok());
  }
  settle(*db);
  EXPECT_LE(filter_bytes(*db), kMax + kMissing * live_files(*db).size());
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

TEST(Total, LeavesLittleToFilesOfWhichNothingIsKnown) {
  const rocksdb::Options options = small_tree({.max_total_bytes = kLimit});
  ScratchDatabase db(options);
  write(*db, 0, 2'000);  // only in the log, so the next open writes a file
  const std::uint64_t before = filter_bytes(*db);
  db.reopen(options);
  EXPECT_LE(filter_bytes(*db), before + kLimit / 20);
  EXPECT_EQ(lost(*db, 2'000, 1), 0U);

  rocksdb::SstFileWriter writer({}, options);
  const std::string path = db.path() + "/ingested.sst";
  ASSERT_TRUE(writer.Open(path).ok());
  for (int i = 0; i < 20'000; ++i) {
    char key[16];
    std::snprintf(key, sizeof key, "~%08d", i);
    ASSERT_TRUE(writer.Put(key, "v").ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
  const std::uint64_t without = filter_bytes(*db);
  ASSERT_TRUE(db->IngestExternalFile({path}, {}).ok());
  EXPECT_LE(filter_bytes(*db), without + kLimit / 20);
}

TEST(Total, IsNoReasonForSmallerFiltersWhileAllFits) {
  rocksdb::Options options = small_tree({.max_total_bytes = kLimit});
  options.write_buffer_size = 64 << 20;  // one flush has all keys, more than level 0 will have later
  const ScratchDatabase db(options);
  write(*db, 0, 40'000);
  settle_for_good(*db);
  for (int i = 0; i < 2; ++i) {
    rewrite_files(*db);
    EXPECT_GT(filter_bytes(*db), 40'000 * 6 / 8);
    EXPECT_EQ(RefilterRocksDB(*db, {.dry_run = true}).files_left, 0U);
  }
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

TEST(Total, IsNoLongerThatOfADroppedColumnFamily) {
  for (const bool keeps_handle : {false, true}) {
    SCOPED_TRACE(keeps_handle);
    const ScratchDatabase db(small_tree({.max_total_bytes = kLimit}));
    Family other = create_family(*db, small_tree({.max_total_bytes = 5'000'000}), "other");
    write(*db, 0, 60'000);
    write(*db, 0, 200'000, other.get());
    settle(*db);
    settle(*db, other.get());
    EXPECT_EQ(GetRocksDBFilterTotal(*db)->max_total_bytes, 5'000'000U);
    ASSERT_TRUE(db->DropColumnFamily(other.get()).ok());
    if (!keeps_handle) other.reset();
    EXPECT_EQ(GetRocksDBFilterTotal(*db)->max_total_bytes, kLimit);
    rewrite_files(*db);
    EXPECT_LE(filter_bytes(*db), kMax);
    EXPECT_GE(filter_bytes(*db), 60'000 * 6 / 8) << "all that its keys want, as 0.9 of the limit is more";
    EXPECT_EQ(lost(*db, 60'000), 0U);
  }
}

TEST(Total, NeedsTheListener) {
  const auto status = try_to_open(with_policy(test_options(), policy_from_string("crivo.Auto:max_total_bytes:2G")));
  EXPECT_TRUE(status.IsInvalidArgument());
  EXPECT_THAT(status.ToString(),
              HasSubstr("crivo.Auto: listeners must contain crivo.FilterCounters if max_total_bytes is set, got none"));
  const ScratchDatabase db(with_policy(test_options(), policy_from_string("crivo.Auto")));
  const auto changed = db->SetOptions({{"table_factory.filter_policy.max_total_bytes", "60K"}});
#if CRIVO_ROCKSDB_VERSION < 908  // later versions hide the error
  EXPECT_TRUE(changed.IsInvalidArgument());
  EXPECT_THAT(changed.ToString(), HasSubstr("listeners must contain crivo.FilterCounters if max_total_bytes is set"));
#endif
  EXPECT_TRUE(RefilterRocksDB(*db).status.ok()) << "there is no limit";
  EXPECT_TRUE(db->SetOptions({{"table_factory.filter_policy.max_total_bytes", "0"}}).ok());
  const Family limited =
      create_family(*db, with_policy(test_options(), policy_from_string("crivo.Auto:max_total_bytes:60K")));
  const auto refused = RefilterRocksDB(*db, {.column_families = {limited.get()}}).status;
  EXPECT_TRUE(refused.IsInvalidArgument());
  EXPECT_THAT(refused.ToString(), HasSubstr("listeners must contain crivo.FilterCounters if max_total_bytes is set"));
  rocksdb::Options options = with_policy(test_options(), policy_from_string("crivo.Auto:max_total_bytes:2G"));
  options.listeners = {NewRocksDBFilterListener()};
  EXPECT_TRUE(try_to_open(options).ok());
  EXPECT_EQ(policy_from_string("crivo.Auto:max_total_bytes:2G")->GetId(), "crivo.Auto:10:max_total_bytes:2147483648");
}

}  // namespace
}  // namespace crivo::testing

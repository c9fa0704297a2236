// max_total_bytes: the filters of a database stay within one limit while it grows, and lose no key.
#include <rocksdb/file_system.h>
#include <rocksdb/sst_file_writer.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "crivo/rocksdb_counters.h"
#include "crivo/rocksdb_refilter.h"
#include "total_support.h"

namespace crivo::testing {
namespace {

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

/// A file system that cannot sync SST files while `fails`. RocksDB may retry such an error.
class FailingFiles final : public rocksdb::FileSystemWrapper {
 public:
  FailingFiles() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  [[nodiscard]] const char* Name() const override { return "crivo.FailingFiles"; }
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->NewWritableFile(path, options, file, debug);
    if (status.ok() && fails && path.ends_with(".sst")) *file = std::make_unique<FailingFile>(std::move(*file));
    return status;
  }
  std::atomic<bool> fails = false;

 private:
  class FailingFile final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;
    rocksdb::IOStatus Sync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
      rocksdb::IOStatus failed = rocksdb::IOStatus::IOError("a test");
      failed.SetRetryable(true);
      return failed;
    }
  };
};

TEST(Total, IsNotUsedUpByFlushesThatFail) {
  const auto files = std::make_shared<FailingFiles>();
  const std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(files);
  rocksdb::Options options = small_tree({.max_total_bytes = kLimit});
  options.env = env.get();
  options.write_buffer_size = 64 << 20;
  options.max_bgerror_resume_count = 0;
  ScratchDatabase db(options);
  write(*db, 0, 20'000);
  files->fails = true;
  EXPECT_FALSE(db->Flush({}).ok());
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(db->Resume().ok());
  files->fails = false;
  ASSERT_TRUE(db->Resume().ok());
  EXPECT_GT(filter_bytes(*db), 20'000 * 6 / 8);
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

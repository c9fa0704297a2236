// RefilterRocksDB: new filters for an open database, while other threads write, read and compact it.
#include <rocksdb/convenience.h>
#include <rocksdb/env_encryption.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/utilities/stackable_db.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

#include "crivo/rocksdb_counters.h"
#include "crivo/rocksdb_refilter.h"
#include "crivo/rocksdb_verify.h"
#include "lossy_policy.h"
#include "sst_support.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 4000;

/// A database of many files, written with one policy and opened with another.
class RocksdbRefilter : public ::testing::Test {
 protected:
  std::unique_ptr<rocksdb::DB> open(const Policy& before, const Policy& now) {
    write_database(many_files(before), path(), kKeys);
    return open_database(many_files(now), path());
  }
  [[nodiscard]] std::string path() const { return folder_.file("db"); }

 private:
  TempFolder folder_;
};

std::uint64_t files_of(rocksdb::DB& db) { return VerifyRocksDBFilters(db).files.size(); }

/// Every file has a filter of Crivo that works, and another call has nothing to do.
void expect_done(rocksdb::DB& db, const RocksDBRefilterOptions& options = {}) {
  const RocksDBFilterReport filters = VerifyRocksDBFilters(db, options.column_families);
  EXPECT_TRUE(filters.all_filters_work()) << filters.text();
  for (const RocksDBFileFilter& file : filters.files) EXPECT_THAT(file.policy, StartsWith("crivo.")) << file.path;
  const RocksDBRefilterReport again = RefilterRocksDB(db, options);
  EXPECT_TRUE(again.status.ok()) << again.status.ToString();
  EXPECT_EQ(again.files, 0U);
}

TEST_F(RocksdbRefilter, StopsAndContinues) {
  const auto db = open(builtin_bloom(), crivo_auto());
  const std::uint64_t files = files_of(*db);
  ASSERT_GT(files, 5U);
  std::vector<RocksDBRefilterProgress> told;
  const auto first_three = [&](const RocksDBRefilterProgress& next) {
    if (!next.path.empty()) told.push_back(next);
    return next.files < 3;
  };
  const RocksDBRefilterReport stopped = RefilterRocksDB(*db, {.progress = first_three});
  EXPECT_TRUE(stopped.status.IsIncomplete()) << stopped.status.ToString();
  EXPECT_EQ(stopped.files, 3U);
  ASSERT_EQ(told.size(), 4U);
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i].files, i);
    EXPECT_EQ(told[i].files_left, files - i);
    EXPECT_EQ(told[i].bytes, bytes);
    EXPECT_EQ(told[i].bytes + told[i].bytes_left, told[0].bytes_left);
    EXPECT_EQ(told[i].column_family, "default");
    EXPECT_EQ(told[i].reason, "not of crivo.Auto");
    bytes += told[i].file_bytes;
  }
  EXPECT_EQ(stopped.bytes + told[3].file_bytes, bytes);
  EXPECT_EQ(RefilterRocksDB(*db, {.dry_run = true}).files_left, files - 3);
  const RocksDBRefilterReport rest = RefilterRocksDB(*db);
  EXPECT_TRUE(rest.status.ok()) << rest.status.ToString();
  EXPECT_EQ(rest.files, files - 3);
  expect_done(*db);
}

TEST_F(RocksdbRefilter, LimitsItsRateAndStopsWhileItWaits) {
  const auto db = open(nullptr, crivo_auto());
  const auto stop_when_waiting = [&](const RocksDBRefilterProgress& next) { return next.files == 0; };
  const RocksDBRefilterReport stopped = RefilterRocksDB(*db, {.bytes_per_second = 1, .progress = stop_when_waiting});
  EXPECT_TRUE(stopped.status.IsIncomplete()) << stopped.status.ToString();
  EXPECT_EQ(stopped.files, 1U);
  std::uint64_t bytes = 0;
  std::uint64_t last = 0;
  const auto on_progress = [&](const RocksDBRefilterProgress& next) {
    if (!next.path.empty()) bytes += last = next.file_bytes;
    return true;
  };
  EXPECT_TRUE(RefilterRocksDB(*db, {.progress = on_progress, .dry_run = true}).status.ok());
  const auto start = std::chrono::steady_clock::now();
  const RocksDBRefilterReport done = RefilterRocksDB(*db, {.bytes_per_second = bytes});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(done.bytes, bytes);
  EXPECT_GE(took.count(), static_cast<double>(bytes - last) / static_cast<double>(bytes));
  expect_done(*db);
}

/// The number of policies in the process.
std::size_t count_policies() {
  const std::unique_ptr<char, decltype(&std::free)> text(crivo_rocksdb_counters("json"), &std::free);
  const std::string_view json = text.get();
  std::size_t count = 0;
  for (auto at = json.find("\"number\""); at != std::string_view::npos; at = json.find("\"number\"", at + 1)) ++count;
  return count;
}

TEST_F(RocksdbRefilter, AddsNoPolicyToTheCounters) {
  const auto db = open(nullptr, policy_from_string("{id=crivo.Auto;bits_per_key=10;key_transform=take_prefix:12}"));
  const std::size_t policies = count_policies();
  EXPECT_GE(policies, 1U);
  const auto on_progress = [&](const RocksDBRefilterProgress&) { return count_policies() == policies; };
  EXPECT_TRUE(RefilterRocksDB(*db, {.progress = on_progress}).status.ok());
}

TEST_F(RocksdbRefilter, RegistersNoKeyTransform) {
  const std::string name = "take_prefix:12";
  const auto db = open(nullptr, policy_from_string("{id=crivo.Auto;bits_per_key=10;key_transform=" + name + "}"));
  EXPECT_GT(RefilterRocksDB(*db, {.dry_run = true}).files_left, 0U);
  EXPECT_TRUE(RefilterRocksDB(*db).status.ok());
  const auto as_it_is = [](const rocksdb::Slice& key, std::string*) { return key; };
  EXPECT_TRUE(RegisterKeyTransform(std::string(name.size(), '-'), as_it_is).ok());
}

/// Refuses every compaction, although no other compaction uses the files.
class RefusingDB final : public rocksdb::StackableDB {
 public:
  using StackableDB::CompactFiles;
  using StackableDB::StackableDB;
  rocksdb::Status CompactFiles(const rocksdb::CompactionOptions&, rocksdb::ColumnFamilyHandle*,
                               const std::vector<std::string>& files, int, int, std::vector<std::string>*,
                               rocksdb::CompactionJobInfo*) override {
    return files.empty() ? rocksdb::Status::OK() : rocksdb::Status::InvalidArgument("refused");
  }
};

TEST_F(RocksdbRefilter, ReturnsTheErrorOfACompaction) {
  RefusingDB db(std::shared_ptr<rocksdb::DB>(open(nullptr, crivo_auto())));
  const RocksDBRefilterReport refused = RefilterRocksDB(db);
  EXPECT_THAT(refused.status.ToString(), HasSubstr("Invalid argument: refused"));
  EXPECT_EQ(refused.files, 0U);
}

/// A disk with a thousand free bytes.
class FullEnv final : public rocksdb::EnvWrapper {
 public:
  using EnvWrapper::EnvWrapper;
  const char* Name() const override { return "FullEnv"; }
  rocksdb::Status GetFreeSpace(const std::string&, std::uint64_t* bytes) override {
    *bytes = 1000;
    return rocksdb::Status::OK();
  }
};

TEST_F(RocksdbRefilter, ChecksFreeSpaceFirst) {
  FullEnv full(rocksdb::Env::Default());
  rocksdb::Options options = many_files(crivo_auto());
  write_database(many_files(nullptr), path(), kKeys);
  options.env = &full;
  const auto db = open_database(options, path());
  const RocksDBRefilterReport refused = RefilterRocksDB(*db);
  EXPECT_TRUE(refused.status.IsNoSpace()) << refused.status.ToString();
  EXPECT_THAT(refused.status.ToString(), HasSubstr("crivo: folder must have 1"));
  EXPECT_THAT(refused.status.ToString(), HasSubstr(".sst, got 1000"));
  EXPECT_EQ(refused.files, 0U);
}

TEST_F(RocksdbRefilter, ChecksFreeSpaceForPrefixes) {
  FullEnv full(rocksdb::Env::Default());
  rocksdb::Options options = test_options();
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(8));
  {
    const auto db = open_database(options, path());
    rocksdb::WriteBatch batch;
    for (int i = 0; i < 20'000; ++i) batch.Put(std::to_string(10'000'000 + i) + "key", "");  // one key per prefix
    ASSERT_TRUE(db->Write({}, &batch).ok());
    ASSERT_TRUE(db->Flush({}).ok());
  }
  options = with_policy(options, crivo_bloom());
  rocksdb::Options on_full_disk = options;
  on_full_disk.env = &full;
  const std::string refused = RefilterRocksDB(*open_database(on_full_disk, path())).status.ToString();
  const std::string rule = "folder must have ";
  ASSERT_THAT(refused, HasSubstr(rule));
  const std::uint64_t wanted = std::stoull(refused.substr(refused.find(rule) + rule.size()));
  const auto db = open_database(options, path());
  const std::uint64_t old_bytes = live_files(*db).at(0).size;
  ASSERT_EQ(RefilterRocksDB(*db).files, 1U);
  const RocksDBFileFilter filter = VerifyRocksDBFilters(*db).files.at(0);
  EXPECT_EQ(filter.keys, 40'000U);
  constexpr std::uint64_t kForLogs = 1 << 20;
  EXPECT_GE(wanted, old_bytes + filter.bytes + kForLogs);
}

/// Writes until it is destroyed, and records the keys that must be present.
class Writer {
 public:
  explicit Writer(rocksdb::DB& db) : db_(db), thread_([this] { write(); }) {}
  std::map<std::string, std::string> stop() {
    stop_ = true;
    thread_.join();
    return there_;
  }

 private:
  void write() {
    std::mt19937_64 random(7);
    for (std::uint64_t i = 0; !stop_ || i < 2 * kKeys; ++i) {
      const std::string key = key_of(random() % (2 * kKeys));
      const std::uint64_t what = random() % 100;
      if (what < 70) {
        there_[key] = std::to_string(i) + std::string(200, '.');
        ASSERT_TRUE(db_.Put({}, key, there_[key]).ok());
      } else if (what < 95) {
        ASSERT_TRUE(db_.Delete({}, key).ok());
        there_.erase(key);
      } else if (what < 99) {
        const std::string end = key.substr(0, 3) + "zzz";  // one key in 4096 is in this range
        ASSERT_TRUE(db_.DeleteRange({}, db_.DefaultColumnFamily(), key, end).ok());
        there_.erase(there_.lower_bound(key), there_.lower_bound(end));
      } else if (i % 3 == 0) {
        ASSERT_TRUE(db_.Flush({}).ok());
      }
    }
  }

  rocksdb::DB& db_;
  std::map<std::string, std::string> there_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

std::map<std::string, std::string> contents(rocksdb::Iterator& keys) {
  std::map<std::string, std::string> found;
  for (; keys.Valid(); keys.Next()) found[keys.key().ToString()] = keys.value().ToString();
  EXPECT_TRUE(keys.status().ok()) << keys.status().ToString();
  return found;
}
std::map<std::string, std::string> contents(rocksdb::DB& db, const rocksdb::Snapshot* snapshot = nullptr) {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot;
  const std::unique_ptr<rocksdb::Iterator> keys(db.NewIterator(options));
  keys->SeekToFirst();
  return contents(*keys);
}

TEST_F(RocksdbRefilter, LosesNothingWhileOthersWriteAndRead) {
  rocksdb::Options options = many_files(crivo_auto());
  options.disable_auto_compactions = false;
  options.level0_file_num_compaction_trigger = 3;
  options.max_bytes_for_level_base = 64 << 10;
  options.write_buffer_size = 64 << 10;
  const auto db = open_database(options, path());
  std::map<std::string, std::string> all;
  {
    Writer before(*db);
    all = before.stop();
  }
  ASSERT_TRUE(db->Flush({}).ok());
  ASSERT_EQ(contents(*db), all);
  const rocksdb::Snapshot* const snapshot = db->GetSnapshot();
  const std::unique_ptr<rocksdb::Iterator> old(db->NewIterator({}));
  old->Seek(all.begin()->first);
  ASSERT_TRUE(db->DeleteRange({}, db->DefaultColumnFamily(), "", "g").ok());  // the writer does not record these keys
  Writer writer(*db);
  std::uint64_t rewritten = 0;
  for (int turn = 0; turn < 5 || (turn < 200 && rewritten <= 10); ++turn) {  // compactions are often first
    const std::string bits = std::to_string(5 + turn * 7 % 16);
    ASSERT_TRUE(db->SetOptions({{"table_factory.filter_policy.bits_per_key", bits}}).ok());
    const auto some = [](const RocksDBRefilterProgress& next) { return next.files < 4; };
    for (const auto& progress : {std::function<bool(const RocksDBRefilterProgress&)>(some), {}}) {
      const RocksDBRefilterReport done = RefilterRocksDB(*db, {.progress = progress});
      EXPECT_TRUE(done.status.ok() || done.status.IsIncomplete() || done.status.IsTryAgain()) << done.status.ToString();
      EXPECT_THAT(done.unreadable, IsEmpty());
      rewritten += done.files;
    }
  }
  EXPECT_GT(rewritten, 10U);
  const std::map<std::string, std::string> written = writer.stop();
  EXPECT_EQ(contents(*old), all) << "an iterator from before";
  EXPECT_EQ(contents(*db, snapshot), all) << "a snapshot from before";
  db->ReleaseSnapshot(snapshot);
  for (const auto& [key, value] : written) {
    std::string got;
    ASSERT_TRUE(db->Get({}, key, &got).ok()) << key;
    ASSERT_EQ(got, value);
  }
  // A compaction between the next calls would move files, with their filters, to other levels.
  ASSERT_TRUE(db->SetOptions({{"disable_auto_compactions", "true"}}).ok());
  ASSERT_TRUE(db->PauseBackgroundWork().ok());  // waits for running compactions
  ASSERT_TRUE(db->ContinueBackgroundWork().ok());
  EXPECT_TRUE(RefilterRocksDB(*db).status.ok());
  const auto now = contents(*db);
  EXPECT_TRUE(std::ranges::includes(now, written));
  expect_done(*db);
  EXPECT_EQ(contents(*db), now);
}

TEST_F(RocksdbRefilter, RewritesOnlyTheGivenColumnFamilies) {
  const auto db = open(nullptr, crivo_bloom());
  const Family other = create_family(*db, many_files(crivo_bloom()));
  put_keys(*db, 0, kKeys, other.get());
  ASSERT_TRUE(db->SetOptions(other.get(), {{"table_factory.filter_policy.bits_per_key", "20"}}).ok());
  EXPECT_EQ(RefilterRocksDB(*db, {.column_families = {other.get()}}).files, 1U);
  EXPECT_EQ(RefilterRocksDB(*db).files, files_of(*db) - 1);
  expect_done(*db, {.column_families = {other.get(), db->DefaultColumnFamily()}});
}

TEST_F(RocksdbRefilter, RefusesWrongPolicies) {
  write_database(many_files(builtin_bloom()), path(), 100);
  const std::pair<Policy, std::string> wrong[] = {
      {nullptr, "must be set when the database is opened, got none"},
      {policy_from_string("crivo.Bloom:0"), "must write filters, got none: policy crivo.Bloom:0 writes no filters"},
      {std::make_shared<LossyPolicy>(LossyPolicy::Loss::kReader, 200), "must be one of Crivo's or RocksDB's, got "}};
  for (const auto& [policy, message] : wrong) {
    const auto db = open_database(many_files(policy), path());
    const auto before = listing(path());
    const RocksDBRefilterReport refused = RefilterRocksDB(*db);
    EXPECT_TRUE(refused.status.IsInvalidArgument());
    EXPECT_THAT(refused.status.ToString(), HasSubstr("crivo: filter_policy of column family default " + message));
    EXPECT_TRUE(RefilterRocksDB(*db, {.column_families = {nullptr}}).status.IsInvalidArgument());
    EXPECT_EQ(listing(path()), before);
  }
  const auto db = open_database(many_files(nullptr), path());
  EXPECT_TRUE(RefilterRocksDB(*db, {.remove_filters = true}).status.ok());
  for (const RocksDBFileFilter& file : VerifyRocksDBFilters(*db).files) EXPECT_EQ(file.kind, "none");
}

TEST_F(RocksdbRefilter, AllowsOnlyDryRunsIfReadOnly) {
  write_database(many_files(nullptr), path(), kKeys);
  const rocksdb::Options options = many_files(crivo_auto());
  std::unique_ptr<rocksdb::DB> read_only;
  std::unique_ptr<rocksdb::DB> secondary;
  const auto open_read_only = [&](auto* out) { return rocksdb::DB::OpenForReadOnly(options, path(), out); };
  const auto follow = [&](auto* out) { return rocksdb::DB::OpenAsSecondary(options, path(), path() + ".2", out); };
  ASSERT_TRUE(open_into(&read_only, open_read_only).ok());
  ASSERT_TRUE(open_into(&secondary, follow).ok());
  for (rocksdb::DB* const db : {read_only.get(), secondary.get()}) {
    const RocksDBRefilterReport refused = RefilterRocksDB(*db);
    EXPECT_TRUE(refused.status.IsNotSupported());
    EXPECT_THAT(refused.status.ToString(), HasSubstr("DB must be open for writing, got a read-only one"));
    const RocksDBRefilterReport looked = RefilterRocksDB(*db, {.dry_run = true});
    EXPECT_TRUE(looked.status.ok()) << looked.status.ToString();
    EXPECT_EQ(looked.files_left, sst_files(path()).size());
  }
}

// If all files are in one level, RocksDB opens them as a CompactedDBImpl. Its CompactFiles fails an assertion.
TEST_F(RocksdbRefilter, AllowsOnlyDryRunsOfACompactedDatabase) {
  {
    const auto db = open_database(many_files(nullptr), path());
    put_keys(*db, 0, kKeys);
    ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
  }
  rocksdb::Options options = many_files(crivo_auto());
  options.max_open_files = -1;
  std::unique_ptr<rocksdb::DB> db;
  ASSERT_TRUE(open_into(&db, [&](auto* out) { return rocksdb::DB::OpenForReadOnly(options, path(), out); }).ok());
  EXPECT_THAT(db->Put({}, "key", "value").ToString(), HasSubstr("compacted db mode"));
  const RocksDBRefilterReport refused = RefilterRocksDB(*db);
  EXPECT_TRUE(refused.status.IsNotSupported()) << refused.status.ToString();
  const RocksDBRefilterReport dry = RefilterRocksDB(*db, {.dry_run = true});
  EXPECT_TRUE(dry.status.ok()) << dry.status.ToString();
  EXPECT_EQ(dry.files_left, sst_files(path()).size());
}

/// The number of files in each folder.
std::map<std::string, int> folders(rocksdb::DB& db) {
  std::map<std::string, int> found;
  for (const auto& file : live_files(db)) ++found[file.directory];
  return found;
}

TEST_F(RocksdbRefilter, LeavesEachFileInItsFolder) {
  rocksdb::Options options = many_files(nullptr);
  options.db_paths = {{path(), 1 << 30}, {path() + ".slow", 1 << 30}};
  {
    const auto db = open_database(options, path());
    put_keys(*db, 0, kKeys);
    rewrite_files(*db, 1);
    put_keys(*db, 0, 100);
  }
  const auto db = open_database(with_policy(options, crivo_auto()), path());
  const auto before = folders(*db);
  ASSERT_EQ(before.size(), 2U);
  EXPECT_TRUE(RefilterRocksDB(*db).status.ok());
  EXPECT_EQ(folders(*db), before);
  expect_done(*db);
}

TEST_F(RocksdbRefilter, WorksInTheDatabasesOwnEnv) {
  std::shared_ptr<rocksdb::EncryptionProvider> provider;
  ASSERT_TRUE(rocksdb::EncryptionProvider::CreateFromString({}, "CTR://test", &provider).ok());
  const std::unique_ptr<rocksdb::Env> encrypted(rocksdb::NewEncryptedEnv(rocksdb::Env::Default(), provider));
  rocksdb::Options options = many_files(nullptr);
  options.env = encrypted.get();
  write_database(options, path(), kKeys);
  const auto db = open_database(with_policy(options, crivo_auto()), path());
  EXPECT_TRUE(RefilterRocksDB(*db).status.ok());
  expect_done(*db);
}

TEST_F(RocksdbRefilter, ReportsFilesThatItCouldNotCompactLong) {
  const auto db = open(nullptr, crivo_auto());
  db->DisableManualCompaction();
  const RocksDBRefilterReport tried = RefilterRocksDB(*db);
  EXPECT_TRUE(tried.status.IsTryAgain()) << tried.status.ToString();
  EXPECT_EQ(tried.files, 0U);
  EXPECT_EQ(tried.files_left, files_of(*db));
  db->EnableManualCompaction();
  EXPECT_TRUE(RefilterRocksDB(*db).status.ok());
  expect_done(*db);
}

}  // namespace
}  // namespace crivo::testing

// crivo sst refilter: every file gets the policy's filter, and no interruption loses a key.
#include <rocksdb/merge_operator.h>
#include <rocksdb/statistics.h>

#include <random>
#include <thread>

#include "crivo/rocksdb_scan.h"
#include "crivo/rocksdb_verify.h"
#include "sst_support.h"

namespace crivo::testing {
namespace {

using ::testing::Eq;

constexpr std::uint64_t kKeys = 4000;

class SstRefilter : public SstToolTest {
 protected:
  /// The kinds of all filters, by level.
  [[nodiscard]] std::map<int, std::set<std::string>> kinds(const rocksdb::Options& options) const {
    const auto opened = open_database(options, db());
    std::map<int, std::set<std::string>> found;
    for (const RocksDBFileFilter& file : VerifyRocksDBFilters(*opened).files) {
      EXPECT_TRUE(file.filter_works()) << file.path << ": " << file.complaint;
      found[file.level].insert(file.kind);
    }
    return found;
  }
  void expect_done(const std::string& arguments) {
    EXPECT_THAT(crivo("sst refilter --dry-run " + arguments), Says(IsEmpty()));
  }
  void expect_survives(int times);
};

// RocksDB begins the compaction when it opens the database. Refilter used to try the compaction's files again and
// again, and to give up after five seconds.
TEST_F(SstRefilter, WaitsForACompactionThatIsDue) {
  rocksdb::Options options = many_files(nullptr);
  options.target_file_size_base = 64 << 20;
  options.write_buffer_size = 64 << 20;
  {
    const auto opened = open_database(options, db());
    for (std::uint64_t i = 0; i < 6; ++i) {
      for (std::uint64_t j = 0; j < 2000; ++j) {
        ASSERT_TRUE(opened->Put({}, key_of(6 * j + i), std::string(2000, 'v')).ok());
      }
      ASSERT_TRUE(opened->Flush({}).ok());
    }
    ASSERT_TRUE(opened->SetOptions({{"disable_auto_compactions", "false"}}).ok());
    ASSERT_TRUE(opened->SetOptions({{"level0_file_num_compaction_trigger", "20"}}).ok());
  }
  shell("sed -i 's/level0_file_num_compaction_trigger=20/level0_file_num_compaction_trigger=4/' db/OPTIONS-*");
  const Outcome done = crivo("sst refilter --policy crivo.Ribbon:10:-1 db");
  EXPECT_THAT(done, Succeeds(HasSubstr("every filter is as the policy would write it")));
  EXPECT_THAT(done.out + done.err, Not(HasSubstr(" of 6: "))) << "the compaction has rewritten the six files";
  expect_done("--policy crivo.Ribbon:10:-1 db");
}

TEST_F(SstRefilter, GivesEveryFileThePolicysFilterAndLeavesItAlone) {
  for (const Policy& before : {Policy(), builtin_ribbon(), crivo_bloom(10)}) {
    const bool partitioned = before != nullptr;
    SCOPED_TRACE(before != nullptr ? before->GetId() : "none");
    shell("rm -rf db");
    const rocksdb::Options options = many_files(before, partitioned);
    write_database(options, db(), kKeys);
    const std::size_t files = sst_files(db()).size();
    const Outcome dry = crivo("sst refilter --dry-run --policy crivo.Ribbon:10:-1 db");
    EXPECT_THAT(dry, Exits(1));
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(dry.out, '\n')), files);
    EXPECT_THAT(crivo("sst refilter --policy crivo.Ribbon:10:-1 db"),
                Succeeds(AllOf(HasSubstr("1 of " + std::to_string(files)),
                               HasSubstr(std::to_string(files) + " files rewritten; every filter is"))));
    EXPECT_EQ(sst_files(db()).size(), files) << "file by file";
    const auto found = kinds(many_files(crivo_bloom(), partitioned));
    EXPECT_EQ(found.size(), 2U) << "each in its level";
    for (const auto& [level, level_kinds] : found) EXPECT_EQ(level_kinds, std::set<std::string>{"ribbon"});
    expect_all_there(options, db(), kKeys);
    expect_done("--policy crivo.Ribbon:10:-1 db");
    const auto now = sst_files(db());
    EXPECT_THAT(crivo("sst refilter --policy crivo.Ribbon:10:-1 db"),
                Succeeds(HasSubstr("0 files rewritten; every filter is as the policy would write it")));
    for (const std::string& file : now) EXPECT_TRUE(std::filesystem::exists(file)) << file;
  }
}

TEST_F(SstRefilter, LeavesAloneAFileOfRangeDeletionsOnly) {
  {
    const auto opened = open_database(many_files(crivo_bloom(10)), db());
    put_keys(*opened, 0, kKeys);
    const std::string first = key_of(10), end = key_of(20);
    ASSERT_TRUE(opened->DeleteRange({}, opened->DefaultColumnFamily(), first, end).ok());
    ASSERT_TRUE(opened->Flush({}).ok());
    const RocksDBFilterReport report = VerifyRocksDBFilters(*opened);
    EXPECT_TRUE(report.all_filters_work()) << report.text();
    const auto is_empty = [](const RocksDBFileFilter& file) { return file.kind == "none" && file.entries == 0; };
    EXPECT_EQ(std::ranges::count_if(report.files, is_empty), 1);
  }
  expect_done("--policy crivo.Bloom:10 db");
}

// With persist_stats_to_disk, RocksDB has a column family of its own, whose policy cannot be set.
TEST_F(SstRefilter, LeavesAloneRocksDBsStatistics) {
  rocksdb::Options options = many_files(crivo_bloom(10));
  options.statistics = rocksdb::CreateDBStatistics();
  options.persist_stats_to_disk = true;
  options.stats_persist_period_sec = 1;
  {
    const auto opened = open_database(options, db());
    const auto has_statistics = [&] {
      return std::ranges::any_of(live_files(*opened),
                                 [](const auto& file) { return file.column_family_name[0] == '_'; });
    };
    for (int turn = 0; turn < 200 && !has_statistics(); ++turn) {  // a flush also writes statistics that are in memory
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      put_keys(*opened, 0, 10);
    }
    ASSERT_TRUE(has_statistics());
    const RocksDBFilterReport report = VerifyRocksDBFilters(*opened);
    EXPECT_TRUE(report.all_filters_work()) << report.text();
  }
  EXPECT_THAT(crivo("sst refilter --policy bloomfilter:10 db"), Succeeds(HasSubstr("every filter is as the policy")));
  EXPECT_THAT(crivo("sst info db"), Succeeds());
  expect_done("--policy bloomfilter:10 db");
}

TEST_F(SstRefilter, KeepsToOneLimitForAllFilters) {
  constexpr std::uint64_t kLimit = 12'000;
  const std::string policy = "--policy crivo.Auto:max_total_bytes:" + std::to_string(kLimit) + " ";
  for (const bool has_listener : {false, true}) {
    SCOPED_TRACE(has_listener);
    shell("rm -rf db");
    rocksdb::Options options = many_files(builtin_bloom());
    options.target_file_size_base = 256 << 10;
    if (has_listener) options.listeners = {NewRocksDBFilterListener()};
    write_database(options, db(), 5 * kKeys);
    EXPECT_THAT(crivo("sst refilter --dry-run " + policy + "db"), Exits(1, _, HasSubstr("not of crivo.Auto")));
    EXPECT_THAT(crivo("sst refilter " + policy + "db"), Succeeds(HasSubstr("every filter is as the policy")));
    EXPECT_THAT(crivo("sst refilter db"), Succeeds(HasSubstr("0 files rewritten"))) << "OPTIONS has all of it";
    const std::uint64_t bytes = filter_bytes(*open_database(many_files(nullptr), db()));
    EXPECT_LE(bytes, kLimit + kLimit / 20);
    EXPECT_GE(bytes, kLimit / 5 * 4);
    expect_all_there(many_files(crivo_bloom()), db(), 5 * kKeys);
  }
}

TEST_F(SstRefilter, MendsDamagedFilters) {
  write_database(many_files(crivo_bloom()), db(), kKeys);
  damage_filters(sst_files(db())[0]);
  EXPECT_THAT(crivo("sst refilter db"), Succeeds(AllOf(HasSubstr("damaged"), HasSubstr("1 file rewritten"))));
  expect_all_there(many_files(crivo_bloom()), db(), kKeys);
}

TEST_F(SstRefilter, DryRunTouchesNothingAndNeedsNoLock) {
  write_database(many_files(nullptr), db(), kKeys);
  const auto opened = open_database(many_files(nullptr), db());
  const auto before = listing(db());
  EXPECT_THAT(crivo("sst refilter --dry-run --policy crivo.Auto:10 db"), Exits(1, _, HasSubstr("level 0: missing\n")));
  EXPECT_EQ(listing(db()), before);
  EXPECT_THAT(crivo("sst refilter --policy crivo.Auto:10 db"),
              Fails(HasSubstr("crivo sst refilter: DB must be writable and not in use, got db: IO error")));
  EXPECT_EQ(listing(db()), before);
}

// RocksDB 7.8 writes two collectors into OPTIONS, but cannot read them back.
TEST_F(SstRefilter, LeavesOptionsThatOpenAgainBesideAnotherCollector) {
  rocksdb::Options options = many_files(builtin_bloom());
  std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> scans;
  ASSERT_TRUE(NewScanFilterCollectorFactory({.extract = "prefix:4"}, &scans).ok());
  options.table_properties_collector_factories = {scans};
  write_database(options, db(), kKeys);
  EXPECT_THAT(crivo("sst refilter --policy crivo.Auto:10 db"), Succeeds());
  EXPECT_THAT(crivo("sst refilter db"),
              Succeeds(HasSubstr("0 files rewritten; every filter is as the policy would write it")));
}

TEST_F(SstRefilter, TakesColumnFamiliesByThemselves) {
  {
    const auto opened = open_database(many_files(nullptr), db());
    put_keys(*opened, 0, 100);
    put_keys(*opened, 0, 100, create_family(*opened, many_files(builtin_bloom()), "the other").get());
  }
  EXPECT_THAT(crivo("sst refilter db"),
              Succeeds(AllOf(HasSubstr("note: skipped: column family default: it has no filter policy"),
                             HasSubstr("0 files rewritten"))));
  EXPECT_THAT(crivo("sst refilter --policy crivo.Bloom --column-family 'the other' db"),
              Succeeds(HasSubstr("1 file rewritten")));
  EXPECT_THAT(crivo("sst refilter --column-family nobody db"),
              Fails(HasSubstr("--column-family must be one of the database's, got nobody")));
}

/// A merge operator of a program, which the tool does not know.
class Appending final : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "my.Appending"; }
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice* old, const rocksdb::Slice& value, std::string* joined,
             rocksdb::Logger*) const override {
    *joined = (old != nullptr ? old->ToString() : "") + value.ToString();
    return true;
  }
};

TEST_F(SstRefilter, RefusesWhatItDoesNotKnow) {
  const OwnOrder order;
  for (const bool own_order : {false, true}) {
    shell("rm -rf db");
    rocksdb::Options options = many_files(nullptr);
    if (own_order) {
      options.comparator = &order;
    } else {
      options.merge_operator = std::make_shared<Appending>();
    }
    {
      const auto opened = open_database(options, db());
      put_keys(*opened, 0, 100);
    }
    const auto before = listing(db());
    EXPECT_THAT(crivo("sst refilter --policy crivo.Bloom:10 db"),
                Fails(AllOf(HasSubstr("OPTIONS of DB must exist and name only known objects, got db: "),
                            HasSubstr(own_order ? "my.OwnOrder" : "my.Appending"))));
    EXPECT_EQ(listing(db()), before);
  }
}

TEST_F(SstRefilter, RefusesWrongPoliciesAndFolders) {
  write_database(many_files(nullptr), db(), 100);
  const auto before = listing(db());
  const std::pair<const char*, const char*> wrong[] = {
      {"--policy crivo.Nope:10 db", "name must be"},
      {"--policy crivo.Bloom:-1 db", "bits_per_key must be in [0, 1000], got -1"},
      {"--policy nonsense db",
       "--policy must name a filter policy, such as crivo.Auto:10 or bloomfilter:10, got nonsense"},
      {"db", "OPTIONS of DB must have a filter policy, got none"},
      {"nowhere", "DB must be the folder of a database, got nowhere: No such file or directory"}};
  for (const auto& [arguments, message] : wrong) {
    EXPECT_THAT(crivo(std::string("sst refilter ") + arguments), Fails(HasSubstr(message))) << arguments;
  }
  EXPECT_EQ(listing(db()), before);
  EXPECT_EQ(files(), 1U) << "no folder was made";
}

// RocksDB would accept an empty folder for the WAL, and lose the keys that are only in the real WAL.
TEST_F(SstRefilter, RefusesALogThatItDoesNotFind) {
  const std::string elsewhere = path("log").string();
  write_database(many_files(crivo_bloom()), path("other").string(), 10);
  const std::pair<std::string, const char*> folders[] = {{"wal_dir=log", "be an absolute path, got log"},
                                                         {"db_log_dir=log", "be an absolute path, got log"},
                                                         {"wal_dir=/nowhere/log", "exist and be a folder"},
                                                         {"wal_dir=" + path("other").string(), "not be the folder of"}};
  for (const auto& [option, message] : folders) {
    shell("rm -rf db log");
    rocksdb::Options options = many_files(builtin_bloom());
    options.wal_dir = elsewhere;
    {
      const auto opened = open_database(options, db());
      put_keys(*opened, 0, 100);
      ASSERT_TRUE(opened->Put({}, "in the log", "only").ok());
    }
    shell("sed -i 's#^  wal_dir=.*#  " + option + "#' db/OPTIONS-*");
    const auto before = listing(db());
    shell("mkdir elsewhere");
    for (const char* const dry : {"", "--dry-run "}) {
      EXPECT_THAT(shell("cd elsewhere && '" CRIVO_TOOL "' sst refilter --policy crivo.Auto:10 " + std::string(dry) +
                        "'" + db() + "'"),
                  Fails(HasSubstr(" in OPTIONS of DB must " + std::string(message))))
          << option;
    }
    EXPECT_EQ(listing(db()), before);
    EXPECT_TRUE(std::filesystem::is_empty(path("elsewhere")));
    std::string value;
    EXPECT_TRUE(open_database(options, db())->Get({}, "in the log", &value).ok());
  }
}

TEST_F(SstRefilter, TakesALogOutsideOfTheDatabaseOnlyByName) {
  const std::string log = path("log").string();
  rocksdb::Options options = many_files(crivo_bloom());
  options.wal_dir = log;
  ASSERT_TRUE(open_database(options, db())->Put({}, "in the log", "only").ok());
  shell("cp -r db copy; cp -r log its_log");
  const auto before = listing(log);
  for (const char* const dry : {"", "--dry-run "}) {
    EXPECT_THAT(crivo("sst refilter --policy crivo.Auto:10 " + std::string(dry) + "copy"),
                Fails(HasSubstr("wal_dir in OPTIONS of DB must be in DB, or be set by --wal-dir, got " + log)));
  }
  EXPECT_THAT(crivo("sst refilter --policy crivo.Auto:10 --wal-dir its_log copy"), Succeeds());
  EXPECT_EQ(listing(log), before) << "the log of the original";
  EXPECT_THAT(crivo("sst refilter --policy crivo.Auto:10 --wal-dir nowhere db"),
              Fails(HasSubstr("--wal-dir must exist and be a folder, got " + path("nowhere").string())));
  EXPECT_THAT(crivo("sst refilter --policy crivo.Auto:10 --wal-dir log db"), Succeeds());
  std::string value;
  EXPECT_TRUE(open_database(options, db())->Get({}, "in the log", &value).ok());
  options.wal_dir = path("its_log").string();
  EXPECT_TRUE(open_database(options, path("copy").string())->Get({}, "in the log", &value).ok());
  options.wal_dir = path("copy/inside").string();
  ASSERT_TRUE(open_database(options, path("copy").string())->Put({}, "inside", "only").ok());
  EXPECT_THAT(crivo("sst refilter --policy crivo.Auto:9 copy"), Succeeds());
  EXPECT_TRUE(open_database(options, path("copy").string())->Get({}, "inside", &value).ok());
}

TEST_F(SstRefilter, RefusesAnEmptyFolderForTheLogThatLiesInTheDatabase) {
  const rocksdb::Options options = many_files(crivo_bloom());
  ASSERT_TRUE(open_database(options, db())->Put({}, "in the log", "only").ok());
  shell("mkdir empty");
  EXPECT_THAT(crivo("sst refilter --policy crivo.Auto:10 --wal-dir empty db"),
              Fails(HasSubstr("--wal-dir must be DB, which contains the log, got " + path("empty").string())));
  std::string value;
  EXPECT_TRUE(open_database(options, db())->Get({}, "in the log", &value).ok());
}

TEST_F(SstRefilter, SaysWhatItNeedsOnAFullDisk) {
  const std::string mount = "unshare -rm sh -c 'mkdir full && mount -t tmpfs -o size=1M full full && ";
  if (shell(mount + "true'; s=$?; rmdir full; exit $s").exit_code != 0) GTEST_SKIP() << "no file system can be mounted";
  write_database(many_files(crivo_bloom()), db(), 100);
  EXPECT_THAT(shell(mount + "cp -r db full && '" CRIVO_TOOL "' sst refilter --policy crivo.Auto:20 full/db'"),
              Fails(AllOf(HasSubstr("crivo sst refilter: folder of DB must have 10"), HasSubstr(" bytes free, got "))));
}

TEST_F(SstRefilter, SaysThatFilesLoseTheirFilter) {
  write_database(many_files(crivo_bloom()), db(), kKeys);
  EXPECT_THAT(crivo("sst refilter -q --policy crivo.Auto:budget_bits_per_key:0.001 db"),
              Succeeds(HasSubstr(" files lose their filters, because the policy writes none for them")));
}

TEST_F(SstRefilter, IsStoppedBySignalsAndContinued) {
  for (const std::string signal : {"INT", "TERM"}) {
    shell("rm -rf db err");  // from the previous round
    rocksdb::Options options = many_files(builtin_bloom());
    options.target_file_size_base = 4 << 10;  // so many files that their lines exceed the pipe
    write_database(options, db(), 3 * kKeys);
    const std::size_t files = sst_files(db()).size();
    // The tool blocks on a pipe of one page until its lines are read, so that the signal arrives in time.
    const Outcome stopped = shell(
        "mkfifo err; exec 4<>err; python3 -c 'import fcntl; fcntl.fcntl(4, 1031, 4096)'\n"
        "'" CRIVO_TOOL
        "' sst refilter --policy crivo.Auto:10 db 2>err 4>&- & pid=$!; exec 3<err\n"
        "until case $line in *': 3 of '*) true ;; *) false; esac; do read -r line <&3; done\n"
        "kill -" +
        signal + " $pid; exec 4>&-; cat <&3 >rest; wait $pid; echo $?; cat rest");
    ASSERT_THAT(stopped.out, HasSubstr("crivo sst refilter: stopped: "));
    EXPECT_EQ(stopped.out.substr(0, 2), "1\n");
    EXPECT_THAT(crivo("sst refilter --dry-run db"), Exits(1)) << "there is something left to do";
    EXPECT_THAT(crivo("sst refilter db"), Succeeds(Not(HasSubstr("1 of " + std::to_string(files)))))
        << "what was done is not done again";
    expect_done("db");
    expect_all_there(many_files(crivo_bloom()), db(), 3 * kKeys);
  }
}

/// Kills the tool this many times, and continues each time.
void SstRefilter::expect_survives(int times) {
  write_database(many_files(builtin_ribbon()), db(), 2 * kKeys);
  std::mt19937_64 random(11);
  for (int i = 0; i < times; ++i) {
    const std::string after = std::to_string(0.001 * static_cast<double>(random() % 300));
    // timeout(1) also kills itself, so it would not wait until the database is unlocked.
    EXPECT_THAT(shell("'" CRIVO_TOOL "' sst refilter -q --policy crivo.Auto:" + std::to_string(8 + i % 3) +
                      " db & pid=$!; sleep " + after + "; kill -KILL $pid; wait $pid"),
                Exits(AnyOf(Eq(0), Eq(1), Eq(137), Eq(-1))));
  }
  expect_all_there(many_files(crivo_bloom()), db(), 2 * kKeys);
  EXPECT_THAT(crivo("sst refilter --policy crivo.Auto:10 db"), Succeeds());
  expect_done("db");
  expect_all_there(many_files(crivo_bloom()), db(), 2 * kKeys);
}

TEST_F(SstRefilter, LosesNothingWhenItIsKilled) { expect_survives(5); }
TEST_F(SstRefilter, LosesNothingWhenItIsKilledLong) { expect_survives(100); }

}  // namespace
}  // namespace crivo::testing

// crivo sst refilter: every file gets the policy's filter, and no key is lost, whatever stops it.
#include <rocksdb/comparator.h>
#include <rocksdb/merge_operator.h>

#include <random>

#include "crivo/rocksdb_scan.h"
#include "crivo/rocksdb_verify.h"
#include "sst_support.h"

namespace crivo::testing {
namespace {

using ::testing::Eq;

constexpr std::uint64_t kKeys = 4000;

class SstRefilter : public SstToolTest {
 protected:
  /// The kinds of all filters, by their level.
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
};

TEST_F(SstRefilter, GivesEveryFileThePolicysFilter) {
  const std::map<std::string, Policy> before = {{"none", nullptr},
                                                {"builtin Bloom", builtin_bloom()},
                                                {"builtin Ribbon", builtin_ribbon()},
                                                {"another rate", crivo_bloom(5)},
                                                {"another kind", crivo_bloom(10)}};
  for (const auto& [name, policy] : before) {
    for (const bool partitioned : {false, true}) {
      SCOPED_TRACE(name + (partitioned ? ", partitioned" : ""));
      shell("rm -rf db");
      const rocksdb::Options options = many_files(policy, partitioned);
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
    }
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

TEST_F(SstRefilter, LeavesAloneWhatIsRight) {
  for (const Policy& policy : {crivo_bloom(10), crivo_ribbon(7), builtin_bloom(10), builtin_ribbon(10),
                               policy_from_string("crivo.Auto:10"), policy_from_string("crivo.Auto:fp_rate:0.001")}) {
    for (const bool partitioned : {false, true}) {
      SCOPED_TRACE(policy->GetId() + (partitioned ? ", partitioned" : ""));
      shell("rm -rf db");
      write_database(many_files(policy, partitioned), db(), kKeys);
      expect_done("db");
      const auto before = sst_files(db());
      EXPECT_THAT(crivo("sst refilter db"),
                  Succeeds(HasSubstr("0 files rewritten; every filter is as the policy would write it")));
      for (const std::string& file : before) EXPECT_TRUE(std::filesystem::exists(file)) << file;
    }
  }
}

TEST_F(SstRefilter, RewritesOnlyTheFilesThatNeedIt) {
  write_database(many_files(builtin_bloom()), db(), kKeys);
  {
    const auto opened = open_database(many_files(crivo_bloom()), db());
    put_keys(*opened, kKeys, kKeys + 500);
  }
  const auto files = sst_files(db());
  EXPECT_THAT(crivo("sst refilter db"), Succeeds(HasSubstr(std::to_string(files.size() - 1) + " files rewritten")));
  const auto now = sst_files(db());
  EXPECT_EQ(std::ranges::count_if(files, [&](const auto& file) { return std::ranges::count(now, file) > 0; }), 1);
  expect_all_there(many_files(crivo_bloom()), db(), kKeys);
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

TEST_F(SstRefilter, RewritesFiltersOfAnotherKeyTransform) {
  write_database(many_files(crivo_bloom()), db(), kKeys);
  const std::string policy = "--policy 'crivo.Bloom:10:key_transform:lower_ascii' ";
  EXPECT_THAT(crivo("sst refilter --dry-run " + policy + "db").out,
              HasSubstr("key_transform is \"\" instead of \"lower_ascii\""));
  EXPECT_THAT(crivo("sst refilter " + policy + "db"), Succeeds());
  expect_done("db");
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

// RocksDB 7.8 writes two collectors into OPTIONS, and cannot read them back.
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

TEST_F(SstRefilter, LeavesOutTheLastLevelIfTheDatabaseDoes) {
  rocksdb::Options options = many_files(crivo_bloom());
  options.optimize_filters_for_hits = true;
  write_database(options, db(), kKeys);
  expect_done("db");
  EXPECT_THAT(crivo("sst refilter db"), Succeeds());
  EXPECT_THAT(crivo("sst refilter --policy crivo.Bloom:20 db"), Succeeds(HasSubstr("2 files rewritten")))
      << "those of level 0";
  expect_all_there(options, db(), kKeys);
}

/// What a program of one's own may have, and nobody else knows.
class Appending final : public rocksdb::AssociativeMergeOperator {
 public:
  const char* Name() const override { return "my.Appending"; }
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice* old, const rocksdb::Slice& value, std::string* joined,
             rocksdb::Logger*) const override {
    *joined = (old != nullptr ? old->ToString() : "") + value.ToString();
    return true;
  }
};

class OwnOrder final : public rocksdb::Comparator {
 public:
  const char* Name() const override { return "my.OwnOrder"; }
  int Compare(const rocksdb::Slice& a, const rocksdb::Slice& b) const override { return b.compare(a); }
  void FindShortestSeparator(std::string*, const rocksdb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
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
                Fails(AllOf(HasSubstr("OPTIONS of DB must be there and known here, got db: "),
                            HasSubstr(own_order ? "my.OwnOrder" : "my.Appending"))));
    EXPECT_EQ(listing(db()), before);
  }
}

TEST_F(SstRefilter, RefusesWrongPoliciesAndFolders) {
  write_database(many_files(nullptr), db(), 100);
  const auto before = listing(db());
  const std::pair<const char*, const char*> wrong[] = {
      {"--policy crivo.Nope:10 db", "name must be"},
      {"--policy crivo.Bloom:-1 db", "bits_per_key must lie in [0, 1000], got -1"},
      {"--policy nonsense db", "--policy must name a filter policy, such as crivo.Auto:10, got nonsense"},
      {"db", "OPTIONS of DB must have a filter policy, got none"},
      {"nowhere", "OPTIONS of DB must be there and known here, got nowhere"}};
  for (const auto& [arguments, message] : wrong) {
    EXPECT_THAT(crivo(std::string("sst refilter ") + arguments), Fails(HasSubstr(message))) << arguments;
  }
  EXPECT_EQ(listing(db()), before);
  EXPECT_EQ(files(), 1U) << "no folder was made";
}

// RocksDB would take an empty folder for the log, and forget what the real one has that is in no file yet.
TEST_F(SstRefilter, RefusesALogThatItDoesNotFind) {
  const std::string elsewhere = path("log").string();
  write_database(many_files(crivo_bloom()), path("other").string(), 10);
  const std::pair<std::string, const char*> folders[] = {{"wal_dir=log", "be an absolute path, got log"},
                                                         {"db_log_dir=log", "be an absolute path, got log"},
                                                         {"wal_dir=/nowhere/log", "be a folder that is there"},
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
                Fails(HasSubstr("wal_dir in OPTIONS of DB must lie in DB, or be named by --wal-dir, got " + log)));
  }
  EXPECT_THAT(crivo("sst refilter --policy crivo.Auto:10 --wal-dir its_log copy"), Succeeds());
  EXPECT_EQ(listing(log), before) << "the log of the original";
  EXPECT_THAT(crivo("sst refilter --policy crivo.Auto:10 --wal-dir nowhere db"),
              Fails(HasSubstr("--wal-dir must be a folder that is there, got " + path("nowhere").string())));
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
  EXPECT_THAT(
      crivo("sst refilter --policy crivo.Auto:10 --wal-dir empty db"),
      Fails(HasSubstr("--wal-dir must be the folder of the log, which lies in DB, got " + path("empty").string())));
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
              Succeeds(HasSubstr(" files lose their filter, as the policy writes none for them")));
}

TEST_F(SstRefilter, IsStoppedBySignalsAndContinued) {
  for (const std::string signal : {"INT", "TERM"}) {
    shell("rm -rf db err");  // of the round before
    rocksdb::Options options = many_files(builtin_bloom());
    options.target_file_size_base = 4 << 10;  // so many that their lines do not fit the pipe
    write_database(options, db(), 3 * kKeys);
    const std::size_t files = sst_files(db()).size();
    // The tool waits for its lines to be read, from a pipe of one page, so that the signal comes in time.
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

void kill_and_continue(const std::function<Outcome(const std::string&)>& shell, int times) {
  std::mt19937_64 random(11);
  for (int i = 0; i < times; ++i) {
    const std::string after = std::to_string(0.001 * static_cast<double>(random() % 300));
    // timeout(1) kills itself, too, and so would not wait until the database is unlocked.
    EXPECT_THAT(shell("'" CRIVO_TOOL "' sst refilter -q --policy crivo.Auto:" + std::to_string(8 + i % 3) +
                      " db & pid=$!; sleep " + after + "; kill -KILL $pid; wait $pid"),
                Exits(AnyOf(Eq(0), Eq(1), Eq(137), Eq(-1))));
  }
}

TEST_F(SstRefilter, LosesNothingWhenItIsKilled) {
  write_database(many_files(builtin_ribbon()), db(), 2 * kKeys);
  kill_and_continue([this](const std::string& command) { return shell(command); }, 8);
  expect_all_there(many_files(crivo_bloom()), db(), 2 * kKeys);
  EXPECT_THAT(crivo("sst refilter --policy crivo.Auto:10 db"), Succeeds());
  expect_done("db");
  expect_all_there(many_files(crivo_bloom()), db(), 2 * kKeys);
}

TEST_F(SstRefilter, LosesNothingWhenItIsKilledLong) {
  write_database(many_files(builtin_ribbon()), db(), 2 * kKeys);
  kill_and_continue([this](const std::string& command) { return shell(command); }, 100);
  EXPECT_THAT(crivo("sst refilter --policy crivo.Auto:10 db"), Succeeds());
  expect_all_there(many_files(crivo_bloom()), db(), 2 * kKeys);
}

}  // namespace
}  // namespace crivo::testing

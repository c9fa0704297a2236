// The library as others see it: its symbols, RocksDB's own tools with it preloaded, a librocksdb of another version.
#include <rocksdb/convenience.h>
#include <rocksdb/utilities/options_util.h>

#include <cstdio>
#include <sstream>

#include "support.h"

namespace crivo::testing {
namespace {

using ::testing::UnorderedElementsAre;

struct Outcome {
  int status;
  std::string output;  // both streams
};

Outcome run(const std::string& command) {
  Outcome outcome{-1, ""};
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  char chunk[4096];
  while (const std::size_t size = fread(chunk, 1, sizeof chunk, pipe)) outcome.output.append(chunk, size);
  outcome.status = pclose(pipe);
  return outcome;
}

#define SKIP_WITHOUT(tool) \
  if (run("command -v " tool).status != 0) GTEST_SKIP() << tool " is not installed"

TEST(RocksdbLibrary, ExportsItsHeaderAndNothingElse) {
  SKIP_WITHOUT("nm");
  const Outcome symbols =
      run("nm -DC --defined-only --format=posix " CRIVO_ROCKSDB_SO " | sed 's/ [A-Za-z] [0-9a-f ]*$//'");
  ASSERT_EQ(symbols.status, 0) << symbols.output;
  std::vector<std::string> names;
  std::istringstream lines(symbols.output);
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  EXPECT_THAT(
      names,
      UnorderedElementsAre(
          "crivo_rocksdb_counters", "crivo::RefilterRocksDB(rocksdb::DB&, crivo::RocksDBRefilterOptions const&)",
          "crivo::VerifyRocksDBFilters(rocksdb::DB&, std::vector<rocksdb::ColumnFamilyHandle*, "
          "std::allocator<rocksdb::ColumnFamilyHandle*> > const&)",
          "crivo::RegisterKeyTransform(std::basic_string_view<char, std::char_traits<char> >, "
          "std::function<rocksdb::Slice (rocksdb::Slice const&, std::__cxx11::basic_string<char, "
          "std::char_traits<char>, std::allocator<char> >*)>)",
          "crivo::RocksDBFilterReport::all_filters_work() const", "crivo::RocksDBFilterReport::text[abi:cxx11]() const",
          "crivo::ConfigureRocksDB(rocksdb::ColumnFamilyOptions&, crivo::RocksDBFilterOptions const&)",
          "crivo::ConfigureRocksDB(rocksdb::Options&, crivo::RocksDBFilterOptions const&)",
          "crivo::GetRocksDBFilterCounters(rocksdb::ColumnFamilyOptions const&)",
          "crivo::GetRocksDBFilterCounters(rocksdb::FilterPolicy const*)",
          "crivo::LogRocksDBFilterCounters(rocksdb::DB&, rocksdb::ColumnFamilyHandle*)",
          "crivo::NewRocksDBFilterCollectorFactory()", "crivo::NewRocksDBFilterListener()",
          "crivo::NewRocksDBFilterPolicy(crivo::RocksDBFilterOptions const&)",
          "crivo::ScanFilter::only(crivo::plugin::ScanCondition)",
          "crivo::ScanFilter::for_range(std::basic_string_view<char, std::char_traits<char> >, unsigned long, unsigned "
          "long)",
          "crivo::ScanFilter::for_prefix(std::basic_string_view<char, std::char_traits<char> >)",
          "crivo::ScanFilter::for_attribute(std::basic_string_view<char, std::char_traits<char> >, "
          "std::basic_string_view<char, std::char_traits<char> >)",
          "crivo::ScanFilter::ScanFilter(std::shared_ptr<crivo::plugin::ScanQuestion const>)",
          "crivo::ScanFilter::ScanFilter(std::shared_ptr<crivo::plugin::ScanQuestion const>)",
          "crivo::RegisterScanNumber(std::basic_string_view<char, std::char_traits<char> >, "
          "std::function<std::optional<unsigned long> (rocksdb::Slice const&)>)",
          "crivo::RegisterScanAttribute(std::basic_string_view<char, std::char_traits<char> >, std::function<void "
          "(rocksdb::Slice const&, std::function<void (std::basic_string_view<char, std::char_traits<char> >)> "
          "const&)>)",
          "crivo::NewScanFilterCollectorFactory(crivo::ScanFilterOptions const&, "
          "std::shared_ptr<rocksdb::TablePropertiesCollectorFactory>*)",
          "crivo::ScanFilter::and_also(crivo::ScanFilter const&) const", "crivo::ScanFilter::asked() const",
          "crivo::ScanFilter::matches(rocksdb::Slice const&) const", "crivo::ScanFilter::skipped() const",
          "crivo::ScanFilter::apply_to(rocksdb::ReadOptions*) const",
          "crivo::ScanFilter::may_match(rocksdb::TableProperties const&) const"));
}

TEST(RocksdbLibrary, StaysLoadedAndNeedsNoZstd) {
  SKIP_WITHOUT("readelf");
  const Outcome dynamic = run("readelf -d " CRIVO_ROCKSDB_SO);
  EXPECT_THAT(dynamic.output, HasSubstr("NODELETE"));
  EXPECT_THAT(dynamic.output, HasSubstr("[librocksdb.so."));
  EXPECT_THAT(dynamic.output, Not(HasSubstr("[libzstd")));
}

// A database whose OPTIONS file names the policy, and which has no filters yet.
class RocksdbTools : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's runtime must come first in a program, so nothing can be preloaded";
#endif
    rocksdb::Options options = test_options();
    rocksdb::ColumnFamilyOptions family;
    ASSERT_TRUE(
        rocksdb::GetColumnFamilyOptionsFromString(
            rocksdb::ConfigOptions(), options, "block_based_table_factory={filter_policy=" + GetParam() + "}", &family)
            .ok());
    const auto db = open_database({options, family}, folder_.file("db"));
    put_keys(*db, 0, 2000);
    put_keys(*db, 1000, 3000);
  }

  [[nodiscard]] Outcome tool(const std::string& preload, const std::string& command) const {
    return run("LD_PRELOAD=" + preload + " " + command);
  }
  [[nodiscard]] std::string ldb(const std::string& command) const {
    return "ldb --db=" + folder_.file("db") + " --try_load_options " + command;
  }
  [[nodiscard]] std::string properties() const {
    return run("sst_dump --show_properties --file=" + folder_.file("db")).output;
  }

  [[nodiscard]] std::string latest_options() const {
    std::string name;
    EXPECT_TRUE(rocksdb::GetLatestOptionsFileName(folder_.file("db"), rocksdb::Env::Default(), &name).ok());
    return name;
  }

  [[nodiscard]] static std::string named_policy() {
    return "filter policy name: " + GetParam().substr(0, GetParam().find(':'));
  }

  TempFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Rocksdb, RocksdbTools, ::testing::Values("crivo.Bloom:10", "crivo.Ribbon:10:-1"),
                         [](const auto& param_info) { return param_info.index == 0 ? "Bloom" : "Ribbon"; });

TEST_P(RocksdbTools, SstDumpNamesThePolicy) {
  SKIP_WITHOUT("sst_dump");
  EXPECT_THAT(properties(), HasSubstr(named_policy()));
  const Outcome check = tool(CRIVO_ROCKSDB_SO, "sst_dump --command=verify --file=" + folder_.file("db"));
  EXPECT_EQ(check.status, 0) << check.output;
}

TEST_P(RocksdbTools, LdbWritesOurFiltersWhenPreloaded) {
  SKIP_WITHOUT("ldb");
  SKIP_WITHOUT("sst_dump");
  const Outcome get = tool(CRIVO_ROCKSDB_SO, ldb("get " + key_of(2500)));
  EXPECT_EQ(get.output, key_of(2500) + "\n");
  const Outcome compact = tool(CRIVO_ROCKSDB_SO, ldb("compact"));
  ASSERT_EQ(compact.status, 0) << compact.output;
  EXPECT_THAT(properties(), HasSubstr(named_policy()));
  EXPECT_THAT(properties(), HasSubstr("# entries for filter: 3000"));
}

TEST_P(RocksdbTools, LdbWithoutUsKeepsTheKeysAndDropsTheFilters) {
  SKIP_WITHOUT("ldb");
  SKIP_WITHOUT("sst_dump");
  EXPECT_EQ(run(ldb("get " + key_of(2500))).output, key_of(2500) + "\n");
  ASSERT_EQ(run(ldb("compact")).status, 0);
  EXPECT_THAT(properties(), HasSubstr("# entries for filter: 0"))
      << "the control: it is the preload that makes filters";
}

TEST_P(RocksdbTools, DbBenchRunsOnOurFilters) {
  SKIP_WITHOUT("db_bench");
  const std::string options_file = run("ls -t " + folder_.file("db") + "/OPTIONS-* | head -1").output;
  const std::string command =
      "db_bench --benchmarks=fillrandom,flush,readmissing --num=20000 --statistics --db=" + folder_.file("bench") +
      " --options_file=" + options_file.substr(0, options_file.size() - 1);
  const Outcome bench = tool(CRIVO_ROCKSDB_SO, command);
  ASSERT_EQ(bench.status, 0) << bench.output;
  const std::string useful = "rocksdb.bloom.filter.useful COUNT : ";
  const auto at = bench.output.find(useful);
  ASSERT_NE(at, std::string::npos) << bench.output;
  EXPECT_GT(std::stoull(bench.output.substr(at + useful.size())), 19000U) << "of 20000 reads of missing keys";
}

TEST_P(RocksdbTools, RefuseAMisspeltPolicyAndTouchNothing) {
  SKIP_WITHOUT("ldb");
  const std::string options_file = folder_.file("db/") + latest_options();
  std::string options = read_bytes(options_file);
  options.replace(options.find("filter_policy=crivo."), 20, "filter_policy=Crivo.");
  write_bytes(options_file, options);
  const auto files = sst_files(folder_.file("db"));
  const Outcome compact = tool(CRIVO_ROCKSDB_SO, ldb("compact"));
  EXPECT_NE(compact.status, 0);
  EXPECT_THAT(compact.output, HasSubstr("name must be crivo.Auto, crivo.Bloom or crivo.Ribbon, got Crivo."));
  EXPECT_EQ(sst_files(folder_.file("db")), files);
  EXPECT_EQ(tool(CRIVO_ROCKSDB_SO, ldb("get " + key_of(2500))).output, key_of(2500) + "\n") << "reading does no harm";
  SKIP_WITHOUT("db_bench");
  const Outcome bench =
      tool(CRIVO_ROCKSDB_SO, "db_bench --benchmarks=fillrandom --num=100 --db=" + folder_.file("bench") +
                                 " --options_file=" + options_file);
  EXPECT_NE(bench.status, 0);
  EXPECT_THAT(bench.output, HasSubstr("name must be crivo.Auto, crivo.Bloom or crivo.Ribbon, got Crivo."));
}

TEST_P(RocksdbTools, ALibrocksdbOfAnotherVersionIsRefused) {
  SKIP_WITHOUT("ldb");
  const Outcome refused = tool(FAKE_VERSION_SO ":" CRIVO_ROCKSDB_SO, ldb("compact"));
  EXPECT_THAT(refused.output, HasSubstr("crivo: librocksdb must be version " + std::to_string(ROCKSDB_MAJOR) + "." +
                                        std::to_string(ROCKSDB_MINOR)));
  EXPECT_THAT(refused.output, HasSubstr("got 99.1"));
  EXPECT_THAT(properties(), HasSubstr("# entries for filter: 0")) << "nothing was registered";
}

}  // namespace
}  // namespace crivo::testing

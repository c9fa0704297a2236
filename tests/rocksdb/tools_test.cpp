// The library in other programs: its symbols, RocksDB's tools with it preloaded, a librocksdb of another version.
#include <rocksdb/convenience.h>
#include <rocksdb/utilities/options_util.h>

#include <sstream>

#include "../tool/shell.h"
#include "support.h"

namespace crivo::testing {
namespace {

using ::testing::Ne;
using ::testing::UnorderedElementsAre;

#define SKIP_WITHOUT(tool) \
  if (shell("command -v " tool).exit_code != 0) GTEST_SKIP() << tool " is not installed"

using RocksdbLibrary = ToolTest;

TEST_F(RocksdbLibrary, ExportsItsHeaderAndNothingElse) {
  SKIP_WITHOUT("nm");
  const Outcome symbols =
      shell("nm -DC --defined-only --format=posix " CRIVO_ROCKSDB_SO " | sed 's/ [A-Za-z] [0-9a-f ]*$//'");
  ASSERT_THAT(symbols, Succeeds());
  std::vector<std::string> names;
  std::istringstream lines(symbols.out);
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  EXPECT_THAT(
      names,
      UnorderedElementsAre(
          "crivo_rocksdb_counters", "crivo_rocksdb_preload_calls",
          "crivo::RefilterRocksDB(rocksdb::DB&, crivo::RocksDBRefilterOptions const&)",
          "crivo::VerifyRocksDBFilters(rocksdb::DB&, std::vector<rocksdb::ColumnFamilyHandle*, "
          "std::allocator<rocksdb::ColumnFamilyHandle*> > const&)",
          "crivo::RegisterKeyTransform(std::basic_string_view<char, std::char_traits<char> >, "
          "std::function<rocksdb::Slice (rocksdb::Slice const&, std::__cxx11::basic_string<char, "
          "std::char_traits<char>, std::allocator<char> >*)>)",
          "crivo::RocksDBFilterReport::all_filters_work() const", "crivo::RocksDBFilterReport::text[abi:cxx11]() const",
          "crivo::ConfigureRocksDB(rocksdb::ColumnFamilyOptions&, crivo::v0_2::RocksDBFilterOptions const&)",
          "crivo::ConfigureRocksDB(rocksdb::Options&, crivo::v0_2::RocksDBFilterOptions const&)",
          "crivo::GetRocksDBFilterCounters(rocksdb::ColumnFamilyOptions const&)",
          "crivo::GetRocksDBFilterCounters(rocksdb::FilterPolicy const*)", "crivo::GetRocksDBFilterTotal(rocksdb::DB&)",
          "crivo::LogRocksDBFilterCounters(rocksdb::DB&, rocksdb::ColumnFamilyHandle*)",
          "crivo::NewRocksDBFilterCollectorFactory()", "crivo::NewRocksDBFilterListener()",
          "crivo::NewRocksDBFilterPolicy(crivo::v0_2::RocksDBFilterOptions const&)",
          "crivo::PrefixMayExist(rocksdb::DB&, rocksdb::ColumnFamilyHandle*, std::basic_string_view<char, "
          "std::char_traits<char> >)",
          "crivo::ScanFilter::only(crivo::plugin::ScanCondition)",
          "crivo::ScanFilter::for_range(std::basic_string_view<char, std::char_traits<char> >, unsigned long, unsigned "
          "long)",
          "crivo::ScanFilter::for_prefix(std::basic_string_view<char, std::char_traits<char> >)",
          "crivo::ScanFilter::for_attribute(std::basic_string_view<char, std::char_traits<char> >, "
          "std::basic_string_view<char, std::char_traits<char> >)",
          "crivo::ScanFilter::ScanFilter(std::shared_ptr<crivo::plugin::ScanQuery const>)",
          "crivo::ScanFilter::ScanFilter(std::shared_ptr<crivo::plugin::ScanQuery const>)",
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

TEST_F(RocksdbLibrary, StaysLoadedAndNeedsNoZstd) {
  SKIP_WITHOUT("readelf");
  EXPECT_THAT(shell("readelf -d " CRIVO_ROCKSDB_SO),
              Says(AllOf(HasSubstr("NODELETE"), HasSubstr("[librocksdb.so."), Not(HasSubstr("[libzstd")))));
}

// A database whose OPTIONS file names the policy.
class RocksdbTools : public ToolTest {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's runtime must come first in a program, so nothing can be preloaded";
#endif
    const auto db =
        open_database(with_table(test_options(), table_from_string("filter_policy=crivo.Ribbon:10:-1")), path("db"));
    put_keys(*db, 0, 2000);
    put_keys(*db, 1000, 3000);
  }

  Outcome preloaded(const std::string& command, const std::string& libraries = CRIVO_ROCKSDB_SO) {
    return shell("LD_PRELOAD=" + libraries + " " + command);
  }
  [[nodiscard]] static std::string ldb(const std::string& command) {
    return "ldb --db=db --try_load_options " + command;
  }
  std::string properties() { return shell("sst_dump --show_properties --file=db").out; }

  [[nodiscard]] std::string latest_options() const {
    std::string name;
    EXPECT_TRUE(rocksdb::GetLatestOptionsFileName(path("db"), rocksdb::Env::Default(), &name).ok());
    return name;
  }
};

TEST_F(RocksdbTools, LdbWritesOurFiltersWhenPreloaded) {
  SKIP_WITHOUT("ldb");
  SKIP_WITHOUT("sst_dump");
  EXPECT_THAT(preloaded(ldb("get " + key_of(2500))), Exits(0, "", key_of(2500) + "\n"));
  ASSERT_THAT(preloaded(ldb("compact")), Succeeds());
  EXPECT_THAT(properties(), HasSubstr("filter policy name: crivo.Ribbon"));
  EXPECT_THAT(properties(), HasSubstr("# entries for filter: 3000"));
  EXPECT_THAT(preloaded("sst_dump --command=verify --file=db"), Succeeds());
}

TEST_F(RocksdbTools, LdbWithoutUsKeepsTheKeysAndDropsTheFilters) {
  SKIP_WITHOUT("ldb");
  SKIP_WITHOUT("sst_dump");
  EXPECT_THAT(shell(ldb("get " + key_of(2500))), Exits(0, "", key_of(2500) + "\n"));
  ASSERT_THAT(shell(ldb("compact")), Succeeds());
  EXPECT_THAT(properties(), HasSubstr("# entries for filter: 0"))
      << "the control: it is the preload that makes filters";
}

TEST_F(RocksdbTools, RefuseAMisspeltPolicyAndTouchNothing) {
  SKIP_WITHOUT("ldb");
  const std::string options_file = path("db/" + latest_options());
  std::string options = read_bytes(options_file);
  options.replace(options.find("filter_policy=crivo."), 20, "filter_policy=Crivo.");
  write_bytes(options_file, options);
  const auto files = sst_files(path("db"));
  const auto refused = Exits(Ne(0), HasSubstr("name must be crivo.Auto, crivo.Bloom or crivo.Ribbon, got Crivo."));
  EXPECT_THAT(preloaded(ldb("compact")), refused);
  EXPECT_EQ(sst_files(path("db")), files);
  EXPECT_THAT(preloaded(ldb("get " + key_of(2500))), Says(key_of(2500) + "\n")) << "reading does no harm";
  SKIP_WITHOUT("db_bench");
  EXPECT_THAT(preloaded("db_bench --benchmarks=fillrandom --num=100 --db=bench --options_file=" + options_file),
              refused);
}

TEST_F(RocksdbTools, ALibrocksdbOfAnotherVersionIsRefused) {
  SKIP_WITHOUT("ldb");
  EXPECT_THAT(preloaded(ldb("compact"), FAKE_VERSION_SO ":" CRIVO_ROCKSDB_SO).err,
              AllOf(HasSubstr("crivo: librocksdb must be version " + std::to_string(ROCKSDB_MAJOR) + "." +
                              std::to_string(ROCKSDB_MINOR)),
                    HasSubstr("got 99.1")));
  EXPECT_THAT(properties(), HasSubstr("# entries for filter: 0")) << "nothing was registered";
}

}  // namespace
}  // namespace crivo::testing

// crivo sst refilter: which files it takes for right, and which policies for none.
#include <rocksdb/convenience.h>

#include <algorithm>

#include "../tool/shell.h"
#include "sst_support.h"

namespace crivo::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint64_t kKeys = 3000;

/// Filters that are not as the policy plans them.
struct Case {
  std::string policy;
  std::string table;   // other options of the table
  std::string family;  // of the column family
};

constexpr const char* kPartitions = "partition_filters=true;index_type=kTwoLevelIndexSearch;metadata_block_size=512;";
constexpr const char* kPrefixesOnly = "whole_key_filtering=false;";

/// In the order of their weight: the default tests take the first ones.
constexpr std::size_t kShort = 9;
std::vector<Case> cases(std::size_t most = SIZE_MAX) {
  std::vector<Case> all = {
      {"{id=crivo.Bloom;bits_per_key=10;max_filter_bytes=2000}", "", ""},
      {"{id=crivo.Auto;bits_per_key=10;max_filter_bytes=2000}", kPartitions, ""},
      {"{id=crivo.Ribbon;bits_per_key=10;bloom_before_level=-1;max_build_bytes=10000}", "", ""},
      {"{id=crivo.Bloom;bits_per_key=10;key_transform=take_prefix:2}", "", ""},
      {"{id=crivo.Bloom;bits_per_key=10;max_filter_bytes=100;key_transform=take_prefix:8}", "", ""},
      {"{id=crivo.Ribbon;bits_per_key=10;bloom_before_level=-1;key_transform=drop_suffix:13}", "", ""},
      {"crivo.Ribbon:10:-1", kPrefixesOnly, "prefix_extractor=fixed:20;"},
      {"bloomfilter:10:false", std::string(kPartitions) + kPrefixesOnly, "prefix_extractor=fixed:20;"},
      {"crivo.Auto:10:bottommost_fp_rate:1", "", ""},
      // kShort
      {"{id=crivo.Bloom;bits_per_key=10;max_filter_bytes=2000}", kPartitions, ""},
      {"{id=crivo.Ribbon;bits_per_key=10;bloom_before_level=-1;max_filter_bytes=2000}", "", ""},
      {"{id=crivo.Ribbon;bits_per_key=10;bloom_before_level=-1;max_filter_bytes=300}", "", ""},
      {"{id=crivo.Auto;bits_per_key=10;max_build_bytes=10000}", kPartitions, ""},
      {"{id=crivo.Bloom;bits_per_key=10;key_transform=drop_suffix:13}", kPartitions, ""},
      {"{id=crivo.Ribbon;bits_per_key=10;key_transform=take_prefix:3}", kPartitions, ""},
      {"crivo.Bloom:10", kPrefixesOnly, "prefix_extractor=fixed:20;"},
      {"crivo.Bloom:10", std::string(kPartitions) + kPrefixesOnly, "prefix_extractor=fixed:20;"},
      {"ribbonfilter:10", kPrefixesOnly, "prefix_extractor=fixed:20;"},
      {"crivo.Bloom:10", kPrefixesOnly, "prefix_extractor=fixed:3;"},
      {"bloomfilter:10:false", std::string(kPartitions) + kPrefixesOnly, "prefix_extractor=fixed:3;"},
      {"crivo.Ribbon:10:-1", "", "prefix_extractor=fixed:8;"},
      {"crivo.Auto:10:bottommost_fp_rate:0.1", kPartitions, ""},
      {"{id=crivo.Auto;budget_bits_per_key=7}", kPartitions, "level_compaction_dynamic_level_bytes=true;"},
      {"bloomfilter:10:false", "optimize_filters_for_memory=true;", ""},
      {"ribbonfilter:10:1", "optimize_filters_for_memory=true;", ""},
      {"ribbonfilter:10:-1", std::string(kPartitions) + "detect_filter_construct_corruption=true;", ""},
      {"bloomfilter:10:false", "format_version=4;", ""},
      {"crivo.Ribbon:10:2", "", "optimize_filters_for_hits=true;"},
      {"crivo.Auto:10", "", "compaction_style=kCompactionStyleUniversal;num_levels=4;"},
      {"crivo.Auto:10", "", "num_levels=1;"}};
  all.resize(std::min(most, all.size()));
  return all;
}

rocksdb::Options options_of(const Case& each, const std::string& policy) {
  const std::string text = "block_based_table_factory={filter_policy=" + policy + ";" + each.table + "};" + each.family;
  rocksdb::Options options;
  const rocksdb::Status read = rocksdb::GetOptionsFromString({}, many_files(nullptr), text, &options);
  EXPECT_TRUE(read.ok()) << text << ": " << read.ToString();
  options.target_file_size_base = 64 << 10;
  return options;
}

class SstWanted : public ToolTest {
 protected:
  [[nodiscard]] std::string db() const { return path("db").string(); }
  void make(const Case& each, const std::string& policy) {
    shell("rm -rf db");
    write_database(options_of(each, policy), db(), kKeys);
  }
  void expect_right(const Case& each, const std::string& when) {
    SCOPED_TRACE(each.policy + ", " + each.table + each.family + ": " + when);
    const Outcome dry = crivo("sst refilter --dry-run db");
    EXPECT_EQ(dry.exit_code, 0) << dry.err;
    EXPECT_THAT(dry.out, IsEmpty());
    EXPECT_THAT(dry.err, HasSubstr("nothing to rewrite: every filter is as the policy would write it"));
  }
  void expect_right_after_rewrite(const Case& each) {
    make(each, "nullptr");
    const Outcome done = crivo("sst refilter --policy '" + each.policy + "' db");
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.err, HasSubstr("rewritten; every filter is as the policy would write it"));
    expect_right(each, "after a rewrite");
    expect_all_there(options_of(each, each.policy), db(), kKeys);
  }
};

TEST_F(SstWanted, IsWhatThePolicyReallyWrites) {
  for (const Case& each : cases(kShort)) {
    make(each, each.policy);
    expect_right(each, "as the database's program wrote it");
  }
}

// The rate of a few blocks scatters, and the last of a file's partitions may have hardly any key.
TEST_F(SstWanted, IsWhatThePolicyReallyWritesOfFewKeys) {
  const Case many_bits{"crivo.Bloom:32", "", ""};
  const Case small_partitions{"crivo.Bloom:10", std::string(kPartitions) + "metadata_block_size=128;block_size=256;",
                              ""};
  for (const int keys : {49, 50, 51, 52, 54, 56, 60, 72, 76, 80}) {
    SCOPED_TRACE(keys);
    for (const Case& each : {many_bits, small_partitions}) {
      shell("rm -rf db");
      write_database(options_of(each, each.policy), db(), keys);
      expect_right(each, "as the database's program wrote it");
    }
  }
}

TEST_F(SstWanted, IsWhatARewriteGives) {
  for (const Case& each : cases(kShort)) expect_right_after_rewrite(each);
}

TEST_F(SstWanted, IsWhatEitherGivesLong) {
  for (const Case& each : cases()) {
    make(each, each.policy);
    expect_right(each, "as the database's program wrote it");
    expect_right_after_rewrite(each);
  }
}

TEST_F(SstWanted, IsNoPolicyThatWritesNothing) {
  make({"", "", ""}, "crivo.Bloom:10");
  const auto before = listing(db());
  for (const char* const policy :
       {"rocksdb.BuiltinBloomFilter", "{id=rocksdb.BuiltinBloomFilter}", "bloomfilter:0:false", "bloomfilter:-1",
        "rocksdb.BloomFilter:0.4", "ribbonfilter:0.2", "crivo.Bloom:0", "crivo.Ribbon:0.3", "crivo.Auto:0",
        "{id=crivo.Auto;budget_bits_per_key=0}"}) {
    for (const char* const dry : {"", "--dry-run "}) {
      const Outcome refused = crivo(std::string("sst refilter ") + dry + "--policy '" + policy + "' db");
      EXPECT_EQ(refused.exit_code, 2) << policy;
      EXPECT_THAT(refused.err, HasSubstr("--policy must name one that writes filters, got " + std::string(policy)));
      EXPECT_THAT(refused.err, HasSubstr(" writes no filters in column family default; --policy none removes filters"));
    }
  }
  for (const char* const policy : {"", "nullptr", "crivo.bloom:10", "CRIVO.Bloom", "BloomFilter:10", "blocked"}) {
    const Outcome refused = crivo(std::string("sst refilter --policy '") + policy + "' db");
    EXPECT_EQ(refused.exit_code, 2) << policy;
    EXPECT_THAT(refused.err, HasSubstr("--policy must name a filter policy, such as crivo.Auto:10, or be none, got " +
                                       std::string(*policy == '\0' ? "nothing" : policy)));
  }
  EXPECT_EQ(listing(db()), before);
}

TEST_F(SstWanted, IsNoPolicyOfOptionsThatWritesNothing) {
  const std::pair<Case, const char*> nothing[] = {
      {{"rocksdb.BuiltinBloomFilter", "", ""}, "policy rocksdb.BuiltinBloomFilter writes no filters"},
      {{"crivo.Bloom:0.3", "", ""}, "policy crivo.Bloom:0.3 writes no filters"},
      {{"crivo.Bloom:10", kPrefixesOnly, ""}, "whole_key_filtering=false without a prefix_extractor leaves no key"}};
  for (const auto& [each, why] : nothing) {
    make(each, "bloomfilter:10:false");
    open_database(options_of(each, each.policy), db()).reset();  // writes the policy into OPTIONS
    const auto before = listing(db());
    const Outcome refused = crivo("sst refilter db");
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr(std::string("note: left alone: column family default: ") + why));
    EXPECT_THAT(refused.err, HasSubstr("OPTIONS of DB must have a filter policy, got none that writes filters ("));
    EXPECT_EQ(listing(db()), before);
  }
}

TEST_F(SstWanted, IsNoneWhereItIsAskedForByName) {
  make({"", "", ""}, "crivo.Bloom:10");
  const std::size_t files = sst_files(db()).size();
  const Outcome done = crivo("sst refilter --policy none db");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr(std::to_string(files) + " files rewritten; no file has a filter"));
  const Outcome info = crivo("sst info db");
  EXPECT_EQ(info.exit_code, 0) << "it was done on purpose: " << info.err;
  EXPECT_THAT(info.out, AllOf(HasSubstr("written without a filter policy"), Not(HasSubstr("blocked"))));
  EXPECT_THAT(crivo("sst refilter --policy none db").err, HasSubstr("0 files rewritten"));
  expect_all_there(many_files(nullptr), db(), kKeys);
}

TEST_F(SstWanted, LeavesNoNameOfCrivosInOptionsOfRocksDBsPolicies) {
  make({"", "", ""}, "nullptr");
  EXPECT_EQ(crivo("sst refilter --policy bloomfilter:10:false db").exit_code, 0);
  EXPECT_THAT(shell("cat db/OPTIONS-*").out, Not(HasSubstr("crivo")));
}

}  // namespace
}  // namespace crivo::testing

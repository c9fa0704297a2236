// Which files RefilterRocksDB rewrites: those whose filter differs from the one that the policy would write now.
#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>

#include <stdexcept>

#include "crivo/rocksdb_refilter.h"
#include "crivo/rocksdb_verify.h"
#include "sst_support.h"

namespace crivo::testing {
namespace {

constexpr std::uint64_t kKeys = 4000;

class RocksdbRefilterNeed : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return folder_.file("db"); }

 private:
  TempFolder folder_;
};

/// Options with which 60,000 keys are in three files, with partitions of 4096 bytes or full filters.
rocksdb::Options few_files(const std::string& policy, bool partitioned) {
  rocksdb::Options options = many_files(nullptr, partitioned);
  options.target_file_size_base = 64 << 20;
  auto table = *options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  table.metadata_block_size = 4096;
  table.optimize_filters_for_memory = false;  // true, the default since RocksDB 9, hides a quarter of a difference
  table.filter_policy = policy_from_string(policy);
  return with_table(options, table);
}

TEST_F(RocksdbRefilterNeed, ComparesRecordedOptionsExactly) {
  for (const std::string name : {"crivo.Bloom", "crivo.Ribbon"}) {
    const bool partitioned = name == "crivo.Ribbon";
    std::filesystem::remove_all(path());
    write_database(few_files(name + ":10", partitioned), path(), 60'000);
    for (const std::string& other : {name + ":10.1", std::string("crivo.Auto:12")}) {
      const auto db = open_database(few_files(other, partitioned), path());
      EXPECT_EQ(RefilterRocksDB(*db, {.dry_run = true}).files_left, 3U) << other;
    }
  }
}

// The collector records the options. RocksDB's own policies, and programs without the collector, record none.
TEST_F(RocksdbRefilterNeed, ComparesSizesWithinATenthWithoutRecordedOptions) {
  for (const std::string name : {"crivo.Bloom", "crivo.Ribbon", "crivo.Auto", "ribbonfilter"}) {
    SCOPED_TRACE(name);
    const bool partitioned = name == "crivo.Bloom" || name == "crivo.Auto";
    std::filesystem::remove_all(path());
    const auto left = [&](const std::string& policy, bool write = false) {
      rocksdb::Options options = few_files(policy, partitioned);
      options.table_properties_collector_factories.clear();
      if (write) write_database(options, path(), 60'000);
      return RefilterRocksDB(*open_database(options, path()), {.dry_run = true}).files_left;
    };
    EXPECT_EQ(left(name + ":10", true), 0U);
    // Rounding in small partitions hides more (judge.cpp). RocksDB 9 makes more partitions than 7.8.
    EXPECT_EQ(left(name + (!partitioned ? ":8.4" : ROCKSDB_MAJOR < 9 ? ":8" : ":7")), 3U);
    EXPECT_EQ(left(name + (partitioned ? ":13" : ":12")), 3U);
    EXPECT_GE(left(name == "crivo.Bloom" ? "crivo.Ribbon:10:-1" : "crivo.Bloom:10"), 1U) << "another kind";
  }
}

// Refilter does not mistake a smaller filter for one of fewer keys, although a ribbon removes duplicates before sizing.
TEST_F(RocksdbRefilterNeed, ComparesBlockedFiltersThatReplaceRibbons) {
  const auto of_bits = [](const std::string& bits) {
    rocksdb::Options options =
        many_files(policy_from_string("{id=crivo.Ribbon;bits_per_key=" + bits + ";max_build_bytes=1000}"));
    options.target_file_size_base = 64 << 20;
    return options;
  };
  write_database(of_bits("8"), path(), 60'000);
  const std::uint64_t large = 1;  // only the large files: those of level 0 have a tenth of the keys
  for (const std::string bits : {"6", "16"}) {
    EXPECT_GE(RefilterRocksDB(*open_database(of_bits(bits), path()), {.dry_run = true}).files_left, large) << bits;
  }
  EXPECT_EQ(RefilterRocksDB(*open_database(of_bits("8"), path()), {.dry_run = true}).files_left, 0U);
}

// Without recorded options, the replacing filter's size shows its rate.
TEST_F(RocksdbRefilterNeed, ComparesBlockedFiltersThatReplaceRibbonsWithoutRecordedOptions) {
  const auto of_bits = [](const std::string& options_of_policy) {
    rocksdb::Options options =
        few_files("{id=crivo.Ribbon;bloom_before_level=-1;bits_per_key=" + options_of_policy + "}", false);
    options.table_properties_collector_factories.clear();
    return options;
  };
  const auto left = [&](const std::string& options_of_policy) {
    return RefilterRocksDB(*open_database(of_bits(options_of_policy), path()), {.dry_run = true}).files_left;
  };
  write_database(of_bits("10;max_build_bytes=1000"), path(), 60'000);
  EXPECT_EQ(left("10;max_build_bytes=1000"), 0U);
  EXPECT_EQ(left("14;max_build_bytes=1000"), 3U) << "a ribbon of this rate would be as large";
  EXPECT_EQ(left("10;max_filter_bytes=1000000000"), 3U) << "the limit replaces no ribbon";
}

// From the ribbon's size on, max_filter_bytes determines the size of the blocked filter that replaces it.
TEST_F(RocksdbRefilterNeed, RewritesNothingTwiceNearTheLimitOfAFile) {
  for (const std::uint64_t limit : {4'400U, 5'000U, 6'000U, 7'000U, 8'000U, 8'500U, 9'000U}) {
    SCOPED_TRACE(limit);
    rocksdb::Options options = many_files(nullptr);
    options.target_file_size_base = 64 << 20;
    const RocksDBFilterOptions filter{
        .bits_per_key = 10, .max_filter_bytes = limit, .max_build_bytes = 1'000, .max_total_bytes = 1'000'000};
    ASSERT_TRUE(ConfigureRocksDB(options, filter).ok());
    const ScratchDatabase db(options);
    put_keys(*db, 0, 5'000);
    ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());
    ASSERT_TRUE(RefilterRocksDB(*db).status.ok());
    EXPECT_EQ(RefilterRocksDB(*db, {.dry_run = true}).files_left, 0U);
  }
}

// The key transform throws at first, so the filters let every key pass.
TEST_F(RocksdbRefilterNeed, RewritesFiltersThatCouldNotBeBuiltUnlessTheLimitIsFull) {
  static bool throws;
  throws = true;
  const auto transform = [](const rocksdb::Slice& key, std::string*) {
    if (throws) throw std::runtime_error("no canonical key");
    return key;
  };
  ASSERT_TRUE(RegisterKeyTransform("refilter_need_test.throws", transform).ok());
  const rocksdb::Options options = many_files(
      policy_from_string("{id=crivo.Bloom;max_filter_bytes=1000000000;key_transform=refilter_need_test.throws}"));
  write_database(options, path(), kKeys);
  throws = false;
  const auto db = open_database(options, path());
  EXPECT_FALSE(VerifyRocksDBFilters(*db).all_filters_work());
  EXPECT_TRUE(RefilterRocksDB(*db).status.ok());
  EXPECT_TRUE(VerifyRocksDBFilters(*db).all_filters_work());
}

/// The options of a column family and its tables, from RocksDB's option strings.
rocksdb::Options options_from(const std::string& table, const std::string& family = "") {
  rocksdb::Options options = many_files(nullptr);
  const std::string text = "block_based_table_factory={block_size=256;" + table + "};" + family;
  EXPECT_TRUE(rocksdb::GetOptionsFromString({}, options, text, &options).ok()) << text;
  return options;
}

constexpr const char* kInPartitions =
    "partition_filters=true;index_type=kTwoLevelIndexSearch;metadata_block_size=256;filter_policy=";

TEST_F(RocksdbRefilterNeed, FindsEveryChangedOption) {
  struct Change {
    rocksdb::Options before;
    rocksdb::Options now;
    std::string reason;
  };
  const std::string bloom = "filter_policy=crivo.Bloom:10";
  const std::string prefixes = bloom + ";whole_key_filtering=false";
  const std::string bounded = kInPartitions + std::string("{id=crivo.Bloom;bits_per_key=20;max_filter_bytes=600}");
  const auto transformed = [](const std::string& name) {
    return "filter_policy={id=crivo.Auto;budget_bits_per_key=0.1;key_transform=take_prefix:" + name + "}";
  };
  const Change changes[] = {
      {options_from("filter_policy={id=crivo.Bloom;max_filter_bytes=100}"), options_from(bloom),
       "max_filter_bytes:100 instead of blocked:10"},
      {options_from(bloom, "prefix_extractor=fixed:4"), options_from(prefixes, "prefix_extractor=fixed:4"),
       R"(whole_key_filtering is "true" instead of "false")"},
      {options_from(prefixes, "prefix_extractor=fixed:4"), options_from(prefixes, "prefix_extractor=fixed:8"),
       R"(prefix_extractor is "rocksdb.FixedPrefix.4" instead of "rocksdb.FixedPrefix.8")"},
      {options_from(bounded), options_from(kInPartitions + std::string("crivo.Bloom:20")), ""},
      {options_from(bounded),
       options_from(kInPartitions + std::string("{id=crivo.Ribbon;bits_per_key=20;max_filter_bytes=600}")), ""},
      {options_from(bounded),
       options_from(kInPartitions +
                    std::string("{id=crivo.Bloom;bits_per_key=20;max_filter_bytes=600;key_transform=lower_ascii}")),
       R"(key_transform is "" instead of "lower_ascii")"},
      {options_from(transformed("3")), options_from(transformed("7")),
       R"(key_transform is "take_prefix:3" instead of "take_prefix:7")"}};
  for (const auto& [before, now, reason] : changes) {
    SCOPED_TRACE(reason);
    std::filesystem::remove_all(path());
    write_database(before, path(), kKeys);
    const auto db = open_database(now, path());
    std::uint64_t with_filter = 0;
    for (const RocksDBFileFilter& file : VerifyRocksDBFilters(*db).files) with_filter += file.kind != "none" ? 1U : 0U;
    ASSERT_GE(with_filter, 1U);
    const std::string expected = reason;  // a lambda cannot capture a structured binding
    const auto look = [&](const RocksDBRefilterProgress& next) {
      if (!next.path.empty()) {
        EXPECT_THAT(next.reason, HasSubstr(expected));
      }
      return true;
    };
    const RocksDBRefilterReport done = RefilterRocksDB(*db, {.progress = look});
    EXPECT_TRUE(done.status.ok()) << done.status.ToString();
    EXPECT_GE(done.files, reason.empty() ? with_filter - 2 : with_filter);  // few keys fit within any limit
    EXPECT_EQ(RefilterRocksDB(*db).files, 0U);
  }
}

TEST_F(RocksdbRefilterNeed, CountsKeysOfPartitionsWithoutFilters) {
  const std::string policy = "{id=crivo.Bloom;bits_per_key=20;max_filter_bytes=600}";  // 60 of 4000 keys have a filter
  rocksdb::Options options = options_from(kInPartitions + policy);
  options.target_file_size_base = 64 << 20;
  write_database(options, path(), kKeys);
  const auto db = open_database(options, path());
  double highest = 0;
  for (const RocksDBFileFilter& file : VerifyRocksDBFilters(*db).files) {
    highest = std::max(highest, file.current_fp_rate);
  }
  EXPECT_GT(highest, 0.95);
  EXPECT_LT(highest, 1);
}

/// Fails the test if RefilterRocksDB rewrites a file. The policy has written all of them.
void expect_as_written(rocksdb::DB& db) {
  const auto report = [](const RocksDBRefilterProgress& next) {
    if (!next.path.empty()) ADD_FAILURE() << next.path << ": " << next.reason;
    return true;
  };
  EXPECT_EQ(RefilterRocksDB(db, {.progress = report}).files, 0U);
}

TEST_F(RocksdbRefilterNeed, AcceptsRocksDBsRibbonOfAnyNumberOfKeys) {
  // For these numbers, a filter is 16 bytes smaller than its builder's CalculateSpace.
  for (const char* const policy : {"ribbonfilter:20:-1", "ribbonfilter:1.45:-1"}) {
    for (const std::uint64_t keys : {1U, 200U, 1880U, 1931U, 1999U}) {
      SCOPED_TRACE(policy + (" with " + std::to_string(keys) + " keys"));
      std::filesystem::remove_all(path());
      const auto db = open_database(many_files(policy_from_string(policy)), path());
      put_keys(*db, 0, keys);
      expect_as_written(*db);
    }
  }
}

TEST_F(RocksdbRefilterNeed, AcceptsSmallRibbonsOfSimilarRates) {
  const auto without_options = [](const std::string& policy) {
    rocksdb::Options options = many_files(policy_from_string(policy));
    options.table_properties_collector_factories.clear();
    return options;
  };
  for (const std::uint64_t keys : {100U, 300U, 1000U}) {
    SCOPED_TRACE(keys);
    std::filesystem::remove_all(path());
    put_keys(*open_database(without_options("crivo.Ribbon:fp_rate:0.01:-1"), path()), 0, keys);
    expect_as_written(*open_database(without_options("crivo.Ribbon:fp_rate:0.0103:-1"), path()));
  }
}

// For few keys, crivo.Auto writes a Bloom filter instead of a ribbon, and records the options of the ribbon.
TEST_F(RocksdbRefilterNeed, FindsSmallBloomFiltersOfAuto) {
  write_database(many_files(policy_from_string("crivo.Auto:5")), path(), 60);
  const auto db = open_database(many_files(policy_from_string("crivo.Ribbon:5:-1")), path());
  ASSERT_TRUE(RefilterRocksDB(*db).status.ok());
  for (const RocksDBFileFilter& file : VerifyRocksDBFilters(*db).files) EXPECT_EQ(file.kind, "ribbon") << file.level;
  expect_as_written(*db);
}

TEST_F(RocksdbRefilterNeed, FindsPrefixesBeforeTimestamps) {
  const auto timed = [](const std::string& table) {
    rocksdb::Options options = options_from(table + ";whole_key_filtering=false", "prefix_extractor=fixed:4");
    const rocksdb::Status known =
        rocksdb::Comparator::CreateFromString({}, "leveldb.BytewiseComparator.u64ts", &options.comparator);
    EXPECT_TRUE(known.ok()) << known.ToString();
    return options;
  };
  for (const bool has_one : {false, true}) {
    std::filesystem::remove_all(path());
    {
      const auto db = open_database(timed("filter_policy=nullptr"), path());
      for (const std::string key : {"a", has_one ? "long enough" : "b", "z"}) {
        ASSERT_TRUE(db->Put({}, key, std::string(8, '\1'), "value").ok());
      }
      ASSERT_TRUE(db->Flush({}).ok());
    }
    const auto db = open_database(timed("filter_policy=crivo.Bloom:10"), path());
    EXPECT_EQ(RefilterRocksDB(*db).files, has_one ? 1U : 0U);
    expect_as_written(*db);
  }
}

TEST_F(RocksdbRefilterNeed, UsesThePolicysLevelMultiplier) {
  write_database(many_files(nullptr), path(), kKeys);
  const auto db = open_database(many_files(policy_from_string("crivo.Auto:budget_bits_per_key:7")), path());
  ASSERT_TRUE(RefilterRocksDB(*db).status.ok());
  // RocksDB passes this option to the policy only when the database is opened again.
  ASSERT_TRUE(db->SetOptions({{"max_bytes_for_level_multiplier", "3"}}).ok());
  for (int call = 0; call < 3; ++call) expect_as_written(*db);
}

TEST_F(RocksdbRefilterNeed, AcceptsPartitionsWithoutPrefixes) {
  for (const char* const policy : {"crivo.Bloom:10", "crivo.Ribbon:9.3:-1", "crivo.Auto:10", "bloomfilter:10"}) {
    SCOPED_TRACE(policy);
    std::filesystem::remove_all(path());
    const auto db = open_database(
        options_from(kInPartitions + std::string(policy) + ";whole_key_filtering=false", "prefix_extractor=fixed:8"),
        path());
    for (int i = 0; i < 2000; ++i) ASSERT_TRUE(db->Put({}, "a" + std::to_string(i), "too short").ok());
    for (int i = 0; i < 2000; ++i) ASSERT_TRUE(db->Put({}, "b" + std::to_string(10'000'000 + i * 7), "value").ok());
    ASSERT_TRUE(db->Flush({}).ok());
    expect_as_written(*db);
  }
}

}  // namespace
}  // namespace crivo::testing

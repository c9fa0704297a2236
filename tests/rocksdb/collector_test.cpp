// The property "crivo.filter" of an SST file names the kind of the file's filter.
#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "crivo/host/sizing.h"
#include "report/filter_record.h"
#include "support.h"

namespace crivo::testing {
namespace {

const RocksDBFilterOptions kRibbonBelowFlushes{.bits_per_key = 10, .kind = Kind::kRibbon};

std::string property_of(const rocksdb::TableProperties& properties) {
  const auto found = properties.user_collected_properties.find("crivo.filter");
  return found != properties.user_collected_properties.end() ? found->second : "";
}

/// The kinds in the file at this path, from the trailers of its filter blocks.
std::string kinds_in(const std::string& path) {
  std::set<Kind> kinds;
  for (const Extent& block : filter_blocks(read_bytes(path))) kinds.insert(block.kind);
  std::string text;
  for (const Kind kind : kinds) text += std::string(text.empty() ? "" : "+") + std::string(kind_name(kind));
  return text;
}

/// The properties of the database's files by level. Compares each property with its file.
std::map<int, std::set<std::string>> properties_by_level(rocksdb::DB& db) {
  const auto properties = table_properties(db);
  const auto files = live_files(db);
  std::map<int, std::set<std::string>> found;
  for (const auto& file : files) {
    const std::string path = file.db_path + file.name;
    const std::string property = property_of(*properties.at(path));
    EXPECT_EQ(property, kinds_in(path)) << path;
    found[file.level].insert(property);
  }
  return found;
}

/// Full filters, or partitioned filters written by several threads.
class EveryTable : public ::testing::TestWithParam<bool> {
 protected:
  [[nodiscard]] static rocksdb::Options options() {
    rocksdb::Options options = test_options();
    const bool partitioned = GetParam();
    rocksdb::BlockBasedTableOptions table;
    if (partitioned) partition(table, 1024);
#if CRIVO_ROCKSDB_VERSION >= 906
    table.decouple_partitioned_filters = partitioned;  // otherwise every second partition is nearly empty
#endif
    options.compression = rocksdb::kSnappyCompression;
    if (partitioned) options.compression_opts.parallel_threads = 4;
    return with_table(options, table);
  }
};

INSTANTIATE_TEST_SUITE_P(Rocksdb, EveryTable, ::testing::Bool(),
                         [](const auto& param_info) { return param_info.param ? "PartitionedParallel" : "Full"; });

TEST_P(EveryTable, SaysItsFiltersKindAfterATrivialMove) {
  rocksdb::Options options = configured(kRibbonBelowFlushes, EveryTable::options());
  options.level_compaction_dynamic_level_bytes = false;
  const ScratchDatabase db(options);
  using Levels = std::map<int, std::set<std::string>>;
  put_keys(*db, 0, 3000);
  EXPECT_EQ(properties_by_level(*db), (Levels{{0, {"blocked"}}}));
  ASSERT_TRUE(db->CompactRange({}, nullptr, nullptr).ok());  // moves the file, as no level is below
  EXPECT_EQ(properties_by_level(*db), (Levels{{1, {"blocked"}}})) << "although the level is one of ribbons";
  rewrite_files(*db);
  EXPECT_EQ(properties_by_level(*db), (Levels{{1, {"ribbon"}}}));
  put_keys(*db, 3000, 6000);
  EXPECT_EQ(properties_by_level(*db), (Levels{{0, {"blocked"}}, {1, {"ribbon"}}}));
  expect_filters_at_work(*db, options, 6000, "crivo.Ribbon");
}

TEST_P(EveryTable, SaysNothingOfFiltersThatAreNotOurs) {
  rocksdb::Options options = configured({.bits_per_key = 10, .kind = Kind::kBlocked}, EveryTable::options());
  const auto use = [&](const Policy& policy) {
    rocksdb::BlockBasedTableOptions table = *options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    table.filter_policy = policy;
    return with_table(options, table);
  };
  ScratchDatabase db(options);
  put_keys(*db, 0, 3000);
  db.reopen(use(builtin_bloom()));
  put_keys(*db, 3000, 6000);
  db.reopen(use(nullptr));
  put_keys(*db, 6000, 9000);
  db.reopen(options);
  EXPECT_EQ(properties_by_level(*db)[0], (std::set<std::string>{"", "blocked"}));

  options.optimize_filters_for_hits = true;  // the last level has no filters
  const auto hits = open_database(options, db.path() + "/hits");
  put_keys(*hits, 0, 3000);
  rewrite_files(*hits);
  EXPECT_EQ(properties_by_level(*hits).rbegin()->second, (std::set<std::string>{""}));
}

double number(const rocksdb::UserCollectedProperties& properties, const std::string& name) {
  const std::string& text = properties.at(name);
  double value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_TRUE(error == std::errc() && end == text.data() + text.size()) << name << " is " << text;
  return value;
}

/// The fraction of absent keys that pass the filters of this file, which has the keys 0 to keys - 1.
double measured_rate(const std::string& path, const Policy& policy, std::uint64_t keys) {
  const std::string file = read_bytes(path);
  const std::uint64_t questions = 200000 / filter_blocks(file).size();
  double passed = 0;
  for (const Extent& block : filter_blocks(file)) {
    const auto reader = new_reader(*policy, {file.data() + block.offset, block.size});
    for (std::uint64_t i = 0; i < questions; ++i) passed += reader->MayMatch(key_of(keys + i));
  }
  return passed / static_cast<double>(questions) / static_cast<double>(filter_blocks(file).size());
}

TEST_P(EveryTable, SaysHowLargeItsFiltersAreAndHowGood) {
  constexpr std::uint64_t kKeys = 20000;
  for (const bool ribbon : {false, true}) {
    const Kind kind = ribbon ? Kind::kRibbon : Kind::kBlocked;
    RocksDBFilterOptions filter{.fp_rate = 0.02, .kind = kind};
    if (ribbon) filter.bloom_before_level = -1;
    const ScratchDatabase db(configured(filter, EveryTable::options()));
    put_keys(*db, 0, kKeys);
    const auto files = table_properties(*db);
    const auto& [path, all] = *files.begin();
    const auto& properties = all->user_collected_properties;
    const std::vector<Extent> blocks = filter_blocks(read_bytes(path));
    ASSERT_EQ(blocks.size() > 1, GetParam());
    double bytes = 0;
    for (const Extent& block : blocks) bytes += static_cast<double>(block.size);
    EXPECT_EQ(number(properties, "crivo.filter.blocks"), blocks.size());
    EXPECT_EQ(number(properties, "crivo.filter.keys"), kKeys);
    EXPECT_EQ(number(properties, "crivo.filter.bytes"), bytes);
    const double rate = number(properties, "crivo.filter.predicted_fp_rate");
    EXPECT_LE(rate, 0.021);
    EXPECT_NEAR(measured_rate(path, crivo_bloom(), kKeys) / rate, 1, 0.1);
    const std::string line = "crivo.filter (" + std::string(kind_name(kind)) + ", blocks " +
                             std::to_string(blocks.size()) + ", keys 20000, bytes " +
                             properties.at("crivo.filter.bytes") + ", predicted_fp_rate " +
                             properties.at("crivo.filter.predicted_fp_rate") + ")";
    EXPECT_EQ(properties.count(line), 1U) << line;
  }
}

TEST(FilterRecord, WeighsTheRatesOfPartitionsByTheirKeys) {
  FilterRecord record;
  const Shape blocked{.kind = Kind::kBlocked, .k = 6, .units = 20};
  const Shape ribbon{.kind = Kind::kRibbon, .k = 7, .units = 100};
  const double of_blocked = blocked_fp_rate(20, 1000, 6);
  record.add({.shape = blocked, .keys = 1000, .bytes = 1312, .predicted_fp_rate = 0});
  EXPECT_DOUBLE_EQ(record.read().predicted_fp_rate(), of_blocked);
  record.add({.shape = blocked, .keys = 1000, .bytes = 1312, .predicted_fp_rate = 0});
  EXPECT_DOUBLE_EQ(record.read().predicted_fp_rate(), of_blocked);
  record.add({.shape = ribbon, .keys = 3000, .bytes = 3000, .predicted_fp_rate = 0.01});
  EXPECT_DOUBLE_EQ(record.read().predicted_fp_rate(), (2000 * of_blocked + 3000 * 0.01) / 5000);
  Shape other_probes = blocked;
  other_probes.k = 3;
  record.add({.shape = other_probes, .keys = 500, .bytes = 1312, .predicted_fp_rate = 0});
  EXPECT_DOUBLE_EQ(record.read().predicted_fp_rate(),
                   (2000 * of_blocked + 3000 * 0.01 + 500 * blocked_fp_rate(20, 500, 3)) / 5500);
  record.add_always_maybe(5500, 6);
  EXPECT_NEAR(record.read().predicted_fp_rate(),
              0.5 + (2000 * of_blocked + 30 + 500 * blocked_fp_rate(20, 500, 3)) / 11000, 1e-12);
  EXPECT_EQ(record.read().blocks(), 5U);
  EXPECT_EQ(record.read().keys(), 11000U);
  EXPECT_EQ(record.read().bytes(), 3 * 1312U + 3000 + 6);
}

std::string write_sst(rocksdb::SstFileWriter& writer, const std::string& path, std::uint64_t count = 1000) {
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < count; ++i) keys.push_back(key_of(i));
  std::sort(keys.begin(), keys.end());
  for (const auto& key : keys) EXPECT_TRUE(writer.Put(key, key).ok());
  EXPECT_TRUE(writer.Finish().ok());
  rocksdb::SstFileReader reader{rocksdb::Options()};
  EXPECT_TRUE(reader.Open(path).ok());
  std::string property = property_of(*reader.GetTableProperties());
  EXPECT_EQ(property, kinds_in(path)) << path;
  return property;
}

TEST(RocksdbCollector, SaysThatPartitionsAreOfBothKinds) {
  // crivo.Auto writes ribbons into this file, except for a last partition that is too small for a ribbon.
  const TempFolder folder;
  rocksdb::BlockBasedTableOptions table;
  partition(table, 2048);
  const rocksdb::Options options = configured({.bits_per_key = 10}, with_table(test_options(), table));
  std::set<std::string> seen;
  for (std::uint64_t keys = 1500; keys < 4000 && seen.count("blocked+ribbon") == 0; keys += 25) {
    rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
    ASSERT_TRUE(writer.Open(folder.file("file.sst")).ok());
    seen.insert(write_sst(writer, folder.file("file.sst"), keys));
  }
  EXPECT_EQ(seen.count("blocked+ribbon"), 1U);
  EXPECT_EQ(seen.count("ribbon"), 1U) << "the control: not every file has both";
}

TEST(RocksdbCollector, TellsFilesApartThatOneThreadWritesByTurns) {
  const TempFolder folder;
  const rocksdb::Options ribbon = configured(kRibbonBelowFlushes);
  const rocksdb::Options bloom = configured({.bits_per_key = 10, .kind = Kind::kBlocked});
  const rocksdb::Options none = [&] {
    rocksdb::Options options = with_policy(test_options(), nullptr);
    options.table_properties_collector_factories.push_back(NewRocksDBFilterCollectorFactory());
    return options;
  }();
  rocksdb::SstFileWriter first(rocksdb::EnvOptions(), ribbon);
  rocksdb::SstFileWriter second(rocksdb::EnvOptions(), bloom);
  rocksdb::SstFileWriter third(rocksdb::EnvOptions(), none);
  ASSERT_TRUE(first.Open(folder.file("first.sst")).ok());
  ASSERT_TRUE(second.Open(folder.file("second.sst")).ok());
  ASSERT_TRUE(third.Open(folder.file("third.sst")).ok());
  EXPECT_EQ(write_sst(second, folder.file("second.sst")), "blocked");
  EXPECT_EQ(write_sst(third, folder.file("third.sst")), "");
  EXPECT_EQ(write_sst(first, folder.file("first.sst")), "ribbon") << "ingested files count as the last level";
}

TEST(RocksdbCollector, TakesNoRecordThatAnotherFileLeft) {
  const TempFolder folder;
  rocksdb::Options alone = configured({.bits_per_key = 10, .kind = Kind::kBlocked});
  const auto collectors = std::exchange(alone.table_properties_collector_factories, {});
  rocksdb::Options none = with_policy(test_options(), nullptr);
  none.table_properties_collector_factories = collectors;
  rocksdb::SstFileWriter alive(rocksdb::EnvOptions(), alone);
  ASSERT_TRUE(alive.Open(folder.file("alive.sst")).ok());
  ASSERT_TRUE(alive.Put("key", "").ok());
  ASSERT_TRUE(alive.Finish().ok());
  rocksdb::SstFileWriter after_alive(rocksdb::EnvOptions(), none);
  ASSERT_TRUE(after_alive.Open(folder.file("after_alive.sst")).ok());
  EXPECT_EQ(write_sst(after_alive, folder.file("after_alive.sst")), "");
  {
    rocksdb::SstFileWriter gone(rocksdb::EnvOptions(), alone);
    ASSERT_TRUE(gone.Open(folder.file("gone.sst")).ok());
    ASSERT_TRUE(gone.Put("key", "").ok());
  }
  rocksdb::SstFileWriter after_gone(rocksdb::EnvOptions(), none);
  ASSERT_TRUE(after_gone.Open(folder.file("after_gone.sst")).ok());
  EXPECT_EQ(write_sst(after_gone, folder.file("after_gone.sst")), "");
}

TEST(RocksdbCollector, ComesBackFromTheOptionsFile) {
  ScratchDatabase db(configured(kRibbonBelowFlushes));
  put_keys(*db, 0, 1000);
  db.reopen(loaded_options(db.path()));
  put_keys(*db, 1000, 2000);
  ASSERT_EQ(sst_files(db.path()).size(), 2U);
  EXPECT_EQ(properties_by_level(*db)[0], (std::set<std::string>{"blocked"}));
}

TEST(RocksdbConfigure, KeepsWhatElseIsSet) {
  rocksdb::BlockBasedTableOptions table;
  table.block_size = 12345;
  const rocksdb::Options before = with_table(test_options(), table);
  rocksdb::Options after = before;
  ASSERT_TRUE(ConfigureRocksDB(after, {.fp_rate = 0.02, .kind = Kind::kBlocked}).ok());
  ASSERT_TRUE(ConfigureRocksDB(after, {.fp_rate = 0.01, .kind = Kind::kBlocked}).ok());
  const auto* set = after.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  EXPECT_EQ(set->block_size, 12345U);
  EXPECT_EQ(set->filter_policy->GetId(), "crivo.Bloom:fp_rate:0.01");
  EXPECT_EQ(after.table_properties_collector_factories.size(), 1U) << "one collector is enough";
  EXPECT_EQ(after.listeners.size(), 1U);
  EXPECT_EQ(before.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()->filter_policy, nullptr)
      << "the factory that was shared stays as it was";
}

TEST(RocksdbCollector, SaysWhereNoFilterCouldBeBuilt) {
  ASSERT_TRUE(RegisterKeyTransform("collector_test.throws", [](const rocksdb::Slice&, std::string*) -> rocksdb::Slice {
                throw std::runtime_error("no canonical key");
              }).ok());
  const ScratchDatabase db(configured({.key_transform = "collector_test.throws"}));
  put_keys(*db, 0, 100);
  const auto files = table_properties(*db);
  EXPECT_EQ(property_of(*files.begin()->second), "always_maybe") << "the same word as in VerifyRocksDBFilters";
}

// If no key has a prefix, the builder still finishes a block for each partition, but RocksDB writes none of them.
TEST(RocksdbCollector, SaysNothingWhereNoKeyIsForTheFilter) {
  rocksdb::BlockBasedTableOptions table;
  partition(table, 512);
  table.block_size = 512;
  table.whole_key_filtering = false;
  rocksdb::Options options = configured({.bits_per_key = 10}, with_table(test_options(), table));
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(100));
  const ScratchDatabase db(options);
  put_keys(*db, 0, 3000);
  const auto files = table_properties(*db);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files.begin()->second->num_filter_entries, 0U);
  for (const auto& [name, value] : files.begin()->second->user_collected_properties) {
    EXPECT_FALSE(name.starts_with("crivo.")) << name;
  }
}

TEST(FilterRecord, IsTakenOnceAndBeforeItsFirstBlock) {
  auto record = publish_record("", "");
  EXPECT_EQ(claim_record(), record);
  EXPECT_EQ(claim_record(), nullptr);
  for (const bool filters : {true, false}) {
    record = publish_record("", "");
    if (filters) record->add({.shape = {}, .keys = 1, .bytes = 96, .predicted_fp_rate = 0});
    if (!filters) record->add_always_maybe(1, 6);
    EXPECT_EQ(claim_record(), nullptr) << "it is of a file that has a block already";
  }
  (void)publish_record("", "");
  EXPECT_EQ(claim_record(), nullptr) << "its builder is gone";
}

TEST(RocksdbConfigure, RefusesWhatIsWrongAndChangesNothing) {
  rocksdb::Options options = test_options();
  const auto factory = options.table_factory;
  EXPECT_THAT(ConfigureRocksDB(options, {.bits_per_key = -1, .kind = Kind::kBlocked}).ToString(),
              HasSubstr("crivo.Bloom: bits_per_key must be in [0, 1000], got -1"));
  EXPECT_EQ(options.table_factory, factory);
  EXPECT_TRUE(options.table_properties_collector_factories.empty());
  EXPECT_TRUE(options.listeners.empty());
  options.table_factory.reset(rocksdb::NewPlainTableFactory());
  EXPECT_THAT(ConfigureRocksDB(options).ToString(),
              HasSubstr("crivo: table_factory must be BlockBasedTable, got PlainTable"));
  options.table_factory = nullptr;
  EXPECT_THAT(ConfigureRocksDB(options).ToString(), HasSubstr("got nothing"));
}

}  // namespace
}  // namespace crivo::testing

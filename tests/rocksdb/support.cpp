#include "support.h"

#include <rocksdb/convenience.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <span>

#include "crivo/host/sst_block.h"
#include "split_mix.h"

namespace crivo::testing {

std::string key_of(std::uint64_t number) {
  std::array<char, 17> text;
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(mix_bits(number)));
  return text.data();
}

Policy crivo_bloom(double bits_per_key) {
  return NewRocksDBFilterPolicy({.bits_per_key = bits_per_key, .kind = Kind::kBlocked});
}
Policy crivo_ribbon(double bits_per_key) {
  return NewRocksDBFilterPolicy({.bits_per_key = bits_per_key, .kind = Kind::kRibbon, .bloom_before_level = -1});
}
Policy crivo_auto(double bits_per_key) { return NewRocksDBFilterPolicy({.bits_per_key = bits_per_key}); }
Policy builtin_bloom(double bits_per_key) { return Policy(rocksdb::NewBloomFilterPolicy(bits_per_key)); }
Policy builtin_ribbon(double bits_per_key) { return Policy(rocksdb::NewRibbonFilterPolicy(bits_per_key, -1)); }

Policy policy_from_string(const std::string& text) {
  Policy policy;
  const rocksdb::Status made = rocksdb::FilterPolicy::CreateFromString({}, text, &policy);
  if (!made.ok() || policy == nullptr) throw std::runtime_error(text + ": " + made.ToString());
  return policy;
}

rocksdb::BlockBasedTableOptions table_from_string(const std::string& text) {
  rocksdb::BlockBasedTableOptions table;
  const rocksdb::Status made = rocksdb::GetBlockBasedTableOptionsFromString({}, {}, text, &table);
  if (!made.ok()) throw std::runtime_error(text + ": " + made.ToString());
  return table;
}

void PrintTo(const PolicyMaker& policy, std::ostream* out) { *out << policy.label; }
std::vector<PolicyMaker> our_policies() {
  return {{"Bloom", "crivo.Bloom", crivo_bloom},
          {"Ribbon", "crivo.Ribbon", crivo_ribbon},
          {"Auto", "crivo.Auto", crivo_auto}};
}
std::vector<PolicyMaker> builtin_policies() {
  return {{"BuiltinBloom", "bloomfilter", builtin_bloom}, {"BuiltinRibbon", "ribbonfilter", builtin_ribbon}};
}

rocksdb::Options test_options() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.statistics = rocksdb::CreateDBStatistics();
  options.disable_auto_compactions = true;
  options.max_background_jobs = 2;
  return options;
}

rocksdb::Options with_table(rocksdb::Options options, const rocksdb::BlockBasedTableOptions& table) {
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

rocksdb::Options with_policy(rocksdb::Options options, const Policy& policy) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = policy;
  return with_table(std::move(options), table);
}

void partition(rocksdb::BlockBasedTableOptions& table, std::size_t bytes) {
  table.partition_filters = true;
  table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.metadata_block_size = bytes;
}

rocksdb::Options configured(const RocksDBFilterOptions& filter, rocksdb::Options options) {
  const rocksdb::Status status = ConfigureRocksDB(options, filter);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return options;
}

std::unique_ptr<rocksdb::DB> open_database(const rocksdb::Options& options, const std::string& path,
                                           const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                                           std::vector<rocksdb::ColumnFamilyHandle*>* handles) {
  std::unique_ptr<rocksdb::DB> db;
  const rocksdb::Status status = open_into(&db, [&](auto* out) {
    return handles == nullptr ? rocksdb::DB::Open(options, path, out)
                              : rocksdb::DB::Open(options, path, families, handles, out);
  });
  if (!status.ok()) throw std::runtime_error("DB::Open: " + status.ToString());
  return db;
}

rocksdb::Status try_to_open(const rocksdb::Options& options) {
  const TempFolder folder;
  std::unique_ptr<rocksdb::DB> db;
  return open_into(&db, [&](auto* out) { return rocksdb::DB::Open(options, folder.path(), out); });
}

Family create_family(rocksdb::DB& db, const rocksdb::ColumnFamilyOptions& options, const std::string& name) {
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  EXPECT_TRUE(db.CreateColumnFamily(options, name, &handle).ok());
  return {handle, [&db](auto* gone) { EXPECT_TRUE(db.DestroyColumnFamilyHandle(gone).ok()); }};
}

void put_keys(rocksdb::DB& db, std::uint64_t begin, std::uint64_t end, rocksdb::ColumnFamilyHandle* family) {
  if (family == nullptr) family = db.DefaultColumnFamily();
  for (std::uint64_t i = begin; i < end; ++i) ASSERT_TRUE(db.Put({}, family, key_of(i), key_of(i)).ok());
  ASSERT_TRUE(db.Flush({}, family).ok());
}

std::uint64_t count_not_found(rocksdb::DB& db, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t missing = 0;
  std::string value;
  for (std::uint64_t i = begin; i < end; ++i) missing += db.Get({}, key_of(i), &value).IsNotFound();
  return missing;
}

std::uint64_t count_not_found_by_multiget(rocksdb::DB& db, std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kBatch = 40;
  std::uint64_t missing = 0;
  for (std::uint64_t first = begin; first < end; first += kBatch) {
    const std::size_t count = std::min(kBatch, end - first);
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < count; ++i) keys.push_back(key_of(first + i));
    const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> values(count);
    std::vector<rocksdb::Status> statuses(count);
    db.MultiGet({}, db.DefaultColumnFamily(), count, slices.data(), values.data(), statuses.data());
    for (const auto& status : statuses) missing += status.IsNotFound();
  }
  return missing;
}

rocksdb::TablePropertiesCollection table_properties(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family) {
  rocksdb::TablePropertiesCollection files;
  EXPECT_TRUE(db.GetPropertiesOfAllTables(family != nullptr ? family : db.DefaultColumnFamily(), &files).ok());
  return files;
}

std::uint64_t filter_bytes(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family) {
  std::uint64_t bytes = 0;
  for (const auto& [path, properties] : table_properties(db, family)) bytes += properties->filter_size;
  return bytes;
}

std::vector<rocksdb::LiveFileMetaData> live_files(rocksdb::DB& db) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db.GetLiveFilesMetaData(&files);
  return files;
}

void rewrite_files(rocksdb::DB& db, int path_id) {
  rocksdb::CompactRangeOptions everything;
  everything.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  if (path_id >= 0) everything.target_path_id = static_cast<std::uint32_t>(path_id);
  ASSERT_TRUE(db.CompactRange(everything, nullptr, nullptr).ok());
}

rocksdb::Options loaded_options(const std::string& path) {
  rocksdb::DBOptions database;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  const auto loaded = rocksdb::LoadLatestOptions(rocksdb::ConfigOptions(), path, &database, &families);
  if (!loaded.ok()) throw std::runtime_error(path + ": " + loaded.ToString());
  return {database, families.at(0).options};
}

std::uint64_t filter_useful(const rocksdb::Options& options) {
  return options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
}

void expect_filters_at_work(rocksdb::DB& db, const rocksdb::Options& options, std::uint64_t keys,
                            const std::string& name) {
  const auto files = table_properties(db);
  ASSERT_FALSE(files.empty());
  for (const auto& [path, properties] : files) {
    EXPECT_EQ(properties->filter_policy_name, name) << path;
    EXPECT_GT(properties->num_filter_entries, 0U) << path;
    EXPECT_GT(properties->filter_size, 0U) << path;
  }
  EXPECT_EQ(count_not_found(db, 0, keys), 0U);
  const std::uint64_t before = filter_useful(options);
  EXPECT_EQ(count_not_found(db, keys, keys + 1000), 1000U);
  EXPECT_GT(filter_useful(options),
            before + 900);  // 100 would be a rate of 10%: these filters have 5 bits per key or more
}

std::vector<Extent> filter_blocks(const std::string& file) {
  std::vector<Extent> found;
  const auto bytes = std::as_bytes(std::span(file));
  const auto at = [&](std::size_t i) { return std::to_integer<std::uint64_t>(bytes[i]); };
  for (std::size_t trailer = 8; trailer + kSstTrailerBytes <= file.size(); ++trailer) {
    if (at(trailer + 27) != 0xbd || at(trailer + 22) != 1) continue;
    const auto kind = static_cast<Kind>(at(trailer + 23));
    const std::size_t units = at(trailer + 16) | at(trailer + 17) << 8 | at(trailer + 18) << 16;
    const std::size_t payload = units * (kind == Kind::kRibbon ? 8 : 64);
    const std::size_t tail = sst_tail_bytes(at(trailer + 30));
    const std::size_t size = payload + tail;
    const std::size_t end = trailer + kSstTrailerBytes;
    if (payload == 0 || size > end) continue;
    const auto block = bytes.subspan(end - size, size);
    if (open_sst_block(block, sst_key_transform(block))) found.push_back({end - size, size, kind});
  }
  return found;
}

void damage_filters(const std::string& path) {
  std::string file = read_bytes(path);
  for (const Extent& block : filter_blocks(file)) file[block.offset] = static_cast<char>(file[block.offset] ^ 1);
  write_bytes(path, file);
}

std::unique_ptr<abi::FilterBitsBuilder> new_builder(const rocksdb::FilterPolicy& policy,
                                                    const rocksdb::BlockBasedTableOptions& table) {
  return new_builder(policy, rocksdb::FilterBuildingContext(table));
}

std::unique_ptr<abi::FilterBitsBuilder> new_builder(const rocksdb::FilterPolicy& policy,
                                                    const rocksdb::FilterBuildingContext& context) {
  return std::unique_ptr<abi::FilterBitsBuilder>(
      reinterpret_cast<abi::FilterBitsBuilder*>(policy.GetBuilderWithContext(context)));
}

std::unique_ptr<abi::FilterBitsBuilder> new_builder(const rocksdb::FilterPolicy& policy, rocksdb::Logger* log) {
  const rocksdb::BlockBasedTableOptions table;
  rocksdb::FilterBuildingContext context(table);
  context.info_log = log;
  return new_builder(policy, context);
}

std::unique_ptr<abi::FilterBitsReader> new_reader(const rocksdb::FilterPolicy& policy, const rocksdb::Slice& contents) {
  return std::unique_ptr<abi::FilterBitsReader>(
      reinterpret_cast<abi::FilterBitsReader*>(policy.GetFilterBitsReader(contents)));
}

std::string finish(abi::FilterBitsBuilder& builder) {
  std::unique_ptr<const char[]> buffer;
  rocksdb::Status status;
  const rocksdb::Slice content = builder.Finish(&buffer, &status);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return content.ToString();
}

std::string build_block(abi::FilterBitsBuilder& builder, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t i = begin; i < end; ++i) builder.AddKey(key_of(i));
  return finish(builder);
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::vector<std::string> sst_files(const std::string& path) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() == ".sst") files.push_back(entry.path().string());
  }
  return files;
}

}  // namespace crivo::testing

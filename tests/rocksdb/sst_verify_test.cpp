// What the tool reads about filters in an SST file of any policy, also if it is damaged.
#include <rocksdb/comparator.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <rocksdb/slice_transform.h>

#include <cmath>
#include <random>

#include "crivo/rocksdb_verify.h"
#include "sst/file_filters.h"
#include "sst/filter_layout.h"
#include "sst/table_file.h"
#include "support.h"

namespace crivo::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kKeys = 3000;

struct Written {
  PolicyMaker policy;
  rocksdb::ChecksumType checksum;
  std::uint32_t format_version;
  bool partitioned;
};

void PrintTo(const Written& written, std::ostream* out) { *out << written.policy.label; }

rocksdb::BlockBasedTableOptions table_of(const Policy& policy, bool partitioned) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = policy;
  table.partition_filters = partitioned;
  table.metadata_block_size = 1024;
#if CRIVO_ROCKSDB_VERSION >= 906
  table.decouple_partitioned_filters = true;  // all partitions except the last are full
#endif
  if (partitioned) table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  return table;
}

std::string kind_of(const Written& written) {
  if (written.policy.label == "Ribbon") return "ribbon";
  if (!written.policy.label.starts_with("Builtin")) return "blocked";  // crivo.Auto flushes blocked filters
  if (written.policy.label == "BuiltinRibbon") return "rocksdb.ribbon";
  return written.format_version < 5 ? "rocksdb.legacy_bloom" : "rocksdb.bloom";
}

/// The fraction of absent keys that pass the filters of this database.
double measured_rate(rocksdb::DB& db, const rocksdb::Options& options, std::uint64_t keys) {
  constexpr std::uint64_t kAbsent = 10000;
  const std::uint64_t before = filter_useful(options);
  EXPECT_EQ(count_not_found(db, keys, keys + kAbsent), kAbsent);
  return 1 - static_cast<double>(filter_useful(options) - before) / static_cast<double>(kAbsent);
}

class DescribedFile : public ::testing::TestWithParam<Written> {};

TEST_P(DescribedFile, TellsWhichFilterItHas) {
  const Written& written = GetParam();
  rocksdb::BlockBasedTableOptions table = table_of(written.policy.make(8), written.partitioned);
  table.checksum = written.checksum;
  table.format_version = written.format_version;
  const auto options = with_table(test_options(), table);
  const ScratchDatabase db(options);
  put_keys(*db, 0, kKeys);

  const RocksDBFilterReport report = VerifyRocksDBFilters(*db);
  ASSERT_TRUE(report.status.ok()) << report.status.ToString();
  ASSERT_EQ(report.files.size(), 1U);
  const RocksDBFileFilter& file = report.files[0];
  EXPECT_THAT(file.complaint, IsEmpty());
  EXPECT_TRUE(report.all_filters_work());
  EXPECT_EQ(file.kind, kind_of(written));
  EXPECT_EQ(file.policy, written.policy.name);
  EXPECT_EQ(file.level, 0);
  EXPECT_EQ(file.column_family, "default");
  EXPECT_TRUE(fs::equivalent(file.path, sst_files(db.path())[0]));
  EXPECT_EQ(file.file_bytes, fs::file_size(file.path));
  EXPECT_EQ(file.entries, kKeys);
  EXPECT_EQ(file.keys, kKeys);
  EXPECT_EQ(file.partitioned, written.partitioned);
  EXPECT_EQ(file.blocks > 1, written.partitioned);
  EXPECT_EQ(file.damaged, 0U);

  const auto properties = table_properties(*db);
  const std::uint64_t size = properties.begin()->second->filter_size;  // includes the index of the partitions
  EXPECT_LE(file.bytes, size);
  EXPECT_GE(file.bytes, written.partitioned ? size * 9 / 10 : size);
  EXPECT_DOUBLE_EQ(file.bits_per_key, 8.0 * static_cast<double>(file.bytes) / kKeys);
  const double measured = measured_rate(*db, options, kKeys);
  const double deviation = std::sqrt(file.current_fp_rate / 10000);
  EXPECT_NEAR(measured, file.current_fp_rate, 5 * deviation + 0.1 * file.current_fp_rate);
}

/// The format versions except 5, which the files of every policy have. Two tests with the same name would end the
/// program at its start.
std::vector<std::uint32_t> other_versions() {
  std::vector<std::uint32_t> versions = {2, 3, 4};
  if (ROCKSDB_MAJOR >= 9) versions.push_back(6);
  return versions;
}

/// Every policy; and for one policy, every checksum and every format version, which are the same for all policies.
std::vector<Written> every_file() {
  std::vector<PolicyMaker> policies = our_policies();
  for (const PolicyMaker& policy : builtin_policies()) policies.push_back(policy);
  std::vector<Written> all;
  for (const PolicyMaker& policy : policies) {
    for (const bool partitioned : {false, true}) all.push_back({policy, rocksdb::kXXH3, 5, partitioned});
  }
  for (const auto checksum : {rocksdb::kNoChecksum, rocksdb::kCRC32c, rocksdb::kxxHash, rocksdb::kxxHash64}) {
    all.push_back({policies.front(), checksum, 5, true});
  }
  for (const std::uint32_t version : other_versions()) {
    all.push_back({builtin_policies().front(), rocksdb::kXXH3, version, true});
  }
  return all;
}

std::string written_name(const ::testing::TestParamInfo<Written>& file) {
  const Written& written = file.param;
  return written.policy.label + (written.partitioned ? "Partitioned" : "Full") + "Checksum" +
         std::to_string(written.checksum) + "Version" + std::to_string(written.format_version);
}

INSTANTIATE_TEST_SUITE_P(Rocksdb, DescribedFile, ::testing::ValuesIn(every_file()), written_name);

/// Writes a database with this table, closes it, and returns the path of its only file.
std::string write_file(const TempFolder& folder, const rocksdb::BlockBasedTableOptions& table) {
  const auto db = open_database(with_table(test_options(), table), folder.path());
  put_keys(*db, 0, kKeys);
  return sst_files(folder.path()).at(0);
}

sst::FileFilters read(const std::string& path) { return sst::read_filters(*rocksdb::FileSystem::Default(), path); }

std::vector<sst::FilterBlock> sound_blocks(const std::string& path) {
  const sst::FileFilters filters = read(path);
  EXPECT_TRUE(filters.status.ok()) << filters.status.ToString();
  EXPECT_EQ(filters.complaint(), "");
  return filters.blocks;
}

class DamagedFilter : public ::testing::TestWithParam<std::tuple<PolicyMaker, bool, bool>> {};

TEST_P(DamagedFilter, IsSeenWhereverAByteIsWrong) {
  const auto [policy, checksums, partitioned] = GetParam();
  rocksdb::BlockBasedTableOptions table = table_of(policy.make(10), partitioned);
  table.checksum = checksums ? rocksdb::kXXH3 : rocksdb::kNoChecksum;
  const TempFolder folder;
  const std::string path = write_file(folder, table);
  const std::string sound = read_bytes(path);
  const auto blocks = sound_blocks(path);
  ASSERT_EQ(blocks.size() > 1, partitioned);
  const sst::FilterBlock& block = blocks[blocks.size() / 2];
  for (const std::size_t at : {std::size_t{0}, block.facts.bytes / 2, block.facts.bytes - 30, block.facts.bytes - 2}) {
    std::string damaged = sound;
    damaged[block.offset + at] = static_cast<char>(damaged[block.offset + at] ^ 0x10);
    write_bytes(path, damaged);
    const sst::FileFilters filters = read(path);
    EXPECT_EQ(filters.damaged(), 1U) << "byte " << at;
    EXPECT_THAT(filters.complaint(), HasSubstr("1 of " + std::to_string(blocks.size()) + " filter blocks damaged"));
    EXPECT_EQ(filters.blocks[blocks.size() / 2].facts.current_fp_rate, 1);
    EXPECT_GE(filters.current_fp_rate(), 0.5 / static_cast<double>(blocks.size()));
  }
}

std::vector<std::tuple<PolicyMaker, bool, bool>> checked_files() {
  std::vector<std::tuple<PolicyMaker, bool, bool>> all;
  for (const bool partitioned : {false, true}) {
    for (const PolicyMaker& policy : our_policies()) {
      all.emplace_back(policy, true, partitioned);
      all.emplace_back(policy, false, partitioned);
    }
    for (const PolicyMaker& policy : builtin_policies()) all.emplace_back(policy, true, partitioned);
  }
  return all;
}

std::string damaged_name(const ::testing::TestParamInfo<std::tuple<PolicyMaker, bool, bool>>& file) {
  const auto [policy, checksums, partitioned] = file.param;
  return policy.label + (checksums ? "Checksums" : "NoChecksums") + (partitioned ? "Partitioned" : "Full");
}

INSTANTIATE_TEST_SUITE_P(Rocksdb, DamagedFilter, ::testing::ValuesIn(checked_files()), damaged_name);

TEST(SstFile, OfAnotherLengthIsRefused) {
  for (const bool partitioned : {false, true}) {
    const TempFolder folder;
    const std::string path = write_file(folder, table_of(crivo_bloom(), partitioned));
    const std::uint64_t whole = fs::file_size(path);
    for (std::uint64_t size = whole - 1; size > 0;
         size -= size < 100 || size + 1000 > whole ? 1 : std::min(size, 1009UL)) {
      fs::resize_file(path, size);
      EXPECT_FALSE(read(path).status.ok()) << size << " of " << whole << " bytes";
    }
  }
}

// The end of a file locates the filters. Noise there must neither crash the reader nor allocate unbounded memory.
TEST(SstFile, OfNoiseIsReadSafely) {
  std::mt19937_64 random(7);
  for (const auto checksum : {rocksdb::kXXH3, rocksdb::kNoChecksum}) {
    const TempFolder folder;
    rocksdb::BlockBasedTableOptions table = table_of(builtin_ribbon(), true);
    table.checksum = checksum;
    const std::string path = write_file(folder, table);
    const std::string sound = read_bytes(path);
    const auto blocks = sound_blocks(path);
    const std::size_t tail = sound.size() - (blocks.back().offset + blocks.back().facts.bytes);
    std::uint64_t complaints = 0;
    for (int round = 0; round < 300; ++round) {
      std::string damaged = sound;
      for (std::uint64_t i = random() % 8 + 1; i > 0; --i) {
        damaged[damaged.size() - 1 - random() % tail] = static_cast<char>(random());
      }
      write_bytes(path, damaged);
      const sst::FileFilters filters = read(path);
      complaints += !filters.complaint().empty();
      for (const sst::FilterBlock& block : filters.blocks) ASSERT_LE(block.facts.bytes, std::uint64_t{1} << 32);
    }
    EXPECT_GT(complaints, checksum == rocksdb::kXXH3 ? 200U : 20U);
  }
}

TEST(SstFile, OfAnotherKindIsNamed) {
  const TempFolder folder;
  const std::string path = folder.file("file with a blank.sst");
  EXPECT_TRUE(read(path).status.IsNotFound() || read(path).status.IsPathNotFound()) << read(path).status.ToString();
  write_bytes(path, std::string(1000, 'x'));
  EXPECT_TRUE(read(path).status.IsCorruption());
  EXPECT_THAT(read(path).complaint(), HasSubstr("must end in an SST footer"));
  EXPECT_FALSE(read(folder.path()).status.ok()) << "a folder";
  rocksdb::Options options = test_options();
  options.allow_mmap_reads = true;
  options.table_factory.reset(rocksdb::NewPlainTableFactory());
  options.prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(4));
  const auto db = open_database(options, folder.file("plain"));
  put_keys(*db, 0, 10);
  const RocksDBFilterReport report = VerifyRocksDBFilters(*db);
  ASSERT_EQ(report.files.size(), 1U);
  EXPECT_TRUE(report.status.IsNotSupported()) << report.status.ToString();
  EXPECT_THAT(report.files[0].complaint, HasSubstr("must be BlockBasedTable"));
}

// If keys are dense, the index stores each partition's last key in full.
TEST(FilterLayout, SendsEachKeyToThePartitionThatHasIt) {
  constexpr std::uint64_t kMany = 5000;
  const auto dense_key = [](std::uint64_t i) { return std::to_string(100'000'000'000 + i); };
  for (const auto* const order : {rocksdb::BytewiseComparator(), rocksdb::ReverseBytewiseComparator()}) {
    SCOPED_TRACE(order->Name());
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy = crivo_bloom(30);
    partition(table, 256);
    rocksdb::Options options = with_table(test_options(), table);
    options.comparator = order;
    const ScratchDatabase db(options);
    for (std::uint64_t i = 0; i < kMany; ++i) ASSERT_TRUE(db->Put({}, dense_key(i), "value").ok());
    ASSERT_TRUE(db->Flush({}).ok());
    sst::TableFile file;
    ASSERT_TRUE(file.open(*rocksdb::FileSystem::Default(), sst::path_of(live_files(*db).at(0))).ok());
    sst::FilterLayout layout;
    ASSERT_TRUE(layout.find(file).ok());
    ASSERT_GT(layout.parts().size(), 5U);
    std::vector<sst::Block> blocks(layout.parts().size());  // the readers refer to these blocks
    std::vector<std::unique_ptr<abi::FilterBitsReader>> readers;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      ASSERT_TRUE(file.read(layout.parts()[i].handle, &blocks[i]).ok());
      readers.push_back(new_reader(*table.filter_policy, blocks[i].contents));
    }
    for (std::uint64_t i = 0; i < kMany; ++i) {
      EXPECT_TRUE(readers[layout.part_of(dense_key(i))]->MayMatch(dense_key(i))) << i;
    }
  }
}

}  // namespace
}  // namespace crivo::testing

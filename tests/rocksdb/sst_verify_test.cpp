// VerifyRocksDBFilters: what it tells of files of every kind, and of those in which something is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/comparator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "crivo/rocksdb_verify.h"
#include "crivo/sst_block.h"
#include "support.h"

namespace crivo::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kKeys = 5000;

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
  if (partitioned) table.index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  return table;
}

std::string kind_of(const Written& written) {
  if (written.policy.label == "Bloom") return "blocked";
  if (written.policy.label == "Ribbon") return "ribbon";
  if (written.policy.label == "BuiltinRibbon") return "rocksdb.ribbon";
  return written.format_version < 5 ? "rocksdb.legacy_bloom" : "rocksdb.bloom";
}

/// The share of absent keys that the filters of this database let pass.
double measured_rate(rocksdb::DB& db, const rocksdb::Options& options, std::uint64_t keys) {
  constexpr std::uint64_t kAbsent = 20000;
  const std::uint64_t before = filter_useful(options);
  EXPECT_EQ(count_not_found(db, keys, keys + kAbsent), kAbsent);
  return 1 - static_cast<double>(filter_useful(options) - before) / static_cast<double>(kAbsent);
}

class EveryFile : public ::testing::TestWithParam<Written> {};

TEST_P(EveryFile, HasItsFilterDescribed) {
  const Written& written = GetParam();
  rocksdb::BlockBasedTableOptions table = table_of(written.policy.make(8), written.partitioned);
  table.checksum = written.checksum;
  table.format_version = written.format_version;
  const ScratchFolder folder;
  const auto options = with_table(test_options(), table);
  const auto db = open_database(options, folder.path());
  put_keys(*db, 0, kKeys);

  const RocksDBFilterReport report = VerifyRocksDBFilters(*db);
  ASSERT_TRUE(report.status.ok()) << report.status.ToString();
  ASSERT_EQ(report.files.size(), 1U);
  const RocksDBFileFilter& file = report.files[0];
  EXPECT_THAT(file.complaint, IsEmpty());
  EXPECT_TRUE(report.all_filter());
  EXPECT_EQ(file.kind, kind_of(written));
  EXPECT_EQ(file.policy, written.policy.name);
  EXPECT_EQ(file.level, 0);
  EXPECT_EQ(file.column_family, "default");
  EXPECT_TRUE(fs::equivalent(file.path, sst_files(folder.path())[0]));
  EXPECT_EQ(file.file_bytes, fs::file_size(file.path));
  EXPECT_EQ(file.entries, kKeys);
  EXPECT_EQ(file.keys, kKeys);
  EXPECT_EQ(file.partitioned, written.partitioned);
  EXPECT_EQ(file.blocks > 1, written.partitioned);
  EXPECT_EQ(file.damaged, 0U);

  rocksdb::TablePropertiesCollection properties;
  ASSERT_TRUE(db->GetPropertiesOfAllTables(&properties).ok());
  const std::uint64_t size = properties.begin()->second->filter_size;  // with the index of the partitions
  EXPECT_LE(file.bytes, size);
  EXPECT_GE(file.bytes, written.partitioned ? size * 9 / 10 : size);
  EXPECT_DOUBLE_EQ(file.bits_per_key, 8.0 * static_cast<double>(file.bytes) / kKeys);
  const double measured = measured_rate(*db, options, kKeys);
  const double deviation = std::sqrt(file.fp_rate / 20000);
  EXPECT_NEAR(measured, file.fp_rate, 5 * deviation + 0.1 * file.fp_rate);
}

std::vector<Written> every_file() {
  std::vector<PolicyMaker> policies = our_policies();
  for (const PolicyMaker& policy : builtin_policies()) policies.push_back(policy);
  std::vector<Written> all;
  for (const PolicyMaker& policy : policies) {
    for (const bool partitioned : {false, true}) {
      for (const auto checksum : {rocksdb::kNoChecksum, rocksdb::kCRC32c, rocksdb::kxxHash, rocksdb::kxxHash64,
                                  rocksdb::kXXH3}) {
        all.push_back({policy, checksum, 5, partitioned});
      }
      for (std::uint32_t version = 2; version <= (ROCKSDB_MAJOR >= 9 ? 6U : 5U); ++version) {
        all.push_back({policy, rocksdb::kXXH3, version, partitioned});
      }
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Rocksdb, EveryFile, ::testing::ValuesIn(every_file()), [](const auto& test) {
  const Written& written = test.param;
  return written.policy.label + (written.partitioned ? "Partitioned" : "Full") + "Checksum" +
         std::to_string(written.checksum) + "Version" + std::to_string(written.format_version) + "No" +
         std::to_string(test.index);
});

}  // namespace
}  // namespace crivo::testing

#include "sst_support.h"

namespace crivo::testing {

rocksdb::Options many_files(const Policy& policy, bool partitioned) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = policy;
  if (partitioned) partition(table, 512);
  rocksdb::Options options = with_table(test_options(), table);
  options.target_file_size_base = 16 << 10;
  options.compression = rocksdb::kNoCompression;
  options.table_properties_collector_factories = {NewRocksDBFilterCollectorFactory()};
  return options;
}

void write_database(const rocksdb::Options& options, const std::string& path, std::uint64_t keys) {
  const auto db = open_database(options, path);
  put_keys(*db, 0, keys);
  rewrite_files(*db);  // RocksDB would move a single file without rewriting it
  for (std::uint64_t i = 0; i < keys; i += 10) ASSERT_TRUE(db->Put({}, key_of(i), "new").ok());
  ASSERT_TRUE(db->Flush({}).ok());
  for (std::uint64_t i = 5; i < keys; i += 10) ASSERT_TRUE(db->Delete({}, key_of(i)).ok());
  ASSERT_TRUE(db->Flush({}).ok());
}

void expect_all_there(const rocksdb::Options& options, const std::string& path, std::uint64_t keys) {
  const auto db = open_database(options, path);
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < keys; ++i) {
    std::string value;
    const rocksdb::Status got = db->Get({}, key_of(i), &value);
    wrong += i % 10 == 5 ? !got.IsNotFound() : !got.ok() || value != (i % 10 == 0 ? "new" : key_of(i));
  }
  EXPECT_EQ(wrong, 0U) << "of " << keys << " keys";
}

std::map<std::string, std::uintmax_t> listing(const std::string& path) {
  std::map<std::string, std::uintmax_t> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    files[entry.path().filename().string()] = entry.file_size();
  }
  return files;
}

}  // namespace crivo::testing

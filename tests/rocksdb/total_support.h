// Databases with a limit for all filters, for the tests of max_total_bytes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "crivo/rocksdb.h"
#include "support.h"

namespace crivo::testing {

inline constexpr std::uint64_t kLimit = 60'000;
inline constexpr std::uint64_t kMax = kLimit + kLimit / 20;
inline constexpr std::uint64_t kMissing = 6;  // bytes of a block that lets every key pass, for lack of space

/// Small files and small levels, so that a hundred thousand keys fill several levels.
inline rocksdb::Options small_tree(const RocksDBFilterOptions& filter) {
  rocksdb::Options options = configured(filter);
  options.write_buffer_size = 256 << 10;
  options.target_file_size_base = 128 << 10;
  options.max_bytes_for_level_base = 512 << 10;
  options.disable_auto_compactions = false;
  options.compression = rocksdb::kNoCompression;
  return options;
}

inline void write(rocksdb::DB& db, std::uint64_t begin, std::uint64_t end,
                  rocksdb::ColumnFamilyHandle* family = nullptr) {
  if (family == nullptr) family = db.DefaultColumnFamily();
  for (std::uint64_t i = begin; i < end; ++i) {
    const std::string key = key_of(i * 0x9E3779B97F4A7C15);  // in random order, so that files overlap
    ASSERT_TRUE(db.Put({}, family, key, std::string(40, 'v')).ok());
  }
}

/// Flushes, and waits until no compaction is running or pending. (DB::WaitForCompact exists since RocksDB 8, and
/// universal compaction may report a pending one forever.)
inline void settle(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family = nullptr) {
  if (family == nullptr) family = db.DefaultColumnFamily();
  ASSERT_TRUE(db.Flush({}, family).ok());
  const bool levels = db.GetOptions(family).compaction_style == rocksdb::kCompactionStyleLevel;
  for (int quiet = 0; quiet < 20; ++quiet) {
    std::uint64_t running = 0;
    std::uint64_t pending = 0;
    EXPECT_TRUE(db.GetIntProperty(family, rocksdb::DB::Properties::kNumRunningCompactions, &running));
    EXPECT_TRUE(db.GetIntProperty(family, rocksdb::DB::Properties::kCompactionPending, &pending));
    if (running != 0 || (levels && pending != 0)) quiet = 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

/// Settles the database, and disables compactions, which would change the plan between two calls.
inline void settle_for_good(rocksdb::DB& db) {
  settle(db);
  ASSERT_TRUE(db.SetOptions({{"disable_auto_compactions", "true"}}).ok());
}

inline std::uint64_t lost(rocksdb::DB& db, std::uint64_t end, std::uint64_t step = 7) {
  std::uint64_t missing = 0;
  std::string value;
  for (std::uint64_t i = 0; i < end; i += step) missing += !db.Get({}, key_of(i * 0x9E3779B97F4A7C15), &value).ok();
  return missing;
}

}  // namespace crivo::testing

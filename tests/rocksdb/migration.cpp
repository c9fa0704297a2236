#include "migration.h"

#include <rocksdb/convenience.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/utilities/options_util.h>

#include <algorithm>

#include "support.h"
#include "unsynced.h"

namespace crivo::testing {
namespace {

void require(const rocksdb::Status& status, const std::string& what) {
  if (!status.ok()) throw std::runtime_error(what + ": " + status.ToString());
}

constexpr const char* kMiddle = "8";  // of the keys, which are hexadecimal digits

/// Small files, so that half of a database is files of its own.
rocksdb::Options options_of(const std::string& text) {
  rocksdb::Options base = test_options();
  base.env = unsynced_env();
  base.target_file_size_base = 16 << 10;
  base.compression = rocksdb::kNoCompression;
  rocksdb::Options options;
  require(rocksdb::GetOptionsFromString(base, text, &options), text);
  return options;
}

rocksdb::Options latest_options(const std::string& path) {
  rocksdb::ConfigOptions config;
  config.ignore_unknown_options = true;  // another release wrote the file
  rocksdb::DBOptions database;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  require(rocksdb::LoadLatestOptions(config, path, &database, &families), "LoadLatestOptions");
  rocksdb::Options options(database, families.at(0).options);
  options.env = unsynced_env();
  options.statistics = rocksdb::CreateDBStatistics();
  return options;
}

std::string policy_of(const rocksdb::Options& options) {
  const auto* const table = options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  return table->filter_policy == nullptr ? "none" : table->filter_policy->GetId();
}

/// With a prefix extractor these seeks ask the filters.
std::uint64_t count_not_sought(rocksdb::DB& db, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t missing = 0;
  for (std::uint64_t i = begin; i < end; ++i) {
    const std::string key = key_of(i);
    const std::unique_ptr<rocksdb::Iterator> forward(db.NewIterator({}));
    forward->Seek(key);
    missing += !forward->Valid() || forward->key() != key;
    const std::unique_ptr<rocksdb::Iterator> backward(db.NewIterator({}));
    backward->SeekForPrev(key);
    missing += !backward->Valid() || backward->key() != key;
  }
  return missing;
}

/// Writes two files: one of the lower half of the keys, one of the upper half.
void put_halves(rocksdb::DB& db, std::uint64_t begin, std::uint64_t end) {
  for (const bool upper : {false, true}) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const std::string key = key_of(i);
      if ((key >= kMiddle) == upper) require(db.Put({}, key, key), "Put");
    }
    require(db.Flush({}), "Flush");
  }
}

std::uint64_t count_lost(rocksdb::DB& db, std::uint64_t keys) {
  return count_not_found(db, 0, keys) + count_not_found_by_multiget(db, 0, keys) +
         count_not_sought(db, 0, std::min<std::uint64_t>(keys, 100));
}

void compact(rocksdb::DB& db, Compaction compaction) {
  if (compaction == Compaction::kNone) return;
  const rocksdb::Slice middle = kMiddle;
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  require(db.CompactRange(options, compaction == Compaction::kUpperHalf ? &middle : nullptr,
                          compaction == Compaction::kLowerHalf ? &middle : nullptr),
          "CompactRange");
}

/// From 8 on RocksDB counts what filters of prefixes say by a ticker of its own.
std::uint64_t count_useful(const rocksdb::Options& options) {
  return filter_useful(options) + options.statistics->getTickerCount(rocksdb::BLOOM_FILTER_PREFIX_USEFUL);
}

void count_files(rocksdb::DB& db, Visited& visited) {
  std::vector<rocksdb::LiveFileMetaData> files;
  db.GetLiveFilesMetaData(&files);
  visited.files = files.size();
  for (const auto& file : files) visited.with_ours += !filter_blocks(read_bytes(file.db_path + file.name)).empty();
}

}  // namespace

Visited visit(const std::string& path, const Visit& visit) {
  const rocksdb::Options options = visit.options.empty() ? latest_options(path) : options_of(visit.options);
  Visited visited;
  visited.policy = policy_of(options);
  const auto db = open_database(options, path);
  visited.lost = count_lost(*db, visit.keys);
  const std::uint64_t keys = visit.keys + visit.added;
  if (visit.added > 0) put_halves(*db, visit.keys, keys);
  compact(*db, visit.compaction);
  visited.lost += count_lost(*db, keys);
  const std::uint64_t before = count_useful(options);
  visited.absent = 1000;
  constexpr std::uint64_t kAbsent = std::uint64_t{1} << 40;
  if (count_not_found(*db, kAbsent, kAbsent + visited.absent) != visited.absent) {
    throw std::runtime_error("keys were found that nobody put");
  }
  visited.useful = count_useful(options) - before;
  count_files(*db, visited);
  return visited;
}

}  // namespace crivo::testing

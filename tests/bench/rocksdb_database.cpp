#include "rocksdb_database.h"

#include <rocksdb/metadata.h>
#include <rocksdb/table.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>
#include <utility>

#include "workload.h"

namespace crivo::bench {
namespace {

constexpr std::size_t kValueBytes = 100;

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Without compression, the measured cost of a read is that of the block. With one compaction at a time, all trees have
// the same shape. The levels have fixed sizes (level_compaction_dynamic_level_bytes is off) with a small margin, so
// that the filters' bytes do not determine which file moves down. The last level gets the rest.
rocksdb::Options options_of(const Rival& rival, const Shape& shape, const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.filter_policy = rival.policy;
  table.block_cache = cache;
  table.cache_index_and_filter_blocks = shape.filters_in_cache;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.error_if_exists = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = rocksdb::kNoCompression;
  options.write_buffer_size = std::max<std::size_t>(1 << 20, 4 * shape.keys_per_flush * Shape::kRecordBytes);
  options.target_file_size_base = shape.keys_per_file() * Shape::kRecordBytes;
  options.max_bytes_for_level_base = options.target_file_size_base * 5 / 4;
  options.num_levels = Shape::kLevels;
  options.max_bytes_for_level_multiplier = Shape::kLevelRatio;
  options.level_compaction_dynamic_level_bytes = false;
  options.max_background_jobs = 2;
  options.use_direct_reads = shape.direct_io;
  options.statistics = rocksdb::CreateDBStatistics();
  options.statistics->set_stats_level(rocksdb::StatsLevel::kExceptHistogramOrTimers);
  return options;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Cost measure_cost(const std::function<void()>& call) {
  const double cpu = cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  call();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), cpu_seconds() - cpu};
}

void check(const rocksdb::Status& status, const std::string& what) {
  if (!status.ok()) throw std::runtime_error(what + ": " + status.ToString());
}

std::uint64_t Tree::keys() const {
  std::uint64_t sum = 0;
  for (const Level& level : levels) sum += level.keys;
  return sum;
}

std::uint64_t Tree::filter_bytes() const {
  std::uint64_t sum = 0;
  for (const Level& level : levels) sum += level.filter_bytes;
  return sum;
}

double Tree::bits_per_key() const { return 8.0 * static_cast<double>(filter_bytes()) / static_cast<double>(keys()); }

std::string Tree::text() const {
  std::string text;
  for (const Level& level : levels) {
    const std::uint64_t runs = level.number == 0 ? level.files : 1;
    const double share = 100.0 * static_cast<double>(level.keys) / static_cast<double>(keys() * runs);
    std::array<char, 64> part{};
    if (runs > 1) {
      std::snprintf(part.data(), part.size(), "L%d %llu x %.1f%%", level.number, static_cast<unsigned long long>(runs),
                    share);
    } else {
      std::snprintf(part.data(), part.size(), "L%d %.1f%%", level.number, share);
    }
    text.append(text.empty() ? "" : ", ").append(part.data());
  }
  return text;
}

Database::Database(Rival rival, const Shape& shape, std::string folder)
    : rival_(std::move(rival)),
      shape_(shape),
      folder_(std::move(folder)),
      cache_(rocksdb::NewLRUCache(shape_.cache_bytes())),
      options_(options_of(rival_, shape_, cache_)) {
  rocksdb::DB* opened = nullptr;
  check(rocksdb::DB::Open(options_, folder_, &opened), rival_.label);
  db_.reset(opened);
}

Database::~Database() {
  db_.reset();
  rocksdb::DestroyDB(folder_, options_).PermitUncheckedError();
}

void Database::fill() {
  rocksdb::WriteOptions write;
  write.disableWAL = true;
  std::array<char, kValueBytes> value{};
  for (std::uint64_t number = 0; number < shape_.keys();) {
    const Key key(number);
    std::memcpy(value.data(), &number, sizeof number);
    const rocksdb::Slice slice(key.view().data(), key.view().size());
    check(db_->Put(write, slice, {value.data(), value.size()}), rival_.label);
    if (++number % shape_.keys_per_flush != 0) continue;
    check(db_->Flush({}), rival_.label);
    settle();
  }
}

void Database::settle() const {
  const auto is_nonzero = [this](const std::string& property) {
    std::uint64_t value = 0;
    return db_->GetIntProperty(property, &value) && value != 0;
  };
  using Properties = rocksdb::DB::Properties;
  while (is_nonzero(Properties::kCompactionPending) || is_nonzero(Properties::kNumRunningCompactions)) usleep(200);
}

void Database::rewrite() {
  rocksdb::CompactRangeOptions everything;
  everything.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  check(db_->CompactRange(everything, nullptr, nullptr), rival_.label);
  settle();
}

Tree Database::tree() const {
  rocksdb::TablePropertiesCollection files;
  check(db_->GetPropertiesOfAllTables(&files), rival_.label);
  std::map<std::string, std::shared_ptr<const rocksdb::TableProperties>> by_name;
  for (const auto& [path, properties] : files) by_name[file_name(path)] = properties;

  std::vector<rocksdb::LiveFileMetaData> live;
  db_->GetLiveFilesMetaData(&live);
  std::map<int, Level> levels;
  std::uint64_t filter_entries = 0;
  for (const rocksdb::LiveFileMetaData& file : live) {
    const rocksdb::TableProperties& properties = *by_name.at(file_name(file.name));
    Level& level = levels[file.level];
    level.number = file.level;
    ++level.files;
    level.keys += properties.num_entries;
    level.filter_bytes += properties.filter_size;
    filter_entries += properties.num_filter_entries;
  }
  if (filter_entries == 0) throw std::runtime_error(rival_.label + ": no file has a filter");
  Tree tree;
  for (const auto& [number, level] : levels) tree.levels.push_back(level);
  return tree;
}

std::uint64_t Database::count(rocksdb::Tickers ticker) const { return options_.statistics->getTickerCount(ticker); }

}  // namespace crivo::bench

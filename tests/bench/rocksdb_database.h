// A complete RocksDB database with one filter policy, of a given size and shape.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/statistics.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace crivo::bench {

/// One side of a comparison.
struct Rival {
  std::string label;  // shown in the tables
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
};

/// The size of a database, and how it is opened. Its tree has the proportions of a large one with a level ratio of 10:
/// three flushed files in level 0, and levels of 4, 40 and 400 times the size of a flush.
struct Shape {
  std::uint64_t keys_per_flush = 0;
  bool filters_in_cache = false;  // filter and index blocks compete with data blocks for the block cache
  bool direct_io = false;         // reads bypass the system's page cache

  static constexpr int kLevelRatio = 10;
  static constexpr int kLevels = 4;  // includes level 0
  static constexpr std::uint64_t kFlushesInLevel0 = 3;
  static constexpr std::uint64_t kFlushes = kFlushesInLevel0 + 4 + 40 + 400;
  static constexpr std::uint64_t kRuns = kFlushesInLevel0 + 3;  // each of them may be read for an absent key
  static constexpr std::uint64_t kFlushesPerFile = 4;           // the size of a compaction's output files
  static constexpr std::uint64_t kRecordBytes = 117;  // bytes of a key and its value in a file, without the filter
  static constexpr double kCacheShare = 0.1;          // the block cache's fraction of the data

  /// Rounds the number of keys up to whole flushes.
  void set_keys(std::uint64_t keys) { keys_per_flush = (keys + kFlushes - 1) / kFlushes; }
  [[nodiscard]] std::uint64_t keys() const { return keys_per_flush * kFlushes; }
  [[nodiscard]] std::uint64_t keys_per_file() const { return kFlushesPerFile * keys_per_flush; }
  [[nodiscard]] std::uint64_t bytes() const { return keys() * kRecordBytes; }
  [[nodiscard]] std::uint64_t cache_bytes(double share = kCacheShare) const {
    return static_cast<std::uint64_t>(share * static_cast<double>(bytes()));
  }
};

/// The cost of a call, in seconds. CPU time is the sum over all threads.
struct Cost {
  double wall = 0;
  double cpu = 0;
};
[[nodiscard]] Cost measure_cost(const std::function<void()>& call);

/// The contents of a level. The files of RocksDB's level 0 overlap, so each is a run.
struct Level {
  int number = 0;
  std::uint64_t files = 0;
  std::uint64_t keys = 0;
  std::uint64_t filter_bytes = 0;
};

struct Tree {
  std::vector<Level> levels;  // the levels with files, from the top

  [[nodiscard]] std::uint64_t keys() const;
  [[nodiscard]] std::uint64_t filter_bytes() const;
  [[nodiscard]] double bits_per_key() const;
  /// "L0 3x0.7%, L5 8.4%, L6 89.5%": the fraction of the keys in each run.
  [[nodiscard]] std::string text() const;
};

/// Throws std::runtime_error with RocksDB's message if the status is an error.
void check(const rocksdb::Status& status, const std::string& what);

class Database {
 public:
  /// An empty database in the folder, which must not exist. The constructor and all functions throw std::runtime_error.
  Database(Rival rival, const Shape& shape, std::string folder);
  ~Database();
  Database(const Database&) = delete;

  /// Puts the keys 0 to shape.keys() - 1 of workload.h. After each flush, waits until no compaction is pending, so that
  /// the tree has the same shape with every policy and on a busy machine.
  void fill();
  /// Rewrites every file, into the bottommost level.
  void rewrite();
  /// Sets the size of the block cache to this fraction of the data.
  void set_cache_share(double share) { cache_->SetCapacity(shape_.cache_bytes(share)); }
  /// The tree according to the files' properties. Throws if no file has a filter.
  [[nodiscard]] Tree tree() const;
  [[nodiscard]] std::uint64_t count(rocksdb::Tickers ticker) const;

  [[nodiscard]] const Rival& rival() const { return rival_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] rocksdb::DB& db() const { return *db_; }

 private:
  void settle() const;

  Rival rival_;
  Shape shape_;
  std::string folder_;
  std::shared_ptr<rocksdb::Cache> cache_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace crivo::bench

// A whole RocksDB database with one filter policy, of a size and shape that a benchmark gives.
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
  std::string label;  // stands in the tables
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
};

/// How large a database is, and how it is opened. Whatever its size, its tree has the proportions of a large one with a
/// level ratio of 10: three flushed files in level 0, and levels of 4, 40 and 400 times what a flush writes.
struct Shape {
  std::uint64_t keys_per_flush = 0;
  bool filters_in_cache = false;  // filter and index blocks compete with data blocks for the block cache
  bool direct_io = false;         // reads go past the system's page cache

  static constexpr int kLevelRatio = 10;
  static constexpr int kLevels = 4;  // with level 0
  static constexpr std::uint64_t kFlushesInLevel0 = 3;
  static constexpr std::uint64_t kFlushes = kFlushesInLevel0 + 4 + 40 + 400;
  static constexpr std::uint64_t kRuns = kFlushesInLevel0 + 3;  // an absent key may be looked up in each
  static constexpr std::uint64_t kFlushesPerFile = 4;           // how large the files of a compaction are
  static constexpr std::uint64_t kRecordBytes = 117;  // what a key and its value take in a file, without the filter
  static constexpr double kCacheShare = 0.1;          // the block cache, as a share of the data

  /// The number of keys is rounded up to whole flushes.
  void set_keys(std::uint64_t keys) { keys_per_flush = (keys + kFlushes - 1) / kFlushes; }
  [[nodiscard]] std::uint64_t keys() const { return keys_per_flush * kFlushes; }
  [[nodiscard]] std::uint64_t keys_per_file() const { return kFlushesPerFile * keys_per_flush; }
  [[nodiscard]] std::uint64_t bytes() const { return keys() * kRecordBytes; }
  [[nodiscard]] std::uint64_t cache_bytes(double share = kCacheShare) const {
    return static_cast<std::uint64_t>(share * static_cast<double>(bytes()));
  }
};

/// What a call took, in seconds. CPU time is that of all threads.
struct Cost {
  double wall = 0;
  double cpu = 0;
};
[[nodiscard]] Cost measure_cost(const std::function<void()>& call);

/// What lies in a level; RocksDB's level 0 has files that overlap, so each of its files is a run by itself.
struct Level {
  int number = 0;
  std::uint64_t files = 0;
  std::uint64_t keys = 0;
  std::uint64_t filter_bytes = 0;
};

struct Tree {
  std::vector<Level> levels;  // those with files, from the top

  [[nodiscard]] std::uint64_t keys() const;
  [[nodiscard]] std::uint64_t filter_bytes() const;
  [[nodiscard]] double bits_per_key() const;
  /// "L0 3x0.7%, L5 8.4%, L6 89.5%": the share of the keys that each run has.
  [[nodiscard]] std::string text() const;
};

/// Throws std::runtime_error with RocksDB's words if the status is an error.
void check(const rocksdb::Status& status, const std::string& what);

class Database {
 public:
  /// An empty database in the folder, which must not exist. Throws std::runtime_error, as do the functions.
  Database(Rival rival, const Shape& shape, std::string folder);
  ~Database();
  Database(const Database&) = delete;

  /// Puts the keys 0 to shape.keys() - 1 of workload.h. After each flush it waits until no compaction is due, so that
  /// the tree has the same shape whatever else the machine does, and under every policy.
  void fill();
  /// Writes every file once more, into the bottommost level.
  void rewrite();
  /// Makes the block cache this share of the data.
  void set_cache_share(double share) { cache_->SetCapacity(shape_.cache_bytes(share)); }
  /// What the files say. Throws if no file has a filter.
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

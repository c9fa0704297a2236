// The files of a database and their filters, for max_total_bytes, the limit for all filters of a database.
//
// A policy sees one file at a time, but not the database. The listener gets the database when a flush or a compaction
// begins or ends, and then lists the files. The plan (options/limit_plan.h) follows from the list:
//
// 1. If the filters of all files, sized by the other options, fit into 0.9 of the limit, a new file's filter is also
//    sized by these options.
// 2. Otherwise 0.9 of the limit is divided over the levels that have keys, and a new file gets the bits per key of its
//    level. Keys above this level that running compactions read count as keys of this level.
// 3. Other files retain the filters of an earlier plan, which may leave too little of the limit. So all running
//    compactions together get at most max(limit - other filters, filters of their inputs * min(1, limit / all
//    filters)), in bytes. A flushed file gets at most (1.05 * limit - other filters - filters of the running
//    compactions) / 2; the compactions' filters are those of their inputs or those planned for their outputs, whichever
//    are larger.
//
// A flush counts its filters at once (FlushShare), because many flushes may run between two listings, also in parallel.
// The filters count until a listing that began after the end of the flush. The bytes of a compaction's filters are not
// reserved: they count from the next listing on.
//
// Listing takes a microsecond per file, under the database's mutex. Unless requested by `now`, it takes at most 1% of
// the time.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "crivo/rocksdb.h"
#include "options/limit_plan.h"

namespace crivo::plugin {

/// A flush of a column family. The flushes of an atomic flush have the same job.
struct Flush {
  int job;
  std::string family;

  friend bool operator<(const Flush& a, const Flush& b) noexcept {
    return std::tie(a.job, a.family) < std::tie(b.job, b.family);
  }
};

/// Thread-safe. If memory runs out, the previous list remains in use.
class FilterTree {
 public:
  /// Lists the files of the database, and reads the properties of files that are not in the last list. Rate-limited as
  /// above, except if `now`, or on the first call. Must not be called under the database's mutex.
  void list(rocksdb::DB& db, bool now = false);
  /// The number of files in the last list.
  [[nodiscard]] std::size_t size() const;

  /// Sets the column family's limit; 0 means none. Until then, the limit is that of the family's newest file with a
  /// filter, because RocksDB shows a family's options only for a handle or a new file.
  void set_limit(const std::string& family, std::uint64_t max_total_bytes);
  /// The column family's levels, and the sums over the database.
  [[nodiscard]] ListedTree of(const std::string& family) const;

  /// Returns the most bytes of all filters of a flushed file. Of the bytes that its other filters leave, reserves
  /// `wanted` for the next filter, or all if there are fewer, and sets `counted` to their number. `moving_bytes`: as in
  /// FilePlan.
  [[nodiscard]] std::size_t reserve(const Flush& flush, std::uint64_t max_total_bytes, double moving_bytes,
                                    std::size_t wanted, std::size_t& counted);
  /// Counts `bytes` of a filter instead of `counted`, which reserve has counted.
  void count(const Flush& flush, std::size_t counted, std::size_t bytes);
  /// The flush has finished its file, or failed to write it.
  void end_writing(const Flush& flush);
  /// The flush has ended, and so have the column family's earlier ones whose files are written: the next list shows
  /// their files.
  void end_flush(const Flush& flush);
  /// The job has failed, so its files will not appear. If they do, they count from the next list on.
  void cancel_flushes(int job);

  [[nodiscard]] RocksDBFilterTotal total() const;

 private:
  /// The filters of a file. They never change.
  struct Filter {
    std::uint64_t entries = 0;
    std::uint64_t keys = 0;  // and prefixes; 0 without a filter
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
    std::string key_options = {};  // the options that determine the filter's keys
    std::uint64_t max_total_bytes = 0;
  };
  struct Family {
    std::vector<ListedTree::Level> levels;
    std::uint64_t files = 0;
    std::uint64_t blocks = 0;
    double keys = 0;
    double moving_keys = 0;           // of files that running compactions read
    std::uint64_t staying_bytes = 0;  // of all other files
    std::uint64_t moving_bytes = 0;   // of files that running compactions read

    std::uint64_t newest_limit = 0;  // of the newest file with a filter
  };
  using Families = std::map<std::string, Family>;
  struct Limit {
    std::uint64_t bytes = 0;
    bool is_new = true;  // since the last list
  };
  struct Flushed {
    std::uint64_t bytes = 0;
    bool is_written = false;
  };
  class KeyCounts;

  /// The limit of a column family in the list; 0: none. The mutex must be held.
  [[nodiscard]] std::uint64_t limit_of(const Families::value_type& family) const;
  /// The sums of the list, without the levels of a column family. The mutex must be held.
  [[nodiscard]] ListedTree sums() const;
  /// Forgets the written flushes of column families that no longer exist. RocksDB does not report their end. A dropped
  /// column family exists until its last handle and iterator are deleted.
  void forget_dropped(rocksdb::DB& db);
  /// No value after an error that may be temporary.
  [[nodiscard]] static std::optional<Filter> read(rocksdb::DB& db, const rocksdb::SstFileMetaData& meta);
  [[nodiscard]] Families sum(rocksdb::DB& db, const std::vector<rocksdb::LiveFileMetaData>& files);

  using Time = std::chrono::steady_clock::time_point;
  std::mutex listing_;  // one listing at a time, so that an older list never replaces a newer one
  Time next_list_{};
  std::unordered_map<std::uint64_t, Filter> filters_;  // by file number, of the last list
  std::atomic<bool> was_listed_ = false;

  mutable std::mutex mutex_;  // guards the members below
  Families families_;
  std::map<std::string, Limit> limits_;
  std::map<Flush, Flushed> flushed_;  // the filters of flushes that have not ended
  std::uint64_t unlisted_bytes_ = 0;  // of the flushes that have ended since the last list began
};

/// What is left of max_total_bytes for the filters of one flushed file.
class FlushShare {
 public:
  /// `moving_bytes`: as in FilePlan.
  FlushShare(std::shared_ptr<FilterTree> tree, Flush flush, std::uint64_t max_total_bytes, double moving_bytes)
      : tree_(std::move(tree)),
        flush_(std::move(flush)),
        max_total_bytes_(max_total_bytes),
        moving_bytes_(moving_bytes) {}

  /// Returns the most bytes of all filters of the file. Reserves `wanted` of them for the next filter, until set_size.
  /// Throws std::bad_alloc.
  [[nodiscard]] std::size_t reserve(std::size_t wanted) {
    return tree_->reserve(flush_, max_total_bytes_, moving_bytes_, wanted, reserved_);
  }
  /// Sets the size of that filter.
  void set_size(std::size_t bytes) noexcept { tree_->count(flush_, std::exchange(reserved_, 0), bytes); }

 private:
  std::shared_ptr<FilterTree> tree_;
  Flush flush_;
  std::uint64_t max_total_bytes_;
  double moving_bytes_;
  std::size_t reserved_ = 0;
};

}  // namespace crivo::plugin

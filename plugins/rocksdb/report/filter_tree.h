// The files of a database and their filters, as max_total_bytes needs them: one limit for all filters of a database.
//
// A policy sees one file at a time, and neither its database nor its place. The listener is given the database where a
// flush or a compaction begins, and lists its files then. From the list follows a plan (options/limit_plan.h):
//
// 1. If all files fit into 0.9 of the limit with the filters that the options ask for, a new file gets those.
// 2. Otherwise 0.9 of the limit is divided over the levels that have keys, and a new file gets the bits per key that
//    the plan gives its level. What a running compaction reads counts in the level to which it writes.
// 3. Files that no compaction rewrites keep the filters of an earlier plan. Where these leave too little, a compaction
//    gets what is left of the limit, or what its inputs had, and a flushed file half of what is left.
//
// Nothing is reserved: whatever a file gets is in the next list. Listing takes about a microsecond for each file, under
// the database's mutex, and is done for at most a hundredth of the time.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "options/limit_plan.h"

namespace crivo::plugin {

/// Any thread may call any function. They throw std::bad_alloc, and then the last list stays.
class FilterTree {
 public:
  /// Lists the files of the database, and reads the properties of those that are new to it. Rate-limited as above,
  /// except if `now`, or on the first call. Must not be called under the database's mutex.
  void list(rocksdb::DB& db, bool now = false);
  /// The number of files in the last list.
  [[nodiscard]] std::size_t size() const;

  /// The column family has this limit, or none if it is 0.
  void set_limit(const std::string& family, std::uint64_t max_total_bytes);
  [[nodiscard]] KnownTree of(const std::string& family) const;

  struct Total {
    std::uint64_t max_total_bytes = 0;  // the largest of its column families; 0 if none has a limit
    std::uint64_t files = 0;
    std::uint64_t keys = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] Total total() const;

 private:
  /// The filters of a file, which never change.
  struct Filter {
    std::uint64_t entries = 0;
    std::uint64_t keys = 0;  // and prefixes; 0 if it has no filter
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
    std::string of_which_keys = {};  // the options from which it follows which keys the filter has
  };
  struct Family {
    std::vector<KnownTree::Level> levels;
    std::uint64_t files = 0;
    std::uint64_t blocks = 0;
    double keys = 0;
    double moving_keys = 0;
    std::uint64_t staying_bytes = 0;
    std::uint64_t moving_bytes = 0;
  };
  using Families = std::map<std::string, Family>;
  struct Limit {
    std::uint64_t bytes = 0;
    bool is_new = true;  // since the last list
  };
  class KeyCounts;

  /// No value if the file cannot be read now.
  [[nodiscard]] static std::optional<Filter> read(rocksdb::DB& db, const rocksdb::SstFileMetaData& meta);
  [[nodiscard]] Families sum(rocksdb::DB& db, const std::vector<rocksdb::LiveFileMetaData>& files);

  using Time = std::chrono::steady_clock::time_point;
  std::mutex listing_;  // one at a time, or an older list could come after a newer one
  Time next_list_{};
  std::unordered_map<std::uint64_t, Filter> filters_;  // by the number of the file, of those that were listed last
  std::atomic<bool> was_listed_ = false;

  mutable std::mutex mutex_;  // of what follows
  Families families_;
  std::map<std::string, Limit> limits_;
};

}  // namespace crivo::plugin

// Which filters the files of a database have together, for max_total_bytes: one limit for all of them.
//
// A policy sees one file at a time, and of that neither the database nor the place. The listener sees more: it is given
// the database where a flush or a compaction begins, and is told of each file that was written, with its properties.
// From these a ledger keeps the keys and the filter bytes of every file. What a compaction reads will be gone when it
// ends, so its filters do not count for what it writes; that counts, though no version has it yet, and so does what
// open builders have finished.
//
// To list all files takes time under the database's mutex, about a microsecond for each. So it is done for at most
// a hundredth of the time, which finds what no event tells, and in between the ledger goes by the events.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/listener.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "options/known_tree.h"

namespace crivo::plugin {

/// Any thread may call any function. Those that change it, but for close_file, throw std::bad_alloc, after which it may
/// count too little until the next change.
class FilterLedger {
 public:
  /// Lists the files of the database. Not more often than is said above, unless `now`, or it is the first time.
  void refresh(rocksdb::DB& db, bool now = false);
  /// A file was written; or became part of level 0; or was deleted, which is known by its path.
  void created(const rocksdb::TableFileCreationInfo& file);
  void flushed(std::uint64_t number);
  void deleted(const std::string& path);

  using Files = std::vector<rocksdb::CompactionFileInfo>;
  /// A compaction into this level reads these files; or has replaced them, or has failed to.
  void compaction_began(const Files& inputs, int output_level);
  void compaction_ended(const Files& inputs, const Files& outputs, bool well);

  /// While a refilter runs (calls nest), compactions are part of what brings all files within the limit: they are not
  /// bounded, and level 0 is planned with the keys that it has.
  void set_renewing(bool is_so);

  /// From here on, the column family is one of those among which the limit is divided; with 0, it is not.
  void share_limit(const std::string& family, std::uint64_t max_total_bytes);
  /// The column family's tree as it will be when running compactions have ended: what they read counts in the level to
  /// which they write.
  [[nodiscard]] KnownTree tree_of(const std::string& family) const;
  /// A file to be written.
  struct NewFile {
    std::string family;
    int level = 0;
    bool flushed = false;
  };
  struct Reserved {
    std::uint64_t room = 0;
    std::uint64_t bytes = 0;  // which count until `took` says what it was
  };
  /// What is left of so many bytes to the next file. One that was flushed replaces nothing, and leaves half to others.
  /// Where files have more than the limit, a compaction may write as many bytes as it reads, scaled down to the limit,
  /// and flushed files share a twentieth: of what is beyond it because keys came faster than compactions, or, if the
  /// limit was set lower, of each level 0. A compaction of which no event told (DB::CompactFiles) keeps to its plan.
  /// What the file wants of it counts at once, or files that are built at the same time would each take all of it.
  [[nodiscard]] Reserved reserve(std::uint64_t max_total_bytes, const NewFile& file, std::uint64_t wanted);
  /// An open builder has finished a filter of so many bytes, for which it had reserved others; or is done with a file
  /// of them, which is then created.
  void took(std::uint64_t reserved, std::uint64_t bytes);
  void close_file(std::uint64_t bytes);

  struct Total {
    std::uint64_t max_total_bytes = 0;  // the largest of its column families; 0 if none has a limit
    std::uint64_t files = 0;
    std::uint64_t keys = 0;
    std::uint64_t bytes = 0;
  };
  /// All files of the database, as they were listed last, and as events have changed them since.
  [[nodiscard]] Total total() const;

 private:
  /// Of `reserve`. The caller holds mutex_.
  [[nodiscard]] std::uint64_t room(std::uint64_t max_total_bytes, const NewFile& file) const;

  using Time = std::chrono::steady_clock::time_point;
  static constexpr int kNowhere = -1;
  static constexpr int kSomewhere = -2;
  struct File {
    std::uint64_t keys = 0;
    std::uint64_t bytes = 0;  // of filters
    std::string family = {};
    int level = kNowhere;    // before it is part of a version
    int goes_to = kNowhere;  // the level into which a compaction writes that reads it; kSomewhere if it is not known
  };
  /// A file of which RocksDB has yet to say that it was written. A file that failed has no event, so it is dropped
  /// after a minute.
  struct Closed {
    std::uint64_t bytes;
    Time since;
  };
  /// No value if the file cannot be read now.
  [[nodiscard]] static std::optional<File> read(rocksdb::DB& db, const rocksdb::SstFileMetaData& meta);
  /// Counts everything anew, after any change, in time that grows with the number of files.
  void count();
  void set_place(std::uint64_t number, int level, int goes_to);
  /// Those of `listed` that the ledger does not know yet.
  [[nodiscard]] std::vector<const rocksdb::SstFileMetaData*> unknown(
      const std::vector<rocksdb::ColumnFamilyMetaData>& listed) const;
  void take(const std::vector<rocksdb::ColumnFamilyMetaData>& listed);

  std::mutex refreshing_;  // one at a time, or an older list could come after a newer one
  Time next_refresh_{};
  std::atomic<bool> was_listed_ = false;
  mutable std::mutex mutex_;                       // of what follows
  std::unordered_map<std::uint64_t, File> files_;  // by their numbers
  std::map<std::string, std::uint64_t> limits_;    // of the column families that share the limit
  std::map<std::string, std::uint64_t> flushed_;   // the keys of a file that each of them flushes
  std::vector<Closed> closed_;
  int renewing_ = 0;
  bool is_lowered_ = false;  // files have more than the limit because it was set lower
  std::uint64_t open_ = 0;   // bytes of open builders
  // What count() counts, in bytes of filters:
  std::uint64_t settled_ = 0;                                    // of files that no compaction reads
  std::uint64_t level0_ = 0;                                     // of these, in level 0
  std::map<std::pair<std::string, int>, std::uint64_t> moving_;  // of those that go to a level of a column family
  std::uint64_t all_moving_ = 0;
  std::uint64_t coming_ = 0;  // of files that are part of no version yet, and of open builders
};

/// What one file may take of max_total_bytes.
class FilterShare {
 public:
  /// ledger: null where nothing is known of the database (it is being recovered, or no listener has met it): the file
  /// may then have a twentieth of the limit.
  FilterShare(std::shared_ptr<FilterLedger> ledger, std::uint64_t max_total_bytes, FilterLedger::NewFile file) noexcept
      : ledger_(std::move(ledger)), max_total_bytes_(max_total_bytes), file_(std::move(file)) {}
  FilterShare(const FilterShare&) = delete;
  FilterShare& operator=(const FilterShare&) = delete;
  ~FilterShare() {
    if (ledger_ != nullptr) ledger_->close_file(bytes_);
  }

  /// What is left to the file, behind the bytes that it took, for a filter that wants so many. `took` comes next.
  [[nodiscard]] std::uint64_t reserve(std::uint64_t wanted);
  void took(std::uint64_t bytes) {
    if (ledger_ != nullptr) ledger_->took(std::exchange(reserved_, 0), bytes);
    bytes_ += bytes;
  }

 private:
  std::shared_ptr<FilterLedger> ledger_;
  std::uint64_t max_total_bytes_;
  FilterLedger::NewFile file_;
  std::uint64_t bytes_ = 0;
  std::uint64_t reserved_ = 0;
};

}  // namespace crivo::plugin

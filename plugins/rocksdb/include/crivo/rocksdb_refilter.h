// New filters for old files, while the database is open: after a change of the policy, or where files were written
// without one. (`crivo sst refilter` does it for a database that no process has open.)
//
//   const crivo::RocksDBRefilterReport report = crivo::RefilterRocksDB(*db, {.bytes_per_second = 50'000'000});
//   if (!report.status.ok()) std::cerr << report.status.ToString() << '\n';
//
// A filter is part of its file, so a new one needs a new file: each file whose filter is missing, damaged, foreign, of
// other keys, or of another size or rate than the column family's policy would write now is compacted by itself into
// the level in which it lies (DB::CompactFiles), which changes nothing else. RocksDB does so in one step that a crash
// undoes or keeps as a whole. What was done is seen in the files themselves, so whatever stopped a call, the next one
// goes on from there, and one that finds every filter right rewrites nothing. (docs/rocksdb_operations.md has
// the changes of a policy that are too small to be seen.)
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "crivo/rocksdb.h"

namespace crivo {

/// How far RefilterRocksDB has come.
struct RocksDBRefilterProgress {
  std::uint64_t files = 0;       // rewritten
  std::uint64_t bytes = 0;       // of these files, as they were
  std::uint64_t files_left = 0;  // known to need it, the next one included; 0 while they are being looked for
  std::uint64_t bytes_left = 0;

  // The file that is rewritten next; `path` is empty in a call that only asks whether to go on.
  std::string path;
  std::string column_family;
  int level = -1;
  std::uint64_t file_bytes = 0;
  std::string reason;  // what is wrong with its filter: "missing", "not of crivo.Auto"
};

struct RocksDBRefilterOptions {
  /// The handles of the column families; without any, the default one. (RocksDB shows no other without its handle.)
  std::vector<rocksdb::ColumnFamilyHandle*> column_families = {};
  /// The most bytes of files to rewrite in a second, as a mean: after each file the call waits until it is below. 0
  /// means no limit. (Within a file RocksDB's DBOptions::rate_limiter counts, as for every compaction.)
  std::uint64_t bytes_per_second = 0;
  /// Called before each file is rewritten, for each file that is looked at, and ten times a second while the call
  /// waits; `false` stops it. A file that is being rewritten is finished first.
  std::function<bool(const RocksDBRefilterProgress&)> progress = {};
  /// Rewrites nothing: `progress` is told of each file that would be. A database that is open read-only will do.
  bool dry_run = false;
  /// Column families without a filter policy are no errors, and their files lose their filters.
  bool remove_filters = false;
};

struct RocksDBRefilterReport {
  /// OK if every filter is now as its policy would write it, and after a dry run. Incomplete if `progress` stopped the
  /// call. TryAgain if files are left because other compactions had them all the time, or
  /// because there was no memory for their filters. Corruption if files could not be
  /// read. InvalidArgument, with nothing done, if the policy of a column family is missing, not known here, or writes
  /// no filters; NotSupported if the database is open read-only. NoSpace if the disk has no room for the next file,
  /// MemoryLimit if there is no memory to look at one. Otherwise the error of the compaction that failed. These
  /// three end the call.
  rocksdb::Status status;
  std::uint64_t files = 0;       // rewritten
  std::uint64_t bytes = 0;       // of these files, as they were
  std::uint64_t files_left = 0;  // whose filter is not the policy's; not known (0) if the call was stopped or ended
  std::vector<std::string> unreadable;  // files that were left alone, and why
};

/// Rewrites the files. Runs in the calling thread, file by file, while the database is read, written and compacted by
/// others; snapshots and iterators keep what they see, and the column family's compaction filter is asked as in any
/// compaction. Not two calls at once where keys have timestamps: RocksDB asserts that a file is still there. Files that
/// another compaction has are tried again, for some seconds. The policies are those at the time of the call. Takes
/// memory for one filter. The handles must live until it returns.
[[nodiscard]] RocksDBRefilterReport RefilterRocksDB(rocksdb::DB& db, const RocksDBRefilterOptions& options = {});

}  // namespace crivo

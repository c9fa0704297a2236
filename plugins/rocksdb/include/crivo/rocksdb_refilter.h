// Replaces the filters in an open database's files, after a change of the filter policy, or if some files were written
// without a policy. (`crivo sst refilter` does the same for a database that is not open.)
//
//   const crivo::RocksDBRefilterReport report = crivo::RefilterRocksDB(*db, {.bytes_per_second = 50'000'000});
//   if (!report.status.ok()) std::cerr << report.status.ToString() << '\n';
//
// A filter is part of its file, so a new filter needs a new file. RefilterRocksDB compares each file's filter with the
// policy of the column family. If the filter is missing, unwanted, damaged, foreign, built from other keys, or of
// another kind, size or rate, the file alone is compacted into its own level (DB::CompactFiles). The compaction is
// atomic. Nothing is stored between calls: a later call continues where a stopped one ended, because it skips files
// whose filters match. docs/rocksdb_operations.md lists changes of a policy that are too small to be detected.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "crivo/rocksdb.h"

namespace crivo {

/// The progress of RefilterRocksDB.
struct RocksDBRefilterProgress {
  std::uint64_t files = 0;       // rewritten so far
  std::uint64_t bytes = 0;       // their old size
  std::uint64_t files_left = 0;  // to rewrite, including the next; 0 while searching for files
  std::uint64_t bytes_left = 0;  // the size of these files

  // The next file to rewrite. `path` is empty if `progress` is only called to check whether to continue.
  std::string path;
  std::string column_family;
  int level = -1;
  std::uint64_t file_bytes = 0;
  std::string reason;  // why the file's filter does not match: "missing", "not of crivo.Auto"
};

struct RocksDBRefilterOptions {
  /// The column families; if empty, the default one. (A DB has no list of its column families' handles.)
  std::vector<rocksdb::ColumnFamilyHandle*> column_families = {};
  /// The highest mean rate of rewriting, in bytes of old files per second; 0: no limit. The call waits between files.
  /// Within a file, RocksDB's DBOptions::rate_limiter applies, as for every compaction.
  std::uint64_t bytes_per_second = 0;
  /// Called for each file that is checked, before each file that is rewritten, and ten times a second during waits.
  /// Returning false stops the call after the current file.
  std::function<bool(const RocksDBRefilterProgress&)> progress = {};
  /// Rewrites nothing: `progress` gets each file that would be rewritten. Works on read-only databases.
  bool dry_run = false;
  /// Accepts column families without a filter policy, and removes the filters of their files.
  bool remove_filters = false;
};

struct RocksDBRefilterReport {
  /// OK if every filter matches its policy or was rewritten by this call, or if a dry run read every file. Otherwise:
  /// - Incomplete: `progress` stopped the call.
  /// - TryAgain: some files remain, because other compactions used them at every attempt, memory was
  ///   short, or their new filters also differ from what the policy would write.
  /// - Corruption: some files could not be read.
  /// - InvalidArgument, with nothing done: an unsuitable handle, table factory, policy or list of listeners.
  /// - NotSupported: the database is open read-only.
  /// - NoSpace, MemoryLimit, or a compaction's error: the call ended at the file that failed.
  rocksdb::Status status;
  std::uint64_t files = 0;              // rewritten
  std::uint64_t bytes = 0;              // their old size
  std::uint64_t files_left = 0;         // with filters that do not match; 0 if the call ended early
  std::vector<std::string> unreadable;  // skipped files, with the reason; empty if an error ended the call
};

/// Rewrites files one by one in the calling thread, while the database is in use. Snapshots and iterators keep their
/// view; the compaction filter runs as in any compaction. A file that another compaction uses is retried for about five
/// seconds. The policies are those at the start of the call. The call needs memory for one filter at a time. The
/// handles must stay valid until it returns. With timestamped keys, concurrent calls can fail an assertion of RocksDB.
[[nodiscard]] RocksDBRefilterReport RefilterRocksDB(rocksdb::DB& db, const RocksDBRefilterOptions& options = {});

}  // namespace crivo

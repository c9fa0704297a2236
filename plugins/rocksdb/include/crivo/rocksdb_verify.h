// Which filter has each SST file of a database? RocksDB says nothing when a filter is missing, so ask from time to
// time:
//
//   const crivo::RocksDBFilterReport report = crivo::VerifyRocksDBFilters(*db);
//   if (!report.all_filters_work()) std::cerr << report.text();
//
// The files are read as they lie on disk, filter blocks and what leads to them only. See plugins/rocksdb/README.md.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <string>
#include <vector>

#include "crivo/rocksdb.h"

namespace crivo {

/// The filter of one SST file.
struct RocksDBFileFilter {
  std::string column_family;
  int level = -1;  // -1 if it is unknown
  std::string path;
  std::uint64_t file_bytes = 0;

  /// Whether the file could be read. If not, the fields below have what could be read of it.
  rocksdb::Status status;
  /// The name of the policy under which the file was written; empty if there was none.
  std::string policy;
  /// What the file really has: "blocked" or "ribbon" for Crivo's filters; "rocksdb.bloom", "rocksdb.ribbon" or
  /// "rocksdb.legacy_bloom" for RocksDB's own, "rocksdb.no_keys" for its block of a partition without keys; "none"
  /// without a filter; "always_maybe" where none could be built; "rocksdb.block_based", "foreign" or "unknown" for what
  /// neither RocksDB nor Crivo reads. Partitions of different kinds are joined: "blocked+ribbon".
  std::string kind = "none";
  std::string key_transform;  // whose canonical keys the filter has; empty if it has keys as they are
  bool partitioned = false;
  std::uint64_t blocks = 0;   // filter blocks: 1, or one for each partition
  std::uint64_t damaged = 0;  // those that fail a checksum, Crivo's or the file's, or contradict themselves
  std::uint64_t entries = 0;  // of the file: keys and tombstones, each version counted, without range deletions
  std::uint64_t keys = 0;     // keys and prefixes that are in the filter
  std::uint64_t bytes = 0;    // of the filter blocks
  double bits_per_key = 0;
  /// The share of absent keys that pass; 1 without a filter. For Crivo's filters it follows from the bits that are set,
  /// and so differs by a little from the property crivo.filter.predicted_fp_rate, which is the model's.
  double current_fp_rate = 1;
  /// The scan filters (crivo/rocksdb_scan.h), or why there is none: "prefix:4 (ribbon, 940 bytes)"; empty if none was
  /// asked for.
  std::string scans;
  std::uint64_t scan_bytes = 0;  // of all of them: memory, as long as the file is open
  /// Why the filter is missing or says less "no" than it could; empty if all is well, as it is without a filter where
  /// the file has no entries.
  std::string complaint;

  /// Whether the filter works, and all of it, or none is needed.
  [[nodiscard]] bool filter_works() const noexcept { return status.ok() && complaint.empty(); }
};

struct RocksDBFilterReport {
  /// The first error of those that kept a file from being read; OK if there was none. A missing filter is no error.
  rocksdb::Status status;
  /// By column family, level and name.
  std::vector<RocksDBFileFilter> files;

  /// Whether each file that has entries has a filter that works.
  [[nodiscard]] bool all_filters_work() const noexcept;
  /// A table with a line for each file, complaints below it.
  [[nodiscard]] std::string text() const;
};

/// Reads the filters of every SST file of the database, or of these column families only. May be called at any time and
/// from any thread, while the database is written and compacted too: files that a compaction removes meanwhile are left
/// out. Reads through the database's Env, one filter block at a time, which is all the memory that it takes beside the
/// report. A column family may be open without a filter policy, or with one that does not read the filter. RocksDB
/// shows this by the family's handle only: without `families` it is known for the default family alone, and files of
/// the others get the complaint that it is not known.
[[nodiscard]] RocksDBFilterReport VerifyRocksDBFilters(rocksdb::DB& db,
                                                       const std::vector<rocksdb::ColumnFamilyHandle*>& families = {});

}  // namespace crivo

// Reports which filter each SST file of a database has. RocksDB does not report missing filters, so check regularly:
//
//   const crivo::RocksDBFilterReport report = crivo::VerifyRocksDBFilters(*db);
//   if (!report.all_filters_work()) std::cerr << report.text();
//
// Only filter blocks, and the blocks that lead to them, are read from disk. See plugins/rocksdb/README.md.
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
  int level = -1;  // -1: unknown
  std::string path;
  std::uint64_t file_bytes = 0;

  /// Whether the file could be read. If not, the other fields contain what could be read.
  rocksdb::Status status;
  /// The name of the policy with which the file was written; empty if there was none.
  std::string policy;
  /// The filter in the file: "blocked" or "ribbon" for Crivo's; "rocksdb.bloom", "rocksdb.ribbon" or
  /// "rocksdb.legacy_bloom" for RocksDB's own, "rocksdb.no_keys" for a partition without keys; "none" without a filter;
  /// "always_maybe" if no filter could be built; "rocksdb.block_based", "foreign" or "unknown" for filters that neither
  /// RocksDB nor Crivo can read. Different kinds of partitions are joined by "+": "blocked+ribbon".
  std::string kind = "none";
  std::string key_transform;  // applied to the filter's keys; empty for none
  bool partitioned = false;
  std::uint64_t blocks = 0;   // filter blocks: 1, or the number of partitions
  std::uint64_t damaged = 0;  // unreadable blocks, and blocks with a wrong checksum or contradictory contents
  std::uint64_t entries = 0;  // in the file: all versions and tombstones, but no range deletions
  std::uint64_t keys = 0;     // keys and prefixes in the filter
  std::uint64_t bytes = 0;    // of the filter blocks
  double bits_per_key = 0;
  /// The false-positive rate; 1 without a filter. The rate of Crivo's filters is computed from the blocks, so it
  /// differs slightly from the modelled crivo.filter.predicted_fp_rate.
  double current_fp_rate = 1;
  /// The scan filters (crivo/rocksdb_scan.h), or why they are missing: "prefix:4 (ribbon, 940 bytes)". May be empty.
  std::string scans;
  std::uint64_t scan_bytes = 0;  // of all scan filters; resident while the file is open
  /// Why the filter is missing, damaged, unreadable or unused, or lets every key of a block pass. Empty if the filter
  /// works, or if the file has neither a filter nor entries.
  std::string complaint;

  /// Whether the whole filter works, or none is needed.
  [[nodiscard]] bool filter_works() const noexcept { return status.ok() && complaint.empty(); }
};

struct RocksDBFilterReport {
  /// The first error in reading a file. A missing filter is not an error.
  rocksdb::Status status;
  /// Sorted by column family, level and name.
  std::vector<RocksDBFileFilter> files;

  /// Whether every file with entries has a working filter.
  [[nodiscard]] bool all_filters_work() const noexcept;
  /// A table with one line per file. Lines about scan filters and the complaint follow the file's line.
  [[nodiscard]] std::string text() const;
};

/// Reads the filters of all SST files (without RocksDB's own of persist_stats_to_disk), or only of the files of
/// `families`. Thread-safe; the database may be written and compacted meanwhile, and files that disappear are omitted.
/// Reads through the database's Env, one filter block at a time. Also works for a column family that is open without a
/// policy, or with a policy that cannot read the family's filters; the report then says so. RocksDB reports a family's
/// policy only for the family's handle. So without `families`, filters outside the default family get the complaint
/// that the family's policy is unknown.
[[nodiscard]] RocksDBFilterReport VerifyRocksDBFilters(rocksdb::DB& db,
                                                       const std::vector<rocksdb::ColumnFamilyHandle*>& families = {});

}  // namespace crivo

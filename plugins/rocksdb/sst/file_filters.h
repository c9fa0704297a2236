// All that the filters of one SST file tell about themselves.
#pragma once

#include <rocksdb/file_system.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/rocksdb.h"
#include "sst/filter_facts.h"
#include "sst/scan_facts.h"

namespace crivo::sst {

/// A filter block and its place in the file.
struct FilterBlock {
  FilterFacts facts;
  std::uint64_t offset = 0;
};

/// The filters of a file.
struct FileFilters {
  rocksdb::Status status;  // why the file, or a part of what is below, could not be read
  std::uint64_t file_bytes = 0;
  std::string column_family;  // these two as the file's properties have them
  std::string policy;
  std::string form = "none";     // FilterLayout::form
  std::string name;              // FilterLayout::name
  std::uint64_t entries = 0;     // keys and tombstones of the file, each version counted, without range deletions
  std::uint64_t keys = 0;        // keys and prefixes that the filters were built from
  bool readable = true;          // by RocksDB's policies and Crivo's
  bool whole_keys = true;        // they are built from keys, and not from prefixes alone
  std::string prefix_extractor;  // that of the file's writer; empty if there was none
  std::string stamp;             // empty if the filters are not Crivo's, or the writer had no collector
  std::vector<FilterBlock> blocks;
  std::vector<ScanFacts> scans;

  /// Of all blocks together: see kind() and current_fp_rate().
  [[nodiscard]] FilterFigures figures() const { return {kind(), keys, bytes(), current_fp_rate()}; }
  [[nodiscard]] std::uint64_t bytes() const noexcept;
  [[nodiscard]] std::uint64_t damaged() const noexcept;
  /// The share of absent keys that pass: the mean over the blocks, weighted by their bytes, which stand for their keys;
  /// 1 without one.
  [[nodiscard]] double current_fp_rate() const noexcept;
  /// The key transform of the filter; empty if it has none.
  [[nodiscard]] std::string key_transform() const;
  /// Whether the filter has transformed keys and a name under which no policy with that transform looks for it. Crivo
  /// 0.1 wrote such filters.
  [[nodiscard]] bool is_misnamed() const;
  /// The kinds of the blocks, "ribbon" or "blocked+ribbon"; "none" without one.
  [[nodiscard]] std::string kind() const;
  /// Why the file's filter says "no" to no key, or to fewer keys than it could; empty if all is well, and for a file
  /// that has no filter because it has no entries.
  [[nodiscard]] std::string complaint() const;

 private:
  [[nodiscard]] std::string why_there_is_none() const;
};

/// The property that has a file's stamp (filter_stamp in options/level_specs.h).
inline constexpr const char* kStampProperty = "crivo.filter.options";

/// The name that RocksDB's own policies had before 7.0, and that means a policy since then which writes no filters.
inline constexpr std::string_view kReadsOnly = "rocksdb.BuiltinBloomFilter";

/// Reads the filters of a file, one block at a time. A file that cannot be read is told of in `status`.
[[nodiscard]] FileFilters read_filters(rocksdb::FileSystem& files, const std::string& path);

/// Whether this is the error of a file that is not there, as one that a compaction has removed meanwhile.
[[nodiscard]] bool is_gone(const rocksdb::Status& status);

/// Why a column family that is open "with ..." or "without ..." this policy gets no "no" from these filters; empty if
/// it does. `policy` may be null.
[[nodiscard]] std::string obstacle_of(const rocksdb::FilterPolicy* policy, const FileFilters& filters);

}  // namespace crivo::sst

// The facts about all filters of one SST file.
#pragma once

#include <rocksdb/file_system.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/rocksdb.h"
#include "sst/filter_facts.h"
#include "sst/filter_layout.h"

namespace crivo::sst {

/// A filter block and its place in the file.
struct FilterBlock {
  FilterFacts facts;
  std::uint64_t offset = 0;
};

/// A scan filter of a file (crivo/rocksdb_scan.h).
struct ScanFacts {
  std::string name;         // "prefix:4"
  std::string kind;         // "ribbon"; empty without a filter
  std::uint64_t bytes = 0;  // of the property, resident while the file is open
  std::string complaint;    // why there is no filter, or what is wrong with it
};

/// The filters of a file.
struct FileFilters {
  rocksdb::Status status;  // why the file, or a part of it, could not be read
  std::uint64_t file_bytes = 0;
  std::string column_family;  // like `policy`, from the file's properties
  std::string policy;
  FilterForm form = FilterForm::kNone;
  std::string name;              // FilterLayout::name
  std::uint64_t entries = 0;     // keys and tombstones of the file, with all versions, without range deletions
  std::uint64_t keys = 0;        // keys and prefixes in the filters
  bool readable = true;          // by RocksDB's policies or Crivo's
  bool whole_keys = true;        // built from whole keys, not from prefixes alone
  std::string prefix_extractor;  // of the file's writer; may be empty
  std::string stamp;             // empty if the filters are not Crivo's, or were written without Crivo's collector
  std::vector<FilterBlock> blocks;
  std::vector<ScanFacts> scans;

  [[nodiscard]] bool has(BlockKind kind) const noexcept;
  /// All blocks together: see kind() and current_fp_rate().
  [[nodiscard]] FilterFigures figures() const { return {kind(), keys, bytes(), current_fp_rate()}; }
  [[nodiscard]] std::uint64_t bytes() const noexcept;
  [[nodiscard]] std::uint64_t damaged() const noexcept;
  /// The mean false-positive rate of the blocks, weighted by bytes as an estimate of their keys; 1 without a filter.
  [[nodiscard]] double current_fp_rate() const noexcept;
  /// The filter's key transform; may be empty.
  [[nodiscard]] std::string key_transform() const;
  /// Whether the filter has transformed keys, but not the name that policies with that transform look up. Crivo 0.1
  /// wrote such filters.
  [[nodiscard]] bool is_misnamed() const;
  /// The kinds of the blocks: "ribbon", "blocked+ribbon", or "none" (RocksDBFileFilter::kind lists all).
  [[nodiscard]] std::string kind() const;
  /// Why the filter is missing, damaged, unreadable, or lets every key of a block pass. Empty if the filter works, or
  /// if the file has neither a filter nor entries.
  [[nodiscard]] std::string complaint() const;

 private:
  [[nodiscard]] std::string why_there_is_none() const;
};

/// The prefix of the properties with scan filters, before a name such as "prefix:4".
inline constexpr std::string_view kScanProperty = "crivo.scan.";

/// The property with a file's stamp (FileSizing).
inline constexpr const char* kStampProperty = "crivo.filter.options";

/// The name of RocksDB's read-only policy, the compatibility name of all its policies, and their name before 7.0.
inline constexpr std::string_view kReadsOnly = "rocksdb.BuiltinBloomFilter";

/// Reads the filters of a file, one block at a time. `status` reports a file that cannot be read.
[[nodiscard]] FileFilters read_filters(rocksdb::FileSystem& files, const std::string& path);

/// The scan filters in a file's properties.
[[nodiscard]] std::vector<ScanFacts> scan_facts(const std::map<std::string, std::string>& properties);

/// "prefix:4 (ribbon, 940 bytes), path:/ (omitted: ...)"; may be empty.
[[nodiscard]] std::string scans_text(const std::vector<ScanFacts>& scans);

/// Whether this is the error of a missing file, which a compaction may have removed.
[[nodiscard]] bool is_gone(const rocksdb::Status& status);

/// Why a column family with this policy cannot use these filters, as the end of a sentence: "with ..." or "without
/// ...". Empty if it can. `policy` may be null.
[[nodiscard]] std::string obstacle_of(const rocksdb::FilterPolicy* policy, const FileFilters& filters);

}  // namespace crivo::sst

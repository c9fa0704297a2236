// A column family, its files, and the filters that its policy would write for them. The sizes and rates come from the
// policy's builders, which are made with the context that RocksDB would pass.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/metadata.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi.h"
#include "options/limit_plan.h"
#include "options/settings_parser.h"
#include "sst/filter_facts.h"

namespace crivo::refilter {

/// A column family and its intended filters.
struct FamilyPolicy {
  rocksdb::ColumnFamilyHandle* handle;
  rocksdb::Options options;
  std::shared_ptr<const rocksdb::FilterPolicy> policy;    // Crivo's or RocksDB's own; null: no filters
  std::optional<plugin::Settings> settings;               // of Crivo's policies
  std::optional<plugin::ListedTree> tree = std::nullopt;  // with max_total_bytes
};

/// A file, with its level, and whether it is bottommost in a compaction of this file alone.
struct TreeFile {
  rocksdb::SstFileMetaData meta;
  int level = 0;
  bool bottommost = false;  // as RocksDB's Compaction::IsBottommostLevel
};

/// A new file. If `flushed`, `bottommost` is ignored, because RocksDB does not determine it for a flush.
struct NewFile {
  int level;
  bool bottommost;
  bool flushed;
};

using plugin::table_of;

using Builder = std::unique_ptr<abi::FilterBitsBuilder>;

/// Makes the policy of an option string. Errors: RocksDB's; InvalidArgument if the text names no policy.
[[nodiscard]] rocksdb::Status make_policy(const std::string& text,
                                          std::shared_ptr<const rocksdb::FilterPolicy>* policy);

/// The context that RocksDB passes to a policy for a new file. `table` must outlive the context.
[[nodiscard]] rocksdb::FilterBuildingContext context_of(const rocksdb::ColumnFamilyOptions& family,
                                                        const rocksdb::BlockBasedTableOptions& table,
                                                        const NewFile& file);
/// Whether optimize_filters_for_hits prevents a filter for this file, under any policy.
[[nodiscard]] bool has_no_filter(const rocksdb::ColumnFamilyOptions& family, const NewFile& file) noexcept;

/// The builder of the file's filters; null for no filters. The column family's tables must be block-based.
[[nodiscard]] Builder builder_for(const rocksdb::ColumnFamilyOptions& family, const rocksdb::FilterPolicy& policy,
                                  const NewFile& file);

/// The most keys of a sample filter, which is built to determine the kind. Larger filters have the same kind, unless
/// the limits max_filter_bytes, max_build_bytes or 4 GiB apply.
inline constexpr std::size_t kFewKeys = 4096;

/// Builds a filter of `keys` >= 1 keys, and describes it. The builder must be Crivo's or RocksDB's. It can be reused,
/// but Crivo's builders count the sample against max_filter_bytes.
[[nodiscard]] sst::FilterFacts sample_filter(abi::FilterBitsBuilder& builder, std::size_t keys);

/// The planned filters of a file, in total.
struct PlannedFilter {
  double bytes;
  double predicted_fp_rate;
};

/// The builder's plan for a filter of `all_keys` keys in this number of blocks.
[[nodiscard]] PlannedFilter planned_filter(abi::FilterBitsBuilder& builder, std::uint64_t all_keys, std::size_t blocks);

/// Why a column family with these options, and block-based tables, has no keys for filters; empty if there are keys.
[[nodiscard]] std::string why_no_keys(const rocksdb::ColumnFamilyOptions& family);

/// Why a column family with these options, which have a policy, gets no filter in any file: "policy x writes no
/// filters". Empty if some files may get one.
[[nodiscard]] std::string why_no_filters(const rocksdb::ColumnFamilyOptions& family);

/// All files of the column family, level by level.
[[nodiscard]] std::vector<TreeFile> files_of(rocksdb::DB& db, const FamilyPolicy& family);

}  // namespace crivo::refilter

// The column families and files whose filters are judged, for the library and the tool.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/metadata.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "options/limit_plan.h"
#include "options/settings.h"

namespace crivo::refilter {

/// A column family and its intended filters.
struct FamilyPolicy {
  rocksdb::ColumnFamilyHandle* handle;
  rocksdb::Options options;
  std::shared_ptr<const rocksdb::FilterPolicy> policy;   // Crivo's or RocksDB's own; null: no filters
  std::optional<plugin::Settings> settings;              // of Crivo's policies
  std::optional<plugin::KnownTree> tree = std::nullopt;  // with max_total_bytes
};

/// A file, with its level, and whether it is bottommost in a compaction of this file alone.
struct FileToJudge {
  rocksdb::SstFileMetaData meta;
  int level = 0;
  bool bottommost = false;  // no lower level overlaps its range of keys
};

/// Why a column family with these options, and block-based tables, has no keys for filters; empty if there are keys.
[[nodiscard]] std::string why_no_keys(const rocksdb::ColumnFamilyOptions& family);

/// Why a column family with these options, which have a policy, gets no filter in any file: "policy x writes no
/// filters". Empty if some files may get one.
[[nodiscard]] std::string why_no_filters(const rocksdb::ColumnFamilyOptions& family);

/// All files of the column family, level by level.
[[nodiscard]] std::vector<FileToJudge> files_to_judge(rocksdb::DB& db, const FamilyPolicy& family);

}  // namespace crivo::refilter

// The column families and the files whose filters are judged, as both the library and its program see them.
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

/// A column family and what its filters are to be.
struct FamilyPolicy {
  rocksdb::ColumnFamilyHandle* handle;
  rocksdb::Options options;
  std::shared_ptr<const rocksdb::FilterPolicy> policy;   // one of Crivo's or RocksDB's own; null for no filters
  std::optional<plugin::Settings> settings;              // of a policy of Crivo's
  std::optional<plugin::KnownTree> tree = std::nullopt;  // with max_total_bytes
};

/// A file, and what the tree below it says of a compaction of it alone.
struct FileToJudge {
  rocksdb::SstFileMetaData meta;
  int level = 0;
  bool bottommost = false;  // nothing of its range of keys lies below it
};

/// Why a column family with these options, whose tables are block-based, has no keys for filters; empty if it has.
[[nodiscard]] std::string why_no_keys(const rocksdb::ColumnFamilyOptions& family);

/// Why no file of a column family with these options, which have a policy, gets a filter: "policy x writes no
/// filters". Empty if some may.
[[nodiscard]] std::string why_no_filters(const rocksdb::ColumnFamilyOptions& family);

/// All files of the column family, level by level.
[[nodiscard]] std::vector<FileToJudge> files_to_judge(rocksdb::DB& db, const FamilyPolicy& family);

}  // namespace crivo::refilter

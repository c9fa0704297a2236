// Which filter would a policy write for a file, and is it the one that the file has?
//
// Nobody but the policy knows: it chooses by level, by cause and by number of keys. So it is asked for a builder, as
// RocksDB would ask at the compaction of this file, and the builder for the size and the rate of a filter of as many
// keys. A filter that has about this size and about this rate is right. Size and rate together tell the kinds apart,
// because a ribbon of the same rate takes 30% less memory than a blocked filter; where there are so few keys that this
// is but a few bytes, a filter is built to see its kind. Whose a filter is says its block.
//
// That is the builder's plan. What it writes in the end also depends on limits (max_filter_bytes, max_build_bytes), on
// the keys that are one key to the filter, and on whether there is any key for it. So before a file is called wrong,
// its filters are really built, of as many keys.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/metadata.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sst/file_filters.h"

namespace crivo::tool {

/// A column family and what its filters are to be.
struct FamilyPolicy {
  rocksdb::ColumnFamilyHandle* handle;
  rocksdb::Options options;
  /// One of Crivo's or RocksDB's own, whose key transform changes nothing, so that any keys will do to try it; null for
  /// no filters.
  std::shared_ptr<const rocksdb::FilterPolicy> policy;
  std::optional<std::string> key_transform;  // that of the column family's policy, if it is known
};

/// A file, and what the tree below it says of a compaction of it alone.
struct FileToJudge {
  rocksdb::SstFileMetaData meta;
  int level = 0;
  bool bottommost = false;  // nothing of its range of keys lies below it
};

/// The key transform of a policy of Crivo's; no value for other policies, and for one that writes no filters.
[[nodiscard]] std::optional<std::string> key_transform_of(const rocksdb::FilterPolicy& policy,
                                                          const rocksdb::BlockBasedTableOptions& table);

/// Why no file of a column family with these options, which have a policy, gets a filter: "policy x writes no
/// filters". Empty if some may.
[[nodiscard]] std::string why_no_filters(const rocksdb::ColumnFamilyOptions& family);

[[nodiscard]] inline std::string path_of(const rocksdb::SstFileMetaData& file) {
  return file.directory + "/" + file.relative_filename;
}

/// All files of the column family, level by level.
[[nodiscard]] std::vector<FileToJudge> files_to_judge(rocksdb::DB& db, const FamilyPolicy& family);

inline constexpr const char* kToHaveNone = "a filter where there is to be none";

/// What is wrong with the file's filter, for people: "missing", "not crivo.Auto's", "11.2 bits a key instead of 7.1".
/// Empty if it is what the policy would write.
[[nodiscard]] std::string judge(const FamilyPolicy& family, const FileToJudge& file, const sst::FileFilters& filters);

}  // namespace crivo::tool

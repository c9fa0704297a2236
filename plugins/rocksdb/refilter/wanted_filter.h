// Which filter would a policy write for a file, and is it the one that the file has?
//
// Only the policy knows: it chooses by level, by cause and by number of keys. So it is asked for a builder, as RocksDB
// would ask at a compaction of this file, and the builder says which size and rate a filter of as many keys would have.
// The file's filter is right if it has this kind, about this size and about this rate. A filter of a few thousand keys
// at most is built to see its kind. The name of the library that wrote a filter stands in the filter's block.
//
// The builder's answer is a plan. The filter that it writes also depends on limits (max_filter_bytes, max_build_bytes),
// on how many keys have the same prefix, and on whether there is any key at all. So before a file is called wrong,
// filters of as many keys are built and compared.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/metadata.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sst/file_filters.h"

namespace crivo::refilter {

/// A column family and what its filters are to be.
struct FamilyPolicy {
  rocksdb::ColumnFamilyHandle* handle;
  rocksdb::Options options;
  /// One of Crivo's or RocksDB's own, whose key transform changes nothing (FilterPolicy::for_trial), so that any keys
  /// will do to try it; null for no filters.
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

}  // namespace crivo::refilter

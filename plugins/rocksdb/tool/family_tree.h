// The tree of a column family with its filters, for advice.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "refilter/family_policy.h"
#include "tool/advice.h"
#include "tool/database.h"

namespace crivo::tool {

using namespace refilter;  // NOLINT(google-build-using-namespace)

/// The files of a level that a policy treats alike, with their filters; or the sum of several such groups.
struct FileGroup {
  NewFile file{};
  std::uint64_t files = 0;
  std::uint64_t keys = 0;    // keys and prefixes in filters; entries of files without filters
  std::uint64_t blocks = 0;  // of filters; at least one per file
  /// How many of these files a lookup of an absent key reads without filters, on average, if the looked-up keys are
  /// distributed like the stored keys: a sorted run that covers a tenth of the keys counts as a tenth.
  double runs = 0;
  FilterCosts costs;
  std::set<std::string> kinds;  // as in FilterFacts, and "none"

  /// Adds the numbers and kinds of other files.
  FileGroup& operator+=(const FileGroup& other);
  [[nodiscard]] double bits_per_key() const noexcept;
  /// The kinds, joined by "+".
  [[nodiscard]] std::string kind() const;
};

struct FamilyTree {
  std::vector<FileGroup> groups;        // by level, starting with level 0
  std::vector<std::string> complaints;  // about unreadable files, and files with damaged filters

  /// The sums over all groups, and per level; their `file` is meaningless.
  [[nodiscard]] FileGroup all() const;
  [[nodiscard]] std::map<int, FileGroup> levels() const;
  /// The levels as crivo.Auto counts them. The options of `family` determine the last level.
  [[nodiscard]] TreeSizes sizes(const rocksdb::ColumnFamilyOptions& family) const;
};

/// Reads the filters of all files, and the index blocks at the ends of the sorted runs. Files that disappear, because
/// the database is in use, are omitted.
[[nodiscard]] FamilyTree read_tree(rocksdb::DB& db, const FamilyPolicy& family);

}  // namespace crivo::tool

// The tree of a column family, with the filters that it has: what an adviser must know of it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "refilter/judged_files.h"
#include "refilter/planned_filter.h"
#include "tool/advice.h"
#include "tool/database.h"

namespace crivo::tool {

using namespace refilter;  // NOLINT(google-build-using-namespace)

/// Files of a level, and their filters: those that a policy treats alike, or all of them.
struct FileGroup {
  NewFile file{};
  std::uint64_t files = 0;
  std::uint64_t keys = 0;    // and prefixes, of which filters are made
  std::uint64_t blocks = 0;  // of filters; at least one for each file
  /// How many of these files a question for an absent key reads without filters, on the average, if the keys that
  /// are asked for lie where the keys are: a sorted run that covers a tenth of the keys counts a tenth.
  double runs = 0;
  FilterCosts costs;
  std::set<std::string> kinds;  // as in FilterFacts, and "none"

  /// Adds the numbers and the kinds of other files.
  FileGroup& operator+=(const FileGroup& other);
  [[nodiscard]] double bits_per_key() const noexcept;
  /// The kinds, joined by "+".
  [[nodiscard]] std::string kind() const;
};

struct FamilyTree {
  std::vector<FileGroup> groups;        // by level, those of level 0 first
  std::vector<std::string> complaints;  // of files that could not be read, and of those with a damaged filter

  /// The sums over all groups, and over those of each level, by its number; their `file` means nothing.
  [[nodiscard]] FileGroup all() const;
  [[nodiscard]] std::map<int, FileGroup> levels() const;
  /// The levels as crivo.Auto counts them. `family`: its options say which level is the last.
  [[nodiscard]] TreeSizes sizes(const rocksdb::ColumnFamilyOptions& family) const;
};

/// Reads the filters of all files, and the index blocks at the ends of the sorted runs. A file that is gone, because
/// the database is in use, is left out.
[[nodiscard]] FamilyTree read_tree(rocksdb::DB& db, const FamilyPolicy& family);

}  // namespace crivo::tool

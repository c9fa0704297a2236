#include "tool/family_tree.h"

#include <rocksdb/env.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "crivo/host/text.h"
#include "sst/file_filters.h"
#include "sst/table_file.h"

namespace crivo::tool {
namespace {

/// A range of keys, extended by files.
class Span {
 public:
  explicit Span(const rocksdb::Comparator& order) : order_(&order) {}

  void add(const rocksdb::SstFileMetaData& file) {
    if (empty_ || order_->Compare(file.smallestkey, first_) < 0) first_ = file.smallestkey;
    if (empty_ || order_->Compare(file.largestkey, last_) > 0) last_ = file.largestkey;
    empty_ = false;
  }
  /// The approximate size of the data in the range; 0 after an error.
  [[nodiscard]] double bytes(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family) const {
    const std::string end = last_ + '\0';  // exclusive: the first key after the range
    const rocksdb::Range range(first_, end);
    std::uint64_t size = 0;
    return db.GetApproximateSizes(family, &range, 1, &size).ok() ? static_cast<double>(size) : 0;
  }

 private:
  const rocksdb::Comparator* order_;
  bool empty_ = true;
  std::string first_;
  std::string last_;
};

/// A file and its filters.
struct ReadFile {
  TreeFile file;
  sst::FileFilters filters;
  bool flushed = false;  // estimated, because no file property records it

  /// The false-positive rate with this policy; 1 if the policy cannot use the filters.
  [[nodiscard]] double fp_rate(const rocksdb::FilterPolicy* policy) const {
    return sst::obstacle_of(policy, filters).empty() ? filters.current_fp_rate() : 1;
  }
  [[nodiscard]] std::uint64_t keys() const noexcept {
    return filters.blocks.empty() ? filters.entries : std::max<std::uint64_t>(filters.keys, 1);
  }
};

std::vector<ReadFile> read_files(rocksdb::DB& db, const FamilyPolicy& family, FamilyTree& tree) {
  std::vector<ReadFile> files;
  for (TreeFile& file : files_of(db, family)) {
    sst::FileFilters filters = sst::read_filters(*db.GetEnv()->GetFileSystem(), sst::path_of(file.meta));
    if (sst::is_gone(filters.status)) continue;
    if (!filters.status.ok() || filters.damaged() > 0) {
      const bool damaged = filters.damaged() > 0;
      tree.complaints.push_back(sst::path_of(file.meta) + ": " +
                                (damaged ? filters.complaint() : filters.status.ToString()));
    }
    if (filters.entries == 0) continue;  // range deletions only, or unreadable
    const bool flushed = file.level == 0 && file.meta.size <= family.options.write_buffer_size;
    files.push_back({std::move(file), std::move(filters), flushed});
  }
  return files;
}

/// How much of the tree each sorted run covers, from 0 to 1. A run is a file of level 0, or a whole lower level.
class Coverage {
 public:
  Coverage(rocksdb::DB& db, const FamilyPolicy& family, const std::vector<ReadFile>& files) {
    const rocksdb::Comparator& order = *family.options.comparator;
    Span all(order);
    std::map<int, Span> levels;
    for (const ReadFile& file : files) {
      all.add(file.file.meta);
      levels.try_emplace(file.file.level, order).first->second.add(file.file.meta);
    }
    const double all_bytes = files.empty() ? 0 : all.bytes(db, family.handle);
    const auto share = [&](const Span& span) {
      const double bytes = span.bytes(db, family.handle);
      return bytes > 0 && all_bytes > bytes ? bytes / all_bytes : 1;
    };
    for (const auto& [level, span] : levels) {
      if (level > 0) of_level_[level] = share(span);
    }
    for (const ReadFile& file : files) {
      if (file.file.level > 0) continue;
      Span span(order);
      span.add(file.file.meta);
      of_file_[file.file.meta.file_number] = share(span);
    }
  }
  [[nodiscard]] double of(const TreeFile& file) const {
    return file.level > 0 ? of_level_.at(file.level) : of_file_.at(file.meta.file_number);
  }

 private:
  std::map<int, double> of_level_;
  std::map<std::uint64_t, double> of_file_;
};

}  // namespace

FamilyTree read_tree(rocksdb::DB& db, const FamilyPolicy& family) {
  FamilyTree tree;
  const std::vector<ReadFile> files = read_files(db, family, tree);
  const Coverage coverage(db, family, files);
  std::map<int, double> level_keys;
  for (const ReadFile& file : files) level_keys[file.file.level] += static_cast<double>(file.keys());
  std::map<std::tuple<int, bool, bool>, FileGroup> groups;
  for (const ReadFile& each : files) {
    const NewFile file{each.file.level, each.file.bottommost, each.flushed};
    FileGroup& group = groups[{file.level, file.bottommost, file.flushed}];
    group.file = file;
    ++group.files;
    group.keys += each.keys();
    group.blocks += std::max<std::size_t>(each.filters.blocks.size(), 1);
    group.kinds.insert(each.filters.kind());
    // A lookup reaches one file of a level, and every file of level 0.
    const double of_run = file.level > 0 ? static_cast<double>(each.keys()) / level_keys[file.level] : 1;
    const double runs = of_run * coverage.of(each.file);
    group.runs += runs;
    group.costs += {static_cast<double>(each.filters.bytes()), runs * each.fp_rate(family.policy.get())};
  }
  for (auto& [key, group] : groups) tree.groups.push_back(std::move(group));
  return tree;
}

FileGroup& FileGroup::operator+=(const FileGroup& other) {
  files += other.files;
  keys += other.keys;
  blocks += other.blocks;
  runs += other.runs;
  costs += other.costs;
  kinds.insert(other.kinds.begin(), other.kinds.end());
  return *this;
}

double FileGroup::bits_per_key() const noexcept { return keys == 0 ? 0 : 8 * costs.bytes / static_cast<double>(keys); }

std::string FileGroup::kind() const { return joined(kinds, "+"); }

FileGroup FamilyTree::all() const {
  FileGroup sum;
  for (const FileGroup& group : groups) sum += group;
  return sum;
}

std::map<int, FileGroup> FamilyTree::levels() const {
  std::map<int, FileGroup> levels;
  for (const FileGroup& group : groups) levels[group.file.level] += group;
  return levels;
}

TreeSizes FamilyTree::sizes(const rocksdb::ColumnFamilyOptions& family) const {
  std::map<int, double> levels;
  TreeSizes sizes;
  for (const FileGroup& group : groups) {
    if (group.file.level > 0) {
      levels[group.file.level] += static_cast<double>(group.keys);
    } else {
      sizes.level0_keys += static_cast<double>(group.keys);
      sizes.level0_runs += static_cast<double>(group.files);
    }
  }
  if (levels.empty()) return sizes;
  const bool universal = family.compaction_style == rocksdb::kCompactionStyleUniversal;
  const bool from_last = universal || family.level_compaction_dynamic_level_bytes;
  const int last = from_last ? std::max(family.num_levels - 1, levels.rbegin()->first) : levels.rbegin()->first;
  const int top = from_last ? levels.begin()->first : 1;
  for (int level = last; level >= top; --level) sizes.keys.push_back(levels.count(level) != 0 ? levels[level] : 0);
  return sizes;
}

}  // namespace crivo::tool

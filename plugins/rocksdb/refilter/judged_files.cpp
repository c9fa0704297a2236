#include "refilter/judged_files.h"

#include <rocksdb/comparator.h>
#include <rocksdb/table.h>

#include <cstddef>

#include "refilter/planned_filter.h"

namespace crivo::refilter {
namespace {

bool overlap(const rocksdb::Comparator& order, const rocksdb::SstFileMetaData& a, const rocksdb::SstFileMetaData& b) {
  return order.CompareWithoutTimestamp(a.smallestkey, b.largestkey) <= 0 &&
         order.CompareWithoutTimestamp(b.smallestkey, a.largestkey) <= 0;
}

/// As RocksDB's Compaction::IsBottommostLevel: in level 0 only the last file can be bottommost, and only if all lower
/// levels are empty.
bool is_bottommost(const rocksdb::Comparator& order, const rocksdb::ColumnFamilyMetaData& family, std::size_t level,
                   std::size_t index) {
  const auto& files = family.levels[level].files;
  if (level == 0 && index + 1 != files.size()) return false;
  for (std::size_t below = level + 1; below < family.levels.size(); ++below) {
    for (const auto& other : family.levels[below].files) {
      if (level == 0 || overlap(order, files[index], other)) return false;
    }
  }
  return true;
}

}  // namespace

std::string why_no_keys(const rocksdb::ColumnFamilyOptions& family) {
  if (table_of(family)->whole_key_filtering || family.prefix_extractor != nullptr) return "";
  return "whole_key_filtering=false without a prefix_extractor leaves no key to filter";
}

std::string why_no_filters(const rocksdb::ColumnFamilyOptions& family) {
  if (std::string why = why_no_keys(family); !why.empty()) return why;
  const auto& table = *table_of(family);
  for (int level = 0; level < family.num_levels; ++level) {
    for (const bool flushed : {true, false}) {
      if (builder_for(family, *table.filter_policy, {level, /*bottommost=*/false, flushed}) != nullptr) return "";
    }
  }
  return "policy " + table.filter_policy->GetId() + " writes no filters";
}

std::vector<FileToJudge> files_to_judge(rocksdb::DB& db, const FamilyPolicy& family) {
  rocksdb::ColumnFamilyMetaData meta;
  db.GetColumnFamilyMetaData(family.handle, &meta);
  std::vector<FileToJudge> files;
  for (std::size_t level = 0; level < meta.levels.size(); ++level) {
    for (std::size_t i = 0; i < meta.levels[level].files.size(); ++i) {
      files.push_back({meta.levels[level].files[i], static_cast<int>(level),
                       is_bottommost(*family.options.comparator, meta, level, i)});
    }
  }
  return files;
}

}  // namespace crivo::refilter

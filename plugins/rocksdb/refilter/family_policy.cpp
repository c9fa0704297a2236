#include "refilter/family_policy.h"

#include <rocksdb/comparator.h>
#include <rocksdb/convenience.h>
#include <rocksdb/table.h>

#include <algorithm>

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

rocksdb::Status make_policy(const std::string& text, std::shared_ptr<const rocksdb::FilterPolicy>* policy) {
  rocksdb::ConfigOptions config;
  config.ignore_unknown_options = config.ignore_unsupported_options = false;
  const rocksdb::Status made = rocksdb::FilterPolicy::CreateFromString(config, text, policy);
  return made.ok() && *policy == nullptr ? rocksdb::Status::InvalidArgument("not a filter policy") : made;
}

rocksdb::FilterBuildingContext context_of(const rocksdb::ColumnFamilyOptions& family,
                                          const rocksdb::BlockBasedTableOptions& table, const NewFile& file) {
  rocksdb::FilterBuildingContext context(table);
  context.compaction_style = family.compaction_style;
  context.num_levels = family.num_levels;
  context.level_at_creation = file.level;
  context.is_bottommost = file.bottommost && !file.flushed;
  context.reason =
      file.flushed ? rocksdb::TableFileCreationReason::kFlush : rocksdb::TableFileCreationReason::kCompaction;
  return context;
}

bool has_no_filter(const rocksdb::ColumnFamilyOptions& family, const NewFile& file) noexcept {
  return family.optimize_filters_for_hits && file.bottommost && !file.flushed;
}

Builder builder_for(const rocksdb::ColumnFamilyOptions& family, const rocksdb::FilterPolicy& policy,
                    const NewFile& file) {
  rocksdb::BlockBasedTableOptions table = *table_of(family);
  // With this option, RocksDB's builders store keys until the filter is verified. Sample filters are never verified.
  table.detect_filter_construct_corruption = false;
  if (has_no_filter(family, file)) return nullptr;
  return Builder(
      reinterpret_cast<abi::FilterBitsBuilder*>(policy.GetBuilderWithContext(context_of(family, table, file))));
}

sst::FilterFacts sample_filter(abi::FilterBitsBuilder& builder, std::size_t keys) {
  for (std::size_t i = 0; i < keys; ++i) builder.AddKey(std::to_string(i));
  std::unique_ptr<const char[]> buffer;
  const rocksdb::Slice block = builder.Finish(&buffer);
  return sst::describe_filter({block.data(), block.size()}, keys, /*matches=*/true);
}

PlannedFilter planned_filter(abi::FilterBitsBuilder& builder, std::uint64_t all_keys, std::size_t blocks) {
  const std::size_t keys = std::max<std::size_t>(static_cast<std::size_t>(all_keys) / blocks, 1);
  const auto times_blocks = [&](std::size_t bytes) { return static_cast<double>(bytes) * static_cast<double>(blocks); };
  if (keys >= kFewKeys) {
    const std::size_t bytes = builder.CalculateSpace(keys);
    return {times_blocks(bytes), builder.EstimatedFpRate(keys, bytes)};
  }
  const sst::FilterFacts built = sample_filter(builder, keys);
  return {times_blocks(built.bytes), built.current_fp_rate};
}

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

std::vector<TreeFile> files_of(rocksdb::DB& db, const FamilyPolicy& family) {
  rocksdb::ColumnFamilyMetaData meta;
  db.GetColumnFamilyMetaData(family.handle, &meta);
  std::vector<TreeFile> files;
  for (std::size_t level = 0; level < meta.levels.size(); ++level) {
    for (std::size_t i = 0; i < meta.levels[level].files.size(); ++i) {
      files.push_back({meta.levels[level].files[i], static_cast<int>(level),
                       is_bottommost(*family.options.comparator, meta, level, i)});
    }
  }
  return files;
}

}  // namespace crivo::refilter

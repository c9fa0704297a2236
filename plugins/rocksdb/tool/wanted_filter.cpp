#include "wanted_filter.h"

#include <rocksdb/comparator.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>

#include "../abi.h"
#include "../sst/policy_sample.h"

namespace crivo::tool {
namespace {

/// Partitions are rounded up to whole blocks, each by itself, and a ribbon takes up to 3% less than is planned.
constexpr double kSizeTolerance = 0.05;
constexpr double kBlockTolerance = 160;
/// A wrong kind of the right size is off by a factor of 4 and more.
constexpr double kRateTolerance = 2;
/// Small partitions, for which the kind is known, are rounded up by as much as a few bits per key.
constexpr double kSmallRateTolerance = 5;

/// A filter of so few keys is quickly built, to see of which kind it is: its size alone would not tell.
constexpr std::size_t kFewKeys = 4096;

/// What the filter of a file is to be.
struct Wanted {
  double bytes = 0;
  double fp_rate = 1;
  std::set<std::string> kinds;  // that it may have; empty if its size tells
};

bool overlap(const rocksdb::Comparator& order, const rocksdb::SstFileMetaData& a, const rocksdb::SstFileMetaData& b) {
  return order.CompareWithoutTimestamp(a.smallestkey, b.largestkey) <= 0 &&
         order.CompareWithoutTimestamp(b.smallestkey, a.largestkey) <= 0;
}

/// As RocksDB's Compaction::IsBottommostLevel finds it: level 0 must be done with its last file, and counts as
/// overlapping with everything below.
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

/// What the policy writes for this file, with as many filter blocks as it has now; no value for no filter.
std::optional<Wanted> wanted(const FamilyPolicy& family, const FileToJudge& file, const sst::FileFilters& filters,
                             bool flushed) {
  const auto* const table = family.options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  if (family.options.optimize_filters_for_hits && file.bottommost && !flushed) return std::nullopt;
  rocksdb::FilterBuildingContext context(*table);
  context.compaction_style = family.options.compaction_style;
  context.num_levels = family.options.num_levels;
  context.column_family_name = family.handle->GetName();
  context.level_at_creation = file.level;
  context.is_bottommost = file.bottommost && !flushed;
  context.reason = flushed ? rocksdb::TableFileCreationReason::kFlush : rocksdb::TableFileCreationReason::kCompaction;
  const std::unique_ptr<abi::FilterBitsBuilder> builder(
      reinterpret_cast<abi::FilterBitsBuilder*>(family.policy->GetBuilderWithContext(context)));
  if (builder == nullptr) return std::nullopt;
  const std::size_t blocks = std::max<std::size_t>(filters.blocks.size(), 1);
  const auto keys = static_cast<std::size_t>(filters.keys) / blocks;
  const auto times_blocks = [&](std::size_t bytes) { return static_cast<double>(bytes) * static_cast<double>(blocks); };
  if (keys >= kFewKeys) {
    const std::size_t bytes = builder->CalculateSpace(keys);
    return Wanted{times_blocks(bytes), builder->EstimatedFpRate(keys, bytes), {}};
  }
  const sst::FilterFacts built = sst::sample_filter(*builder, std::max<std::size_t>(keys, 1));
  // How many keys a partition has is known by and large, and where a policy changes from kind to kind either is right.
  return Wanted{times_blocks(built.bytes),
                built.fp_rate,
                {built.kind, sst::sample_filter(*builder, keys * 4 / 5 + 1).kind,
                 sst::sample_filter(*builder, keys * 5 / 4 + 1).kind}};
}

/// The kind of the largest block: the last partition may be a small one.
std::string kind_of(const sst::FileFilters& filters) {
  const auto by_size = [](const sst::FilterBlock& block) { return block.facts.bytes; };
  return std::ranges::max_element(filters.blocks, {}, by_size)->facts.kind;
}

bool is_policys(const rocksdb::FilterPolicy& policy, const sst::FilterFacts& facts) {
  const bool our_policy = std::string_view(policy.Name()).starts_with("crivo.");
  return our_policy != facts.kind.starts_with("rocksdb.");
}

std::string complaint_of(const sst::FileFilters& filters, const std::optional<Wanted>& wanted) {
  const double bytes = static_cast<double>(filters.bytes());
  if (!wanted) return filters.blocks.empty() ? "" : "a filter where there is to be none";
  if (filters.blocks.empty()) return "missing";
  const double allowed = kSizeTolerance * wanted->bytes + kBlockTolerance * static_cast<double>(filters.blocks.size());
  const double rate = filters.fp_rate();
  const double tolerance = wanted->kinds.empty() ? kRateTolerance : kSmallRateTolerance;
  const bool same_rate = rate <= tolerance * wanted->fp_rate && wanted->fp_rate <= tolerance * rate;
  if (!wanted->kinds.empty() && wanted->kinds.count(kind_of(filters)) == 0) {
    return kind_of(filters) + " instead of " + *wanted->kinds.begin();
  }
  if (std::abs(bytes - wanted->bytes) <= allowed && (same_rate || rate < 1e-6)) return "";
  char text[160];
  const auto keys = static_cast<double>(std::max<std::uint64_t>(filters.keys, 1));
  std::snprintf(text, sizeof text, "%.1f bits a key and a rate of %.2g instead of %.1f and %.2g", 8 * bytes / keys,
                rate, 8 * wanted->bytes / keys, wanted->fp_rate);
  return text;
}

}  // namespace

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

std::string judge(const FamilyPolicy& family, const FileToJudge& file, const sst::FileFilters& filters) {
  if (filters.entries == 0) return "";
  if (filters.form != "none" && !filters.readable) return "not one that RocksDB reads";
  if (filters.damaged() > 0) return "damaged";
  const auto foreign = [&](const sst::FilterBlock& block) {
    return !block.facts.filters() || !is_policys(*family.policy, block.facts);
  };
  std::string after_compaction = complaint_of(filters, wanted(family, file, filters, /*flushed=*/false));
  if (after_compaction.empty() && filters.blocks.empty()) return "";
  if (std::ranges::any_of(filters.blocks, foreign)) return std::string("not of ") + family.policy->Name();
  if (family.key_transform && *family.key_transform != filters.key_transform()) {
    return "key_transform is \"" + filters.key_transform() + "\" instead of \"" + *family.key_transform + '"';
  }
  // A file of level 0 is mostly one that was flushed, and soon compacted: it may be as flushes write it.
  if (file.level == 0 && complaint_of(filters, wanted(family, file, filters, /*flushed=*/true)).empty()) return "";
  return after_compaction;
}

}  // namespace crivo::tool

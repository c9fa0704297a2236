#include "refilter/wanted_filter.h"

#include <rocksdb/comparator.h>
#include <rocksdb/iterator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>

#include "refilter/planned_filter.h"

namespace crivo::refilter {
namespace {

/// A ribbon takes up to 3% less than is planned.
constexpr double kSizeTolerance = 0.05;
/// Partitions are rounded up to whole blocks, each by itself, and a filter that is alone to words.
constexpr double kPartitionTolerance = 160;
constexpr double kSingleTolerance = 16;
/// The rate of a blocked filter scatters.
constexpr double kRateTolerance = 2;
/// Small partitions, for which the kind is known, are rounded up by as much as a few bits per key.
constexpr double kSmallRateTolerance = 5;

/// What the filter of a file is to be.
struct Wanted {
  double bytes;
  double fp_rate;
  double rate_tolerance;
  std::set<std::string> kinds;  // that it may have
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

/// What the builder plans for this number of keys in as many blocks.
Wanted plan(abi::FilterBitsBuilder& builder, std::uint64_t all_keys, std::size_t blocks) {
  const PlannedFilter planned = planned_filter(builder, all_keys, blocks);
  Wanted wanted{planned.bytes, planned.predicted_fp_rate, kSmallRateTolerance, {planned.kind}};
  if (planned.kind.empty()) {
    wanted.rate_tolerance = kRateTolerance;
    wanted.kinds = {sample_filter(builder, kFewKeys).kind};
  } else if (blocks > 1) {
    // How many keys a partition has is known by and large. Where a policy changes from kind to kind, either is right.
    const auto keys = static_cast<std::size_t>(all_keys) / blocks;
    wanted.kinds.insert({sample_filter(builder, keys * 4 / 5 + 1).kind, sample_filter(builder, keys * 5 / 4 + 1).kind});
  }
  return wanted;
}

/// What the builder really writes for this number of keys in as many blocks, one after the other, as for a file. Takes
/// as long, and as much memory, as this takes in a rewrite of the file.
Wanted build(abi::FilterBitsBuilder& builder, std::uint64_t keys, std::size_t blocks) {
  sst::FileFilters built;
  std::set<std::string> kinds;
  for (std::size_t i = 0; i < blocks; ++i) {
    const auto share = static_cast<std::size_t>(keys / blocks + (i < keys % blocks ? 1 : 0));
    built.blocks.push_back({sample_filter(builder, std::max<std::size_t>(share, 1)), 0});
    kinds.insert(built.blocks.back().facts.kind);
  }
  return {static_cast<double>(built.bytes()), built.current_fp_rate(),
          keys / blocks < kFewKeys ? kSmallRateTolerance : kRateTolerance, std::move(kinds)};
}

/// Whether there is a key for the filter of a file that has none. With whole_key_filtering=false only those are for it
/// that the prefix_extractor takes. The file is read up to the first one. (No iterator shows tombstones, so of these
/// the first and the last key of the file are all that is seen: the filter of the others would spare a read, no more.)
bool has_key_for_filter(const FamilyPolicy& family, const FileToJudge& file) {
  const auto& table = *table_of(family.options);
  if (table.whole_key_filtering || family.options.comparator->timestamp_size() > 0) return true;
  const rocksdb::SliceTransform* const prefix = family.options.prefix_extractor.get();
  if (prefix == nullptr) return false;
  rocksdb::SstFileReader reader(family.options);
  if (!reader.Open(path_of(file.meta)).ok()) return true;
  const bool ends_are_keys = reader.GetTableProperties()->num_range_deletions == 0;
  if (ends_are_keys && (prefix->InDomain(file.meta.smallestkey) || prefix->InDomain(file.meta.largestkey))) return true;
  rocksdb::ReadOptions all;
  all.total_order_seek = true;
  all.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> keys(reader.NewIterator(all));
  for (keys->SeekToFirst(); keys->Valid(); keys->Next()) {
    if (prefix->InDomain(keys->key())) return true;
  }
  return !keys->status().ok();
}

/// The kind of the largest block: the last partition may be a small one.
std::string kind_of(const sst::FileFilters& filters) {
  const auto by_size = [](const sst::FilterBlock& block) { return block.facts.bytes; };
  return std::ranges::max_element(filters.blocks, {}, by_size)->facts.kind;
}

bool has_kind(const sst::FileFilters& filters, std::string_view kind) {
  return std::ranges::any_of(filters.blocks, [&](const sst::FilterBlock& block) { return block.facts.kind == kind; });
}

bool is_policys(const rocksdb::FilterPolicy& policy, const sst::FilterFacts& facts) {
  const bool our_policy = std::string_view(policy.Name()).starts_with("crivo.");
  return our_policy != facts.kind.starts_with("rocksdb.");
}

/// The rate of a ribbon is as exact as its bits, of which it has some for each 64 keys.
double ribbon_rate_tolerance(const sst::FileFilters& filters, const Wanted& wanted) {
  const int columns = -std::ilogb(std::max(wanted.fp_rate, 1e-12));
  const double keys = static_cast<double>(filters.keys) / static_cast<double>(filters.blocks.size());
  return std::min(1 + kSizeTolerance * columns + 128 / keys, kSmallRateTolerance);
}

/// How the filter of a file differs from the wanted one; empty if it does not.
std::string difference(const sst::FileFilters& filters, const Wanted& wanted) {
  const std::string kind = kind_of(filters);
  if (wanted.kinds.count(kind) == 0) return kind + " instead of " + *wanted.kinds.begin();
  const double bytes = static_cast<double>(filters.bytes());
  const auto blocks = static_cast<double>(filters.blocks.size());
  const double allowed = kSizeTolerance * wanted.bytes + (blocks > 1 ? kPartitionTolerance * blocks : kSingleTolerance);
  const bool same_size = std::abs(bytes - wanted.bytes) <= allowed;
  const bool is_small = wanted.rate_tolerance == kSmallRateTolerance;
  const bool is_ribbon = kind.ends_with("ribbon");
  const double tolerance = is_ribbon ? ribbon_rate_tolerance(filters, wanted) : wanted.rate_tolerance;
  const double rate = filters.current_fp_rate();
  const bool too_high = rate > tolerance * wanted.fp_rate;
  const bool too_low = wanted.fp_rate > tolerance * rate;
  // To a filter, several keys of a file may be one: canonical keys and prefixes. A ribbon then is smaller, at the same
  // rate; others have the same size and a lower rate.
  const bool fewer_keys = is_ribbon && !too_low && bytes < wanted.bytes;
  // The rate of a few blocks scatters, and partitions need not have the same number of keys.
  if (same_size && (!too_high || is_small || rate < 1e-6)) return "";
  if (fewer_keys && !too_high) return "";
  char text[160];
  const auto keys = static_cast<double>(std::max<std::uint64_t>(filters.keys, 1));
  std::snprintf(text, sizeof text, "%.1f bits a key and a rate of %.2g instead of %.1f and %.2g", 8 * bytes / keys,
                rate, 8 * wanted.bytes / keys, wanted.fp_rate);
  return text;
}

/// The bound for the filters of a file, as a policy's id has it. Partitions get less than they want from its half on.
double max_filter_bytes(const rocksdb::FilterPolicy& policy) {
  constexpr std::string_view kOption = ":max_filter_bytes:";
  const std::string id = policy.GetId();
  const std::size_t found = id.find(kOption);
  if (found == std::string::npos) return HUGE_VAL;
  return static_cast<double>(std::strtoull(id.c_str() + found + kOption.size(), nullptr, 10));
}

/// What a rewrite would change of the file's filter, as a flush or a compaction writes it; empty if nothing.
std::string complaint_of(const FamilyPolicy& family, const FileToJudge& file, const sst::FileFilters& filters,
                         bool flushed) {
  const NewFile rewritten{file.level, file.bottommost, flushed};
  const Builder planning = builder_for(family.options, *family.policy, rewritten);
  if (planning == nullptr) return filters.blocks.empty() ? "" : kToHaveNone;
  if (filters.blocks.empty()) return has_key_for_filter(family, file) ? "missing" : "";
  const Wanted planned = plan(*planning, filters.keys, filters.blocks.size());
  const bool every_key_passes = has_kind(filters, "always_maybe");
  const bool is_bounded = planned.bytes > max_filter_bytes(*family.policy) / 2;
  if (!every_key_passes && !is_bounded && difference(filters, planned).empty()) return "";
  Wanted built = build(*builder_for(family.options, *family.policy, rewritten), filters.keys, filters.blocks.size());
  if (every_key_passes && built.kinds.count("always_maybe") == 0) return "it lets every key pass";
  built.kinds.insert(planned.kinds.begin(), planned.kinds.end());
  return difference(filters, built);
}

}  // namespace

std::optional<std::string> key_transform_of(const rocksdb::FilterPolicy& policy,
                                            const rocksdb::BlockBasedTableOptions& table) {
  if (!std::string_view(policy.Name()).starts_with("crivo.")) return std::nullopt;
  const Builder builder = builder_of(policy, rocksdb::FilterBuildingContext(table));
  return builder != nullptr ? std::optional(sample_filter(*builder, 1).key_transform) : std::nullopt;
}

std::string why_no_filters(const rocksdb::ColumnFamilyOptions& family) {
  const auto& table = *table_of(family);
  if (!table.whole_key_filtering && family.prefix_extractor == nullptr) {
    return "whole_key_filtering=false without a prefix_extractor leaves no key to filter";
  }
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

std::string judge(const FamilyPolicy& family, const FileToJudge& file, const sst::FileFilters& filters) {
  if (filters.entries == 0) return "";
  if (filters.form != "none" && !filters.readable) return "not one that RocksDB reads";
  if (filters.damaged() > 0) return "damaged";
  if (family.policy == nullptr) return filters.blocks.empty() ? "" : kToHaveNone;
  const auto foreign = [&](const sst::FilterBlock& block) {
    return block.facts.kind != "always_maybe" &&
           (!block.facts.can_say_no() || !is_policys(*family.policy, block.facts));
  };
  if (std::ranges::any_of(filters.blocks, foreign)) {
    const bool none = builder_for(family.options, *family.policy, {file.level, file.bottommost, false}) == nullptr;
    return none ? kToHaveNone : std::string("not of ") + family.policy->Name();
  }
  const bool has_transform = !filters.blocks.empty() && !has_kind(filters, "always_maybe");
  if (has_transform && family.key_transform && *family.key_transform != filters.key_transform()) {
    return "key_transform is \"" + filters.key_transform() + "\" instead of \"" + *family.key_transform + '"';
  }
  // A file of level 0 is mostly one that was flushed, and soon compacted: it may be as flushes write it.
  if (file.level == 0 && complaint_of(family, file, filters, /*flushed=*/true).empty()) return "";
  return complaint_of(family, file, filters, /*flushed=*/false);
}

}  // namespace crivo::refilter

#include "refilter/judge.h"

#include <rocksdb/comparator.h>
#include <rocksdb/iterator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "refilter/planned_filter.h"
#include "refilter/written_blocks.h"

namespace crivo::refilter {
namespace {

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

bool has_kind(const sst::FileFilters& filters, std::string_view kind) {
  return std::ranges::any_of(filters.blocks, [&](const sst::FilterBlock& block) { return block.facts.kind == kind; });
}

bool is_ours(const rocksdb::FilterPolicy& policy) { return std::string_view(policy.Name()).starts_with("crivo."); }

bool is_policys(const rocksdb::FilterPolicy& policy, const sst::FilterFacts& facts) {
  return is_ours(policy) != facts.kind.starts_with("rocksdb.");
}

/// Asks `keys_of` for each of the file's blocks, but only once for blocks that look alike, and adds up what it says.
template <typename KeysOf>
std::optional<KeyCount> sum_of(const sst::FileFilters& filters, const KeysOf& keys_of) {
  std::map<std::pair<std::string_view, std::size_t>, std::optional<KeyCount>> known;
  KeyCount sum;
  for (const sst::FilterBlock& block : filters.blocks) {
    auto [found, is_new] = known.try_emplace({block.facts.kind, block.facts.bytes});
    if (is_new || block.facts.kind == "ribbon") found->second = keys_of(block.facts);  // a ribbon knows its own number
    if (!found->second) return std::nullopt;
    sum.least += found->second->least;
    sum.most += found->second->most;
  }
  return sum;
}

/// The number of different keys, as the filters' bits tell it. It scatters by less than its root.
double fewest_distinct(const sst::FileFilters& filters) {
  double keys = 0;
  for (const sst::FilterBlock& block : filters.blocks) keys += block.facts.distinct_keys;
  return keys - 2 * std::sqrt(keys);
}

bool is_right(const OurBlocks& blocks, const sst::FileFilters& filters) {
  const auto keys = sum_of(filters, [&](const sst::FilterFacts& block) { return blocks.keys_of(block); });
  const auto all = static_cast<double>(filters.keys);
  const double fewest = blocks.drops_repeated() ? std::min(all, fewest_distinct(filters)) : all;
  if (keys && keys->least <= filters.keys && fewest <= static_cast<double>(keys->most)) return true;
  return blocks.are_bounded(filters);
}

bool is_right(TheirBlocks blocks, const sst::FileFilters& filters) {
  const auto keys = sum_of(filters, [&](const sst::FilterFacts& block) { return blocks.keys_of(block, filters.keys); });
  return keys && keys->least <= filters.keys && filters.keys <= keys->most;
}

/// How the filters differ from those that a builder would write; `make` gives a new one.
template <typename Make>
std::string difference(const sst::FileFilters& filters, const Make& make) {
  const std::size_t blocks = filters.blocks.size();
  const auto keys = std::max<std::uint64_t>(filters.keys, 1);
  const std::string kind = sample_filter(*make(), std::clamp<std::uint64_t>(keys / blocks, 1, kFewKeys)).kind;
  if (!has_kind(filters, kind)) return filters.kind() + " instead of " + kind;
  const PlannedFilter planned = planned_filter(*make(), keys, blocks);
  char text[160];
  std::snprintf(text, sizeof text, "%.1f bits a key and a rate of %.2g instead of %.1f and %.2g",
                filters.bits_per_key(), filters.current_fp_rate(), 8 * planned.bytes / static_cast<double>(keys),
                planned.predicted_fp_rate);
  return text;
}

/// What a rewrite would change of the file's filter, as a flush or a compaction writes it; empty if nothing.
std::string complaint_of(const FamilyPolicy& family, const FileToJudge& file, const sst::FileFilters& filters,
                         bool flushed) {
  const auto make = [&] { return builder_for(family.options, *family.policy, {file.level, file.bottommost, flushed}); };
  const Builder builder = make();
  if (builder == nullptr) return filters.blocks.empty() ? "" : kToHaveNone;
  if (filters.blocks.empty()) return has_key_for_filter(family, file) ? "missing" : "";
  const bool every_key_passes = has_kind(filters, "always_maybe");
  if (!is_ours(*family.policy)) {
    if (every_key_passes) return "it lets every key pass";
    const bool is_rounded = table_of(family.options)->optimize_filters_for_memory;
    return is_right(TheirBlocks(*builder, is_rounded), filters) ? "" : difference(filters, make);
  }
  const OurBlocks blocks(make);
  if (every_key_passes) return blocks.has_no_room(filters) ? "" : "it lets every key pass";
  return is_right(blocks, filters) ? "" : difference(filters, make);
}

}  // namespace

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

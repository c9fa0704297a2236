#include "refilter/judge.h"

#include <rocksdb/comparator.h>
#include <rocksdb/iterator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>

#include "options/settings_parser.h"
#include "refilter/planned_blocks.h"
#include "refilter/planned_filter.h"
#include "sst/file_path.h"

namespace crivo::refilter {
namespace {

/// Whether there is a key for the filter of a file that has none. With whole_key_filtering=false only those are for it
/// that the prefix_extractor takes. The file is read up to the first one. (No iterator shows tombstones, so of these
/// the first and the last key of the file are all that is seen: the filter of the others would spare a read, no more.)
bool has_key_for_filter(const FamilyPolicy& family, const FileToJudge& file) {
  if (table_of(family.options)->whole_key_filtering) return true;
  const rocksdb::SliceTransform* const prefix = family.options.prefix_extractor.get();
  if (prefix == nullptr) return false;
  rocksdb::SstFileReader reader(family.options);
  if (!reader.Open(sst::path_of(file.meta)).ok()) return true;
  const std::string latest(family.options.comparator->timestamp_size(), '\xff');
  const auto has_prefix = [&](const std::string& key) {
    return prefix->InDomain(rocksdb::Slice(key.data(), key.size() - std::min(key.size(), latest.size())));
  };
  const bool ends_are_keys = reader.GetTableProperties()->num_range_deletions == 0;
  if (ends_are_keys && (has_prefix(file.meta.smallestkey) || has_prefix(file.meta.largestkey))) return true;
  const rocksdb::Slice timestamp(latest);
  rocksdb::ReadOptions all;
  if (!latest.empty()) all.timestamp = &timestamp;
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
                filters.figures().bits_per_key(), filters.current_fp_rate(),
                8 * planned.bytes / static_cast<double>(keys), planned.predicted_fp_rate);
  return text;
}

/// Which keys the filters are built from, as far as the column family's options say another thing; empty if they do
/// not.
std::string other_keys(const FamilyPolicy& family, const sst::FileFilters& filters) {
  const auto differs = [](std::string_view option, const std::string& is, const std::string& wanted) {
    return is == wanted ? "" : std::string(option) + " is \"" + is + "\" instead of \"" + wanted + '"';
  };
  const auto truth = [](bool value) { return std::string(value ? "true" : "false"); };
  const rocksdb::SliceTransform* const prefix = family.options.prefix_extractor.get();
  std::string other =
      differs("whole_key_filtering", truth(filters.whole_keys), truth(table_of(family.options)->whole_key_filtering));
  if (other.empty()) {
    other = differs("prefix_extractor", filters.prefix_extractor, prefix != nullptr ? prefix->AsString() : "");
  }
  const bool asks = std::ranges::any_of(filters.blocks, [](const auto& block) { return block.facts.can_say_no(); });
  if (!other.empty() || !family.key_transform || !asks) return other;
  return differs("key_transform", filters.key_transform(), *family.key_transform);
}

/// With max_total_bytes what a file gets goes with the keys of the database: whether it is about as large as planned.
template <typename Make>
bool is_as_large(const sst::FileFilters& filters, const Make& make) {
  const std::uint64_t keys = std::max<std::uint64_t>(filters.keys, 1);
  const double share =
      static_cast<double>(filters.figures().bytes) / planned_filter(*make(), keys, filters.blocks.size()).bytes;
  return share >= 7.0 / 8 && share <= 17.0 / 16;
}

/// What a rewrite would change of the file's filter, as a flush or a compaction writes it; empty if nothing.
std::string complaint_of(const FamilyPolicy& family, const FileToJudge& file, const sst::FileFilters& filters,
                         bool flushed) {
  const rocksdb::FilterPolicy& policy = *family.policy;
  const auto make = [&] { return builder_for(family.options, policy, {file.level, file.bottommost, flushed}); };
  const Builder builder = make();
  if (builder == nullptr) return filters.blocks.empty() ? "" : kToHaveNone;
  if (filters.blocks.empty()) return has_key_for_filter(family, file) ? "missing" : "";
  const auto foreign = [&](const sst::FilterBlock& block) {
    return block.facts.kind != "always_maybe" && (!block.facts.can_say_no() || !is_policys(policy, block.facts));
  };
  if (std::ranges::any_of(filters.blocks, foreign)) return std::string("not of ") + policy.Name();
  if (std::string other = other_keys(family, filters); !other.empty()) return other;
  const bool is_rounded = table_of(family.options)->optimize_filters_for_memory;
  const auto settings = plugin::settings_of(policy);
  if (settings && settings->max_total_bytes != 0 && is_as_large(filters, make)) return "";
  if (is_ours(policy) ? are_of_ours(make, filters) : are_of_theirs(*builder, is_rounded, filters)) return "";
  if (has_kind(filters, "always_maybe")) return "it lets every key pass";
  const std::uint64_t limit = settings ? settings->max_filter_bytes : 0;
  return difference(filters, make) + (limit != 0 ? ", and max_filter_bytes is " + std::to_string(limit) : "");
}

}  // namespace

std::string judge(const FamilyPolicy& family, const FileToJudge& file, const sst::FileFilters& filters) {
  if (filters.entries == 0) return "";
  if (filters.form != "none" && !filters.readable) return "not one that RocksDB reads";
  if (filters.damaged() > 0) return "damaged";
  if (family.policy == nullptr) return filters.blocks.empty() ? "" : kToHaveNone;
  // A file of level 0 is mostly one that was flushed, and soon compacted: it may be as flushes write it.
  if (file.level == 0 && complaint_of(family, file, filters, /*flushed=*/true).empty()) return "";
  return complaint_of(family, file, filters, /*flushed=*/false);
}

}  // namespace crivo::refilter

#include "refilter/judge.h"

#include <rocksdb/comparator.h>
#include <rocksdb/iterator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>

#include "builder/block_sizing.h"
#include "crivo/host/text.h"
#include "options/level_specs.h"
#include "options/settings_parser.h"
#include "refilter/family_policy.h"
#include "sst/table_file.h"

namespace crivo::refilter {
namespace {

using sst::BlockKind;

/// Whether a file without a filter has a key that belongs in a filter. With whole_key_filtering=false, only keys in the
/// prefix_extractor's domain belong in a filter. Reads the file up to the first such key. (Iterators skip tombstones,
/// so a tombstone counts only as the file's first or last key. If the only keys in the domain are other tombstones, the
/// file stays without a filter, which costs reads, but loses no key.)
bool has_key_for_filter(const FamilyPolicy& family, const TreeFile& file) {
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

/// The filters that a policy would write for a file.
struct Expected {
  std::string stamp;  // of Crivo's policies without max_total_bytes; else empty
  BlockKind kind;
  bool is_only_kind = false;  // false: the policy writes Bloom filters for few keys, and ribbons for more
  double bytes = 0;
  double blocked_bytes = 0;  // if blocked filters replace all ribbons, because memory was short
  double least_bytes = 0;    // of one filter
};

/// The tolerance for filters without a stamp. Sizes are rounded to cache lines, and the division of keys into
/// partitions is unknown: in partitions of a few hundred bytes, rounding dominates.
constexpr double kTolerance = 0.1;
constexpr double kToleranceInBlock = 64;
constexpr double kToleranceInPartition = 160;

/// Whether max_filter_bytes may change the kinds of filters of this size. Partitions change from half of the limit on.
bool is_near_limit(const plugin::Settings& settings, double bytes) {
  return settings.max_filter_bytes != 0 && bytes >= static_cast<double>(settings.max_filter_bytes) / 2;
}

/// The plan of Crivo's policies for this many keys and blocks; no value if the file gets no filter.
std::optional<Expected> expected_of_crivo(const FamilyPolicy& family, const NewFile& file, std::uint64_t keys,
                                          std::size_t blocks) {
  const plugin::Settings& settings = *family.settings;
  const plugin::PolicyInfo& policy = *plugin::find_policy(family.policy->Name());
  const auto context = context_of(family.options, *table_of(family.options), file);
  plugin::LevelSpec spec = spec_of_file(policy, settings, context);
  bool is_reduced = false;  // by max_total_bytes
  if (family.tree) {
    if (const auto plan = plan_file(settings, *family.tree, context, plugin::PlanUse::kAll)) {
      spec = plan->spec;
      is_reduced = plan->is_reduced;
    }
  }
  if (!spec.is_filter()) return std::nullopt;
  const plugin::FileSizing sizing = sizing_of(policy, settings, spec);
  const std::size_t keys_of_block = std::max<std::size_t>(static_cast<std::size_t>(keys) / blocks, 1);
  const auto bytes_of = [&](const plugin::BlockSizing& sized) {
    const double bytes = static_cast<double>(sized.bytes(keys_of_block)) * static_cast<double>(blocks);
    return std::min(bytes, static_cast<double>(sizing.max_filter_bytes));
  };
  const double bytes = bytes_of(sizing.blocks);
  const bool has_rate_of_ribbon =
      settings.max_build_bytes != 0 && !is_reduced && (blocks == 1 || !is_near_limit(settings, bytes));
  return Expected{.stamp = family.tree ? "" : sizing.stamp,
                  .kind = sst::block_kind(sizing.blocks.spec(keys_of_block).kind),
                  .is_only_kind = policy.kind || spec.kind == Kind::kBlocked,
                  .bytes = bytes,
                  .blocked_bytes = has_rate_of_ribbon ? bytes_of(sizing.blocks.as_blocked()) : bytes,
                  .least_bytes = static_cast<double>(sizing.blocks.within(0).max_payload() + sizing.blocks.tail())};
}

/// The same for any policy.
std::optional<Expected> expected_of(const FamilyPolicy& family, const NewFile& file, std::uint64_t keys,
                                    std::size_t blocks) {
  if (has_no_filter(family.options, file)) return std::nullopt;
  if (family.settings) return expected_of_crivo(family, file, keys, blocks);
  const Builder builder = builder_for(family.options, *family.policy, file);
  if (builder == nullptr) return std::nullopt;
  const std::size_t sample = static_cast<std::size_t>(std::clamp<std::uint64_t>(keys / blocks, 1, kFewKeys));
  const bool is_only_kind = std::string_view(family.policy->Name()) == "bloomfilter";
  const double bytes = planned_filter(*builder, keys, blocks).bytes;
  return Expected{.stamp = "",
                  .kind = sample_filter(*builder, sample).kind,
                  .is_only_kind = is_only_kind,
                  .bytes = bytes,
                  .blocked_bytes = bytes};
}

/// How the filters' kinds differ from the expected one; empty if they match. Blocks that let every key pass match.
std::string other_kind(const FamilyPolicy& family, const sst::FileFilters& filters, const Expected& expected) {
  // A blocked filter may replace a ribbon if memory was short, or near max_filter_bytes.
  const bool may_be_blocked =
      family.settings && (family.settings->max_build_bytes != 0 || is_near_limit(*family.settings, expected.bytes));
  const auto is_expected = [&](const sst::FilterBlock& block) {
    const BlockKind kind = block.facts.kind;
    return kind == expected.kind || kind == BlockKind::kAlwaysMaybe || (may_be_blocked && kind == BlockKind::kBlocked);
  };
  const auto is_right = [&](const sst::FilterBlock& block) {
    return is_expected(block) || block.facts.kind == BlockKind::kNoKeys;
  };
  const bool match = expected.is_only_kind ? std::ranges::all_of(filters.blocks, is_right)
                                           : std::ranges::any_of(filters.blocks, is_expected);
  return match ? "" : filters.kind() + " instead of " + std::string(name_of(expected.kind));
}

/// How filters without a stamp differ from the expected ones; empty if they match.
std::string difference(const FamilyPolicy& family, const sst::FileFilters& filters, const Expected& expected) {
  if (std::string other = other_kind(family, filters, expected); !other.empty()) return other;
  const bool is_rounded = !family.settings && table_of(family.options)->optimize_filters_for_memory;
  if (filters.has(BlockKind::kAlwaysMaybe)) return "";  // the limit determines the size
  const auto blocks = static_cast<double>(filters.blocks.size());
  const auto replaced = static_cast<double>(std::ranges::count_if(filters.blocks, [&](const sst::FilterBlock& block) {
    return expected.kind == BlockKind::kRibbon && block.facts.kind == BlockKind::kBlocked;
  }));
  const double wanted = expected.bytes + (expected.blocked_bytes - expected.bytes) * replaced / blocks;
  const double off =
      (is_rounded ? 0.25 : kTolerance) * wanted + (blocks > 1 ? blocks * kToleranceInPartition : kToleranceInBlock);
  const auto bytes = static_cast<double>(filters.bytes());
  if (std::abs(bytes - wanted) <= off) return "";
  char text[80];
  const auto bits_per_key = [&](double all) { return 8 * all / static_cast<double>(filters.keys); };
  std::snprintf(text, sizeof text, "%.1f bits per key instead of %.1f", bits_per_key(bytes), bits_per_key(wanted));
  return text;
}

/// How the filters' keys differ from the column family's options; empty if they match.
std::string other_keys(const FamilyPolicy& family, const sst::FileFilters& filters) {
  const auto differs = [](std::string_view option, const std::string& is, const std::string& wanted) {
    return is == wanted ? "" : std::string(option) + " is \"" + printable(is) + "\" instead of \"" + wanted + '"';
  };
  const auto truth = [](bool value) { return std::string(value ? "true" : "false"); };
  const rocksdb::SliceTransform* const prefix = family.options.prefix_extractor.get();
  std::string other =
      differs("whole_key_filtering", truth(filters.whole_keys), truth(table_of(family.options)->whole_key_filtering));
  if (other.empty()) {
    other = differs("prefix_extractor", filters.prefix_extractor, prefix != nullptr ? prefix->AsString() : "");
  }
  const bool rejects = std::ranges::any_of(filters.blocks, [](const auto& block) { return block.facts.can_reject(); });
  if (!other.empty() || !family.settings || !rejects) return other;
  return differs("key_transform", filters.key_transform(),
                 std::string(plugin::name_of(family.settings->key_transform)));
}

/// How the filter differs from what a flush or a compaction would write; empty if it matches.
std::string mismatch_of(const FamilyPolicy& family, const TreeFile& file, const sst::FileFilters& filters,
                        bool flushed) {
  const rocksdb::FilterPolicy& policy = *family.policy;
  const NewFile as_new{file.level, file.bottommost, flushed};
  const std::size_t blocks = std::max<std::size_t>(filters.blocks.size(), 1);
  const std::optional<Expected> expected = expected_of(family, as_new, filters.keys, blocks);
  if (!expected) return filters.blocks.empty() ? "" : kUnwantedFilter;
  if (filters.blocks.empty()) return has_key_for_filter(family, file) ? "missing" : "";
  const auto is_foreign = [&](const sst::FilterBlock& block) {
    const BlockKind kind = block.facts.kind;
    return kind != BlockKind::kAlwaysMaybe &&
           (!block.facts.can_reject() || plugin::is_crivo_policy(policy) == is_builtin(kind));
  };
  if (std::ranges::any_of(filters.blocks, is_foreign)) return std::string("not of ") + policy.Name();
  if (std::string other = other_keys(family, filters); !other.empty()) return other;
  if (filters.keys == 0) return "";  // empty partitions: no key of the file belongs in a filter
  const bool is_full = family.settings && family.settings->max_filter_bytes != 0 &&
                       static_cast<double>(filters.bytes()) + expected->least_bytes >
                           static_cast<double>(family.settings->max_filter_bytes);
  if (!is_full && filters.has(BlockKind::kAlwaysMaybe)) return "lets every key pass";
  if (expected->stamp.empty() || filters.stamp.empty()) return difference(family, filters, *expected);
  if (filters.stamp != expected->stamp) return printable(filters.stamp) + " instead of " + expected->stamp;
  // For few keys, crivo.Auto writes Bloom filters, and crivo.Ribbon with the same stamp writes ribbons. The filter's
  // number of keys does not show what crivo.Auto would write: it excludes keys that are equal after a transform.
  return expected->is_only_kind ? other_kind(family, filters, *expected) : "";
}

}  // namespace

std::string judge(const FamilyPolicy& family, const TreeFile& file, const sst::FileFilters& filters) {
  if (filters.entries == 0) return "";
  if (filters.form != sst::FilterForm::kNone && !filters.readable) return "not readable by RocksDB";
  if (filters.damaged() > 0) return "damaged";
  if (filters.is_misnamed()) return "written by Crivo 0.1 under a name that no policy reads";
  if (family.policy == nullptr) return filters.blocks.empty() ? "" : kUnwantedFilter;
  // A file of level 0 was usually flushed, and is soon compacted. So the filter of a flush is accepted, too.
  if (file.level == 0 && mismatch_of(family, file, filters, /*flushed=*/true).empty()) return "";
  return mismatch_of(family, file, filters, /*flushed=*/false);
}

double planned_bytes(const FamilyPolicy& family, const TreeFile& file) {
  if (family.policy == nullptr) return 0;
  const NewFile as_new{file.level, file.bottommost, /*flushed=*/false};
  const bool has_both = family.options.prefix_extractor != nullptr && table_of(family.options)->whole_key_filtering;
  const std::uint64_t keys = file.meta.num_entries * (has_both ? 2 : 1);
  const std::optional<Expected> expected = expected_of(family, as_new, keys, 1);
  return expected ? expected->bytes : 0;
}

}  // namespace crivo::refilter

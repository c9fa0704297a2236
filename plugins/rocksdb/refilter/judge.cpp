#include "refilter/judge.h"

#include <rocksdb/comparator.h>
#include <rocksdb/iterator.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "builder/builder.h"
#include "refilter/planned_filter.h"

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

/// A number of keys that is known by its bounds.
struct KeyCount {
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

/// A ribbon of many keys is not built to be compared. Its rate is as planned up to about a percent.
constexpr double kRibbonRateTolerance = 0.03;

/// The least number from `low` on for which `is_enough` holds, which from then on it does; `high` if for none below it.
template <typename Enough>
std::uint64_t first(std::uint64_t low, std::uint64_t high, const Enough& is_enough) {
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (is_enough(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Whether two blocks of ours of as many keys are alike. The size of a ribbon also depends on which keys they are.
bool is_same(const sst::FilterFacts& a, const sst::FilterFacts& b) {
  if (a.kind != b.kind) return false;
  return a.kind == "ribbon" ? a.shape.k == b.shape.k && a.shape.param == b.shape.param : a.bytes == b.bytes;
}

/// The blocks that a builder of RocksDB's own policies writes.
class TheirBlocks {
 public:
  /// is_rounded: with optimize_filters_for_memory a filter gets as many bytes as malloc has for it.
  TheirBlocks(abi::FilterBitsBuilder& builder, bool is_rounded) noexcept : builder_(builder), is_rounded_(is_rounded) {}

  /// For how many keys it writes a block of this kind and size, of at most `most`; no value if for none.
  std::optional<KeyCount> keys_of(const sst::FilterFacts& block, std::uint64_t most) {
    if (block.kind == "rocksdb.no_keys") return KeyCount{};
    const std::size_t rounded = is_rounded_ ? block.bytes / 4 : 0;
    const auto space = [&](std::uint64_t keys) { return builder_.CalculateSpace(static_cast<std::size_t>(keys)); };
    const std::uint64_t end = most + 1;
    const KeyCount keys{first(1, end, [&](auto n) { return space(n) >= block.bytes - rounded; }),
                        first(1, end, [&](auto n) { return space(n) > block.bytes + rounded; }) - 1};
    if (keys.least > keys.most) return std::nullopt;
    const auto is_so = [&](std::uint64_t n) {
      return sample_filter(builder_, std::min<std::uint64_t>(n, kFewKeys)).kind == block.kind;
    };
    return is_so(keys.least) || is_so(keys.most) ? std::optional(keys) : std::nullopt;
  }

 private:
  abi::FilterBitsBuilder& builder_;
  bool is_rounded_;
};

/// The blocks that builders of ours write for a file.
class OurBlocks {
 public:
  /// make: gives a new builder for the file. One that has built a filter leaves less room to the next one.
  explicit OurBlocks(std::function<Builder()> make)
      : make_(std::move(make)), builder_(make_()), sizing_(ours().sizing()), limits_(ours().limits()) {}

  /// The same of any number of keys.
  [[nodiscard]] std::optional<KeyCount> keys_of(const sst::FilterFacts& block) const {
    if (block.kind == "ribbon") {
      const auto keys = static_cast<std::uint64_t>(block.distinct_keys);
      return is_ribbon_for(block) ? std::optional(KeyCount{keys, keys}) : std::nullopt;
    }
    if (block.kind != "blocked") return std::nullopt;
    const plugin::BlockSizing blocked = sizing_.as_blocked();
    KeyCount keys{blocked.keys(block.bytes - 1) + 1, blocked.keys(block.bytes)};
    if (keys.least > keys.most) return std::nullopt;
    if (sizing_.takes_set() && !lacks_memory(keys.most)) {  // so it must have few keys
      const auto is_blocked = [&](std::uint64_t n) { return sizing_.spec(n).kind == Kind::kBlocked; };
      while (keys.least < keys.most && !is_blocked(keys.least)) ++keys.least;
      while (keys.least < keys.most && !is_blocked(keys.most)) --keys.most;
      if (!is_blocked(keys.least)) return std::nullopt;
    }
    if (keys.least == 1) keys.least = 0;
    return keys;
  }

  /// Whether max_filter_bytes is why the filters of a file, which are no blocks of keys_of, are what they are.
  [[nodiscard]] bool are_bounded(const sst::FileFilters& filters) const {
    const std::size_t most = limits_.max_filter_bytes;
    const std::size_t blocks = filters.blocks.size();
    const auto all_keys = static_cast<std::size_t>(filters.keys);
    if (blocks == 1) {
      const sst::FilterFacts& block = filters.blocks.front().facts;
      const auto is_sample = [&](std::size_t keys) { return is_same(sample(keys), block); };
      if (sizing_.bytes(all_keys) <= most / 2) return false;
      if (is_sample(all_keys)) return true;
      const double scatter = block.kind == "ribbon" ? 0 : 2 * std::sqrt(block.distinct_keys);
      return drops_repeated() && std::ranges::any_of(std::array{-scatter, 0.0, scatter}, [&](double off) {
               return is_sample(static_cast<std::size_t>(std::max(1.0, block.distinct_keys + off)));
             });
    }
    // Partitions get what they want until half of the bound is used, and then less and less.
    std::size_t largest = 0;
    for (const sst::FilterBlock& block : filters.blocks) largest = std::max(largest, block.facts.bytes);
    const std::size_t wanted = blocks * (sizing_.bytes(all_keys / blocks) + 64);
    const auto bytes = static_cast<std::size_t>(filters.bytes());
    return wanted > most / 2 && bytes <= std::min(most, wanted) && bytes + largest > most / 2;
  }

  /// Whether max_filter_bytes leaves nothing to those of the file's blocks that let every key pass.
  [[nodiscard]] bool has_no_room(const sst::FileFilters& filters) const {
    std::size_t used = 0;
    for (const sst::FilterBlock& block : filters.blocks) used += block.facts.can_say_no() ? block.facts.bytes : 0;
    const std::size_t most = limits_.max_filter_bytes;
    return used <= most && !sizing_.for_next(1, used, most);
  }

  /// Whether repeated keys are dropped before a block is sized.
  [[nodiscard]] bool drops_repeated() const noexcept { return sizing_.takes_set(); }

 private:
  [[nodiscard]] const plugin::BlockBuilder& ours() const { return static_cast<const plugin::BlockBuilder&>(*builder_); }
  [[nodiscard]] sst::FilterFacts sample(std::size_t keys) const {
    return sample_filter(*make_(), std::max<std::size_t>(keys, 1));
  }

  [[nodiscard]] bool is_ribbon_for(const sst::FilterFacts& block) const {
    const auto keys = static_cast<std::size_t>(block.distinct_keys);
    const FilterSpec spec = sizing_.spec(keys);
    if (spec.kind != Kind::kRibbon) return false;
    if (keys < kFewKeys) {
      if (const auto built = sample(keys); built.kind == "ribbon") return is_same(built, block);
    }
    return std::abs(block.current_fp_rate / spec.fp_rate - 1) < kRibbonRateTolerance;
  }

  /// Whether a ribbon of so many keys takes builders beyond max_build_bytes: then a blocked filter is in its place.
  [[nodiscard]] bool lacks_memory(std::size_t keys) const {
    return limits_.max_build_bytes != plugin::BuildMemory::kNoLimit && sample(keys).kind == "blocked";
  }

  std::function<Builder()> make_;
  Builder builder_;
  const plugin::BlockSizing& sizing_;
  const plugin::BuildLimits& limits_;
};

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
                filters.figures().bits_per_key(), filters.current_fp_rate(),
                8 * planned.bytes / static_cast<double>(keys), planned.predicted_fp_rate);
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

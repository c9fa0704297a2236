#include "refilter/written_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace crivo::refilter {
namespace {

using plugin::BlockSizing;

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

}  // namespace

std::optional<KeyCount> TheirBlocks::keys_of(const sst::FilterFacts& block, std::uint64_t most) {
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

std::optional<KeyCount> OurBlocks::keys_of(const sst::FilterFacts& block) const {
  if (block.kind == "ribbon") {
    const auto keys = static_cast<std::uint64_t>(block.distinct_keys);
    return is_ribbon_for(block) ? std::optional(KeyCount{keys, keys}) : std::nullopt;
  }
  if (block.kind != "blocked") return std::nullopt;
  const BlockSizing blocked = sizing_.as_blocked();
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

sst::FilterFacts OurBlocks::sample(std::size_t keys) const {
  return sample_filter(*make_(), std::max<std::size_t>(keys, 1));
}

bool OurBlocks::is_ribbon_for(const sst::FilterFacts& block) const {
  const auto keys = static_cast<std::size_t>(block.distinct_keys);
  const FilterSpec spec = sizing_.spec(keys);
  if (spec.kind != Kind::kRibbon) return false;
  if (keys < kFewKeys) {
    if (const auto built = sample(keys); built.kind == "ribbon") return is_same(built, block);
  }
  return std::abs(block.current_fp_rate / spec.fp_rate - 1) < kRibbonRateTolerance;
}

/// Whether a ribbon of so many keys takes builders beyond max_build_bytes: then a blocked filter is in its place.
bool OurBlocks::lacks_memory(std::size_t keys) const {
  return limits_.max_build_bytes != plugin::BuildMemory::kNoLimit && sample(keys).kind == "blocked";
}

bool OurBlocks::are_bounded(const sst::FileFilters& filters) const {
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

bool OurBlocks::has_no_room(const sst::FileFilters& filters) const {
  std::size_t used = 0;
  for (const sst::FilterBlock& block : filters.blocks) used += block.facts.can_say_no() ? block.facts.bytes : 0;
  const std::size_t most = limits_.max_filter_bytes;
  return used <= most && !plugin::sizing_within(sizing_, 1, used, most);
}

}  // namespace crivo::refilter

#include "refilter/planned_blocks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "builder/builder.h"
#include "crivo/filter.h"
#include "crivo/hash.h"
#include "crivo/host/sizing.h"

namespace crivo::refilter {
namespace {

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

/// By so much a ribbon of RocksDB's may differ from what its builder's CalculateSpace says.
constexpr std::size_t kRowBytes = 16;

/// The blocks that a builder of RocksDB's own policies writes for a file.
class TheirBlocks {
 public:
  TheirBlocks(abi::FilterBitsBuilder& builder, bool is_rounded, const sst::FileFilters& filters) noexcept
      : builder_(builder),
        is_rounded_(is_rounded),
        all_{filters.blocks.size() == 1 ? std::max<std::uint64_t>(filters.keys, 1) : 1, filters.keys} {}

  /// For how many of the file's keys it writes a block of this kind and size; no value if for none.
  std::optional<KeyCount> keys_of(const sst::FilterFacts& block, std::uint64_t /*used*/) {
    if (block.kind == "rocksdb.no_keys") return KeyCount{};
    const std::size_t off = is_rounded_ ? std::max(block.bytes / 4, kRowBytes) : kRowBytes;
    const auto space = [&](std::uint64_t keys) { return builder_.CalculateSpace(static_cast<std::size_t>(keys)); };
    const auto is_less = [&](std::uint64_t keys) { return space(keys) + off < block.bytes; };
    const auto is_more = [&](std::uint64_t keys) { return space(keys) > block.bytes + off; };
    const std::uint64_t end = all_.most + 1;
    const KeyCount keys{first(all_.least, end, std::not_fn(is_less)), first(all_.least, end, is_more) - 1};
    if (keys.least > keys.most) return std::nullopt;
    const auto is_so = [&](std::uint64_t n) {
      return sample_filter(builder_, std::min<std::uint64_t>(n, kFewKeys)).kind == block.kind;
    };
    return is_so(keys.least) || is_so(keys.most) ? std::optional(keys) : std::nullopt;
  }

  /// The fewest keys that its blocks have together.
  [[nodiscard]] double fewest() const noexcept { return static_cast<double>(all_.most); }
  [[nodiscard]] static bool depends_on_used() noexcept { return false; }

 private:
  abi::FilterBitsBuilder& builder_;
  bool is_rounded_;
  KeyCount all_;  // the bounds of a block's keys
};

/// The number of different keys, as the filters' bits tell it. It scatters by less than its root.
double fewest_distinct(const sst::FileFilters& filters) {
  double keys = 0;
  for (const sst::FilterBlock& block : filters.blocks) keys += block.facts.distinct_keys;
  return std::min(static_cast<double>(filters.keys), std::max(0.0, keys - 2 * std::sqrt(keys)));
}

/// The blocks that a builder of ours writes for a file, one after another. A ribbon drops repeated keys before it is
/// sized, so two numbers count: the different keys, and all of them, by which max_filter_bytes gives each block a room.
class OurBlocks {
 public:
  OurBlocks(const std::function<Builder()>& make, const sst::FileFilters& filters)
      : make_(make),
        builder_(make_()),
        sizing_(ours().sizing()),
        limits_(ours().limits()),
        is_whole_(filters.blocks.size() == 1),
        all_(filters.keys),
        fewest_(sizing_.takes_set() ? fewest_distinct(filters) : static_cast<double>(all_)) {}

  /// For how many different keys of the file it writes this block behind `used` bytes of others; no value if for none.
  [[nodiscard]] std::optional<KeyCount> keys_of(const sst::FilterFacts& block, std::uint64_t used) const {
    const bool has_room = sizing_.for_next(1, used, limits_.max_filter_bytes).has_value();
    if (block.kind == "always_maybe") return has_room ? std::nullopt : std::optional(KeyCount{0, all_});
    if (!has_room) return std::nullopt;
    if (block.kind == "blocked") return keys_of_blocked(block.bytes, used);
    const auto keys = static_cast<std::uint64_t>(block.distinct_keys);
    return block.kind == "ribbon" && is_ribbon_of(keys, block, used) ? std::optional(KeyCount{keys, keys})
                                                                     : std::nullopt;
  }

  [[nodiscard]] double fewest() const noexcept { return fewest_; }
  [[nodiscard]] bool depends_on_used() const noexcept { return limits_.max_filter_bytes != SIZE_MAX; }

 private:
  [[nodiscard]] const plugin::BlockBuilder& ours() const { return static_cast<const plugin::BlockBuilder&>(*builder_); }

  /// The plans for a block of so many different keys: with the least and with the most room that it may have had.
  struct Plans {
    plugin::BlockSizing tight;
    plugin::BlockSizing roomy;
  };
  [[nodiscard]] Plans plans(std::uint64_t keys, std::uint64_t used) const {
    const auto repeated = all_ - static_cast<std::uint64_t>(fewest_);
    const auto with = [&](std::uint64_t n) { return *sizing_.for_next(n, used, limits_.max_filter_bytes); };
    return is_whole_ ? Plans{with(all_), with(all_)} : Plans{with(keys), with(keys + repeated)};
  }

  [[nodiscard]] std::optional<KeyCount> keys_of_blocked(std::size_t bytes, std::uint64_t used) const {
    const auto low = is_whole_ ? std::max<std::uint64_t>(static_cast<std::uint64_t>(fewest_), 1) : 1;
    // Once half of max_filter_bytes is used, a block's share of the rest is known to a line of 64 bytes.
    const std::size_t off = !is_whole_ && used + bytes > limits_.max_filter_bytes / 2 ? kBlockBits / 8 : 0;
    const auto most = [&](std::uint64_t n) { return plans(n, used).roomy.as_blocked().bytes(n) + off; };
    const auto least = [&](std::uint64_t n) { return plans(n, used).tight.as_blocked().bytes(n) - off; };
    KeyCount keys{first(low, all_ + 1, [&](auto n) { return most(n) >= bytes; }),
                  first(low, all_ + 1, [&](auto n) { return least(n) > bytes; }) - 1};
    if (all_ != 0 && keys.least > keys.most) return std::nullopt;
    if (!lacks_memory(keys.most)) {
      while (keys.least < keys.most && !may_be_blocked(keys.least, used)) ++keys.least;
      while (keys.least < keys.most && !may_be_blocked(keys.most, used)) --keys.most;
      if (!may_be_blocked(keys.least, used)) return std::nullopt;
    }
    if (keys.least == 1) keys.least = 0;  // a partition may have none, and is sized for one
    return keys;
  }

  /// Whether a filter of so many keys may be a blocked one: because that was asked for, because a ribbon would have too
  /// few keys, or because it did not fit into its bytes.
  [[nodiscard]] bool may_be_blocked(std::uint64_t keys, std::uint64_t used) const {
    const auto [tight, roomy] = plans(keys, used);
    const FilterSpec spec = tight.spec(keys);
    return spec.kind == Kind::kBlocked || roomy.spec(keys).kind == Kind::kBlocked || spec.bits_per_key;
  }

  /// Whether a ribbon of so many keys takes builders beyond max_build_bytes, beside what others hold now: then a
  /// blocked filter is in its place. Builds it.
  [[nodiscard]] bool lacks_memory(std::uint64_t keys) const {
    return limits_.max_build_bytes != plugin::BuildMemory::kNoLimit && sample_filter(*make_(), keys).kind == "blocked";
  }

  /// A ribbon, as it is planned or was built.
  struct Ribbon {
    double fp_rate;
    std::optional<Shape> shape;  // of one of few keys
  };
  /// What is planned for so many keys; no value if not a ribbon.
  [[nodiscard]] static std::optional<Ribbon> ribbon_of(const plugin::BlockSizing& sizing, std::uint64_t keys) {
    const FilterSpec spec = sizing.spec(keys);
    if (spec.kind != Kind::kRibbon) return std::nullopt;
    if (keys >= kFewKeys) {
      return Ribbon{spec.bits_per_key ? sizing.fp_rate(keys, sizing.bytes(keys)) : spec.fp_rate, std::nullopt};
    }
    std::vector<std::uint64_t> hashes;
    for (std::uint64_t i = 0; i < keys; ++i) hashes.push_back(hash_key(std::to_string(i), 0));
    const auto built = AnyFilter::build(spec, std::move(hashes), {.max_bytes = sizing.max_payload()});
    return built ? std::optional(Ribbon{built->ref().stats().current_fp_rate, built->shape()}) : std::nullopt;
  }

  [[nodiscard]] bool is_ribbon_of(std::uint64_t keys, const sst::FilterFacts& block, std::uint64_t used) const {
    const auto [tight, roomy] = plans(keys, used);
    const std::optional<Ribbon> best = ribbon_of(roomy, keys);
    const std::optional<Ribbon> worst = ribbon_of(tight, keys);
    if (!best && !worst) return false;
    // What few keys give may depend on which they are, but not the shape.
    const auto has_shape = [&](const std::optional<Ribbon>& ribbon) {
      return ribbon && ribbon->shape && ribbon->shape->k == block.shape.k && ribbon->shape->param == block.shape.param;
    };
    if (has_shape(best) || has_shape(worst)) return true;
    const double off = keys < kFewKeys ? 0 : kRibbonRateTolerance;
    return (!best || best->fp_rate * (1 - off) <= block.current_fp_rate) &&
           (!worst || block.current_fp_rate <= worst->fp_rate * (1 + off));
  }

  const std::function<Builder()>& make_;
  Builder builder_;
  const plugin::BlockSizing& sizing_;
  const plugin::BuildLimits& limits_;
  bool is_whole_;
  std::uint64_t all_;
  double fewest_;
};

/// Whether blocks are those that a builder writes for all of the file's keys.
template <typename Blocks>
bool are_right(Blocks blocks, const sst::FileFilters& filters) {
  // Blocks that look alike are of as many keys, so they are asked for once; but a ribbon knows its own number.
  std::map<std::pair<std::string_view, std::size_t>, std::optional<KeyCount>> known;
  KeyCount sum;
  std::uint64_t used = 0;
  for (const sst::FilterBlock& block : filters.blocks) {
    auto [found, is_new] = known.try_emplace({block.facts.kind, block.facts.bytes});
    if (is_new || block.facts.kind == "ribbon" || blocks.depends_on_used()) {
      found->second = blocks.keys_of(block.facts, used);
    }
    if (!found->second) return false;
    sum.least += found->second->least;
    sum.most += found->second->most;
    used += block.facts.bytes;
  }
  return sum.least <= filters.keys && blocks.fewest() <= static_cast<double>(sum.most);
}

}  // namespace

bool are_of_theirs(abi::FilterBitsBuilder& builder, bool is_rounded, const sst::FileFilters& filters) {
  return are_right(TheirBlocks(builder, is_rounded, filters), filters);
}

bool are_of_ours(const std::function<Builder()>& make, const sst::FileFilters& filters) {
  return are_right(OurBlocks(make, filters), filters);
}

}  // namespace crivo::refilter

// crivo.Auto chooses the kind of filter by the lifetime of files. Flushed files and files of the upper levels are soon
// compacted again: they get blocked filters, which are fastest to build and query. The last levels have nearly all
// keys, and their files live long: they get ribbons, which are 30% smaller. Levels are counted from the last level with
// data. With dynamic level sizes or universal compaction, this level has the highest number; otherwise it has the
// number `levels`.
#include "options/level_specs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>

#include "crivo/host/sizing.h"

namespace crivo::plugin {
namespace {

constexpr double kMinBitsPerKey = 0.5;  // as in RocksDB: fewer bits mean no filter
/// The minimum for ribbons within a limit. Below one bit per key, the rate of a ribbon falls linearly with its bits, so
/// a filter of this size is better than none. A builder may replace the ribbon (builder/block_sizing.cpp).
constexpr double kMinBitsOfRibbon = 0.05;

LevelSpec spec_by_bits(Kind kind, double bits_per_key) noexcept {
  if (bits_per_key < kMinBitsPerKey) return {kind, 0, 1};
  return {kind, bits_per_key, blocked_fp_rate(bits_per_key / kBlockBits, 1, best_blocked_probes(bits_per_key))};
}

// The bits per key of a blocked filter with this rate. The rate depends on the blocks per key, and rounding up a
// smaller filter to whole blocks only decreases the rate. So the bits per key of one large filter suffice for a filter
// of any size, and no search per file is needed.
Result<double> blocked_bits(double fp_rate) {
  constexpr std::uint64_t kKeys = 1 << 20;
  const auto size = size_blocked(kKeys, fp_rate);
  if (!size) return size.error();
  return static_cast<double>(size->units) * kBlockBits / kKeys;
}

Result<LevelSpec> spec_by_rate(Kind kind, double fp_rate) {
  if (fp_rate >= 1) return LevelSpec{kind, 0, 1};
  const auto bits = blocked_bits(fp_rate);
  if (!bits.has_value()) return bits.error();
  return LevelSpec{kind, *bits, fp_rate};
}

Kind kind_at(const PolicyInfo& policy, const Settings& settings, int distance) noexcept {
  if (policy.kind) return *policy.kind;
  return distance < settings.ribbon_levels && distance < settings.tree_levels() ? Kind::kRibbon : Kind::kBlocked;
}

/// The specs of a tree's levels, for a mean of `budget` bits per key. Ribbons below `least` bits per key are omitted.
Result<std::vector<LevelSpec>> specs_of(const std::vector<TreeLevel>& tree, double budget, double least) {
  const auto filters = divide_budget(tree, std::min(budget, kMaxBitsPerKey));
  if (!filters) return filters.error();
  std::vector<LevelSpec> specs;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const LevelFilter& filter = (*filters)[i];
    const double fp_rate = filter.bits_per_key < least ? 1 : filter.fp_rate;
    const Result<LevelSpec> spec = tree[i].kind == Kind::kBlocked ? spec_by_bits(tree[i].kind, filter.bits_per_key)
                                                                  : spec_by_rate(tree[i].kind, fp_rate);
    if (!spec) return spec.error();
    specs.push_back(*spec);
  }
  return specs;
}

/// The assumed tree of an unknown column family. Key counts are relative: the last level has 1.
std::vector<TreeLevel> ideal_tree(const PolicyInfo& policy, const Settings& settings) {
  std::vector<TreeLevel> tree;
  double keys = 1;
  for (int distance = 0; distance < settings.tree_levels(); ++distance) {
    tree.push_back({.keys = keys, .kind = kind_at(policy, settings, distance)});
    keys /= settings.tree_ratio();
  }
  tree.push_back(
      {.keys = tree.back().keys, .kind = kind_at(policy, settings, settings.tree_levels()), .runs = kRunsOfLevel0});
  return tree;
}

bool has_levels(const rocksdb::FilterBuildingContext& context) noexcept {
  return context.compaction_style == rocksdb::kCompactionStyleLevel ||
         context.compaction_style == rocksdb::kCompactionStyleUniversal;
}

/// The level to compare with bloom_before_level, as in RocksDB's own Ribbon policy: a flush is level -1; unknown
/// levels, and compaction styles without levels, count as the last level.
int ribbon_level(const rocksdb::FilterBuildingContext& context) noexcept {
  constexpr int kLast = std::numeric_limits<int>::max() - 1;
  if (!has_levels(context)) return kLast;
  if (context.reason == rocksdb::TableFileCreationReason::kFlush) return -1;
  return context.level_at_creation < 0 ? kLast : context.level_at_creation;
}

/// Whether the last level with data always has the highest number.
bool counts_from_last(const Settings& settings, const rocksdb::FilterBuildingContext& context) noexcept {
  return settings.tree.dynamic_levels || context.compaction_style == rocksdb::kCompactionStyleUniversal;
}

/// The distance from the level `last` to `level`, which is below level 0.
int distance_below(const Settings& settings, int last, int level) noexcept {
  return std::clamp(last - level, 0, settings.tree_levels() - 1);
}

// Files of compaction styles without levels, or of an unknown level, are treated like files of the second-to-last
// level. By default they get ribbons, but not the higher rate of the last level, because a lookup of an absent key may
// query all of these files.
constexpr int kLongLived = 1;

int distance_of(const Settings& settings, const rocksdb::FilterBuildingContext& context) noexcept {
  if (!has_levels(context)) return kLongLived;
  if (is_flushed(context)) return settings.tree_levels();
  if (context.is_bottommost) return 0;
  if (context.level_at_creation < 0) return kLongLived;
  if (context.level_at_creation == 0) return settings.tree_levels();
  const bool from_last = counts_from_last(settings, context) && context.num_levels > 0;
  return distance_below(settings, from_last ? context.num_levels - 1 : settings.tree_levels(),
                        context.level_at_creation);
}

}  // namespace

bool is_flushed(const rocksdb::FilterBuildingContext& context) noexcept {
  return context.reason == rocksdb::TableFileCreationReason::kFlush ||
         context.reason == rocksdb::TableFileCreationReason::kRecovery;
}

TreeOptions tree_of(const rocksdb::ColumnFamilyOptions& family) noexcept {
  TreeOptions tree{.dynamic_levels = family.level_compaction_dynamic_level_bytes};
  tree.levels = std::clamp(family.num_levels - 1, kMinLevels, tree.levels);
  const double ratio = family.max_bytes_for_level_multiplier;
  const bool has_ratio = family.compaction_style == rocksdb::kCompactionStyleLevel && ratio >= 1;
  if (has_ratio) tree.level_ratio = std::min(ratio, kHighestLevelRatio);
  return tree;
}

Result<std::vector<LevelSpec>> level_specs(const PolicyInfo& policy, const Settings& settings) {
  if (settings.sized_by == SizedBy::kBudget)
    return specs_of(ideal_tree(policy, settings), settings.size, kMinBitsPerKey);
  std::vector<LevelSpec> specs;
  for (int distance = 0; distance <= settings.tree_levels(); ++distance) {
    const Kind kind = kind_at(policy, settings, distance);
    const bool by_bits = settings.sized_by == SizedBy::kBitsPerKey;
    const bool bottommost = distance == 0 && settings.bottommost_fp_rate;
    const Result<LevelSpec> spec = by_bits && !bottommost
                                       ? spec_by_bits(kind, settings.size)
                                       : spec_by_rate(kind, bottommost ? *settings.bottommost_fp_rate : settings.size);
    if (!spec) return spec.error();
    specs.push_back(*spec);
  }
  return specs;
}

int distance_in_tree(const Settings& settings, const rocksdb::FilterBuildingContext& context, int level,
                     int last) noexcept {
  if (!has_levels(context)) return kLongLived;
  return level == 0 ? settings.tree_levels() : distance_below(settings, last, level);
}

double real_bits_per_key(const LevelSpec& spec) {
  constexpr std::uint64_t kKeys = 1 << 20;
  if (!spec.is_filter() || spec.kind == Kind::kBlocked) return spec.bits_per_key;
  return 64 * static_cast<double>(size_ribbon(kKeys, std::max(spec.fp_rate, 0x1p-31))->units) / kKeys;
}

Result<std::vector<LevelSpec>> divided_specs(const std::vector<TreeLevel>& tree, double bits) {
  const double keys = std::accumulate(tree.begin(), tree.end(), 0.0,
                                      [](double sum, const TreeLevel& level) { return sum + level.keys; });
  return specs_of(tree, bits / keys, kMinBitsOfRibbon);
}

LevelSpec spec_of_file(const PolicyInfo& policy, const Settings& settings,
                       const rocksdb::FilterBuildingContext& context) noexcept {
  if (!policy.kind) return settings.at(distance_of(settings, context));
  LevelSpec spec = settings.at(0);
  if (spec.kind == Kind::kRibbon && ribbon_level(context) < settings.bloom_before_level) spec.kind = Kind::kBlocked;
  return spec;
}

}  // namespace crivo::plugin

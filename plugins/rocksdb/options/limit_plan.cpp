#include "options/limit_plan.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "options/level_specs.h"

namespace crivo::plugin {
namespace {

/// A tenth of the limit is left unplanned, because most files still have the larger filters of an earlier plan, which
/// was for fewer keys.
constexpr double kPlannedShare = 0.9;
/// Flushed files get filters until all filters reach this share of the limit. It is above 1, so that flushed files get
/// filters even at the limit.
constexpr double kMaxShare = 1.05;
constexpr double kUnknownShare = 0.05;
/// A filter block's overhead: the trailer of 32 bytes, and rounding up the payload.
constexpr double kBlockOverheadBytes = 96;
/// A new file's level counts as having at least this share of all keys, because more files will follow.
constexpr double kMinShareOfLevel = 1.0 / 16;

/// A level of the tree after the running compactions.
struct PlannedLevel {
  double keys = 0;
  double moving_keys = 0;  // those that running compactions write; included in `keys`
  double runs = 1;
  LevelSpec spec;
  double bits_per_key = 0;  // the real bits of the spec's filters
};

/// The levels by number, with the specs that the options give. `own` is the level of the new file.
std::vector<PlannedLevel> levels_of(const Settings& settings, const ListedTree& known,
                                    const rocksdb::FilterBuildingContext& context, std::size_t own) {
  std::vector<PlannedLevel> levels(std::max(known.levels.size(), own + 1));
  for (std::size_t i = 0; i < known.levels.size(); ++i) {
    levels[i].keys += known.levels[i].keys;
    PlannedLevel& goal = levels[is_flushed(context) ? i : std::max(i, own)];
    goal.keys += known.levels[i].moving_keys;
    goal.moving_keys += known.levels[i].moving_keys;
    if (i == 0) levels[i].runs = std::max(known.levels[i].files, 1.0);
  }
  std::size_t last = own;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].keys > 0) last = std::max(last, i);
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const int distance = distance_in_tree(settings, context, static_cast<int>(i), static_cast<int>(last));
    levels[i].spec = settings.at(distance);
    levels[i].bits_per_key = real_bits_per_key(levels[i].spec);
  }
  return levels;
}

double sum_of_bits(const std::vector<PlannedLevel>& levels, double PlannedLevel::*keys) {
  return std::accumulate(levels.begin(), levels.end(), 0.0,
                         [&](double sum, const PlannedLevel& level) { return sum + level.*keys * level.bits_per_key; });
}

/// Divides the bits among the levels that have keys, including the level of the new file.
Result<void> divide(std::vector<PlannedLevel>& levels, std::size_t own, double bits) {
  double all = 0;
  for (const PlannedLevel& level : levels) all += level.keys;
  levels[own].keys = std::max({levels[own].keys, kMinShareOfLevel * all, 1.0});
  std::vector<TreeLevel> tree;
  std::vector<PlannedLevel*> planned;
  for (PlannedLevel& level : levels) {
    if (level.keys <= 0) continue;
    tree.push_back({.keys = level.keys, .kind = level.spec.kind, .runs = level.runs});
    planned.push_back(&level);
  }
  const auto specs = divided_specs(tree, bits);
  if (!specs) return specs.error();
  for (std::size_t i = 0; i < planned.size(); ++i) {
    planned[i]->spec = (*specs)[i];
    planned[i]->bits_per_key = real_bits_per_key((*specs)[i]);
  }
  return {};
}

}  // namespace

Result<FilePlan> plan_file(const Settings& settings, const ListedTree& known,
                           const rocksdb::FilterBuildingContext& context, PlanUse use) {
  const auto own = static_cast<std::size_t>(is_flushed(context) ? 0 : std::max(context.level_at_creation, 0));
  std::vector<PlannedLevel> levels = levels_of(settings, known, context, own);
  double keys = 0;
  for (const PlannedLevel& level : levels) keys += level.keys;
  const auto limit = static_cast<double>(settings.max_total_bytes);
  const double bytes = kPlannedShare * limit - known.unlimited_bytes - kBlockOverheadBytes * known.limited_blocks;
  const double bits = 8 * std::max(bytes, 0.0) * (keys > 0 ? keys / known.limited_keys : 1);
  const bool is_reduced = sum_of_bits(levels, &PlannedLevel::keys) > bits;
  if (is_reduced) {
    if (auto divided = divide(levels, own, bits); !divided) return divided.error();
  }
  FilePlan plan{levels[own].spec, is_reduced};
  if (use == PlanUse::kAll) return plan;
  const double mean_bits = keys > 0 ? sum_of_bits(levels, &PlannedLevel::keys) / keys : 0;
  const double moving = (sum_of_bits(levels, &PlannedLevel::moving_keys) + known.other_moving_keys * mean_bits) / 8;
  if (is_flushed(context)) {
    plan.moving_bytes = moving;
    return plan;
  }
  const double scaled = known.moving_bytes * std::min(1.0, limit / (known.staying_bytes + known.moving_bytes));
  const double left = std::max(limit - known.staying_bytes, scaled);
  if (moving <= left) return plan;
  const auto less = divided_specs({{.keys = 1, .kind = plan.spec.kind}}, levels[own].bits_per_key * left / moving);
  if (!less) return less.error();
  plan.spec = less->front();
  plan.is_reduced = true;
  return plan;
}

std::size_t max_flushed_bytes(const ListedTree& known, std::uint64_t max_total_bytes, double moving_bytes) noexcept {
  const double left = kMaxShare * static_cast<double>(max_total_bytes) - known.staying_bytes - known.flushed_bytes -
                      std::max(known.moving_bytes, moving_bytes);
  return static_cast<std::size_t>(std::max(left, 0.0) / 2);
}

std::size_t max_bytes_without_plan(const Settings& settings) noexcept {
  return static_cast<std::size_t>(kUnknownShare * static_cast<double>(settings.max_total_bytes));
}

}  // namespace crivo::plugin

// The optimum of Monkey (Dayan, Athanassoulis & Idreos 2017, section 4.1), for blocked and ribbon filters.
//
// A filter's rate as a function of its bits per key is convex, or is made convex by the lower convex hull of its
// points. So each level's curve is divided into short steps, each less steep than the one before. The budget is spent
// first on the steps that save the most false positives per bit of memory. For classic Bloom filters, this method would
// give Monkey's closed form, in which a level's rate is proportional to the level's size.
#include "crivo/host/level_budget.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/error_text.h"
#include "crivo/host/sizing.h"
#include "kinds/ribbon/layout.h"

namespace crivo {
namespace {

constexpr double kLowestRate = 1e-9;

double rate_of(Kind kind, double bits_per_key) noexcept {
  if (bits_per_key <= 0) return 1;
  if (kind == Kind::kBlocked) return blocked_fp_rate(bits_per_key / kBlockBits, 1, best_blocked_probes(bits_per_key));
  const double columns = std::min<double>(bits_per_key, kMaxRibbonColumns);
  const double lean = std::floor(columns);
  return std::ldexp(1 - (columns - lean) / 2, -static_cast<int>(lean));
}

struct Point {
  double bits_per_key;
  double fp_rate;
};

/// The decrease of the rate per bit per key between two points.
double gain(const Point& from, const Point& to) noexcept {
  return (from.fp_rate - to.fp_rate) / (to.bits_per_key - from.bits_per_key);
}

/// The lower convex hull of a kind's rates, from no filter to the lowest rate (Andrew's monotone chain).
std::vector<Point> hull_of(Kind kind) {
  const double step = kind == Kind::kRibbon ? 1 : 0.125;  // a ribbon's curve is piecewise linear
  std::vector<Point> hull{{0, 1}};
  for (double bits = step; hull.back().fp_rate > kLowestRate && bits <= kMaxBitsPerKey; bits += step) {
    const Point next{bits, rate_of(kind, bits)};
    while (hull.size() > 1 && gain(hull[hull.size() - 2], hull.back()) <= gain(hull.back(), next)) hull.pop_back();
    hull.push_back(next);
  }
  return hull;
}

/// A step along a level's curve.
struct Step {
  std::size_t level;
  double bits_per_key;
  double gain;  // false positives saved per bit of memory
};

Result<void> check(std::span<const TreeLevel> levels, double budget) {
  if (!(budget >= 0 && budget <= kMaxBitsPerKey)) {
    return bad_argument("budget_bits_per_key must be in [0, ", kMaxBitsPerKey, "], got ", budget);
  }
  if (levels.empty()) return bad_argument("levels must be at least 1, got 0");
  for (const TreeLevel& level : levels) {
    if (!(level.keys > 0 && std::isfinite(level.keys))) {
      return bad_argument("keys must be above 0 and finite, got ", level.keys);
    }
    if (!(level.runs > 0 && std::isfinite(level.runs))) {
      return bad_argument("runs must be above 0 and finite, got ", level.runs);
    }
    if (level.kind != Kind::kBlocked && level.kind != Kind::kRibbon) {
      return bad_argument("kind must be kBlocked or kRibbon, got number ", static_cast<unsigned>(level.kind));
    }
  }
  return {};
}

}  // namespace

Result<std::vector<LevelFilter>> divide_budget(std::span<const TreeLevel> levels, double budget_bits_per_key) {
  if (auto valid = check(levels, budget_bits_per_key); !valid) return valid.error();
  // Cached: thousands of rates that never change. Never destroyed, because policies may outlive static objects.
  static const auto& blocked = *new std::vector<Point>(hull_of(Kind::kBlocked));
  static const auto& ribbon = *new std::vector<Point>(hull_of(Kind::kRibbon));
  std::vector<Step> steps;
  double keys = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::vector<Point>& hull = levels[i].kind == Kind::kBlocked ? blocked : ribbon;
    for (std::size_t end = 1; end < hull.size(); ++end) {
      steps.push_back({i, hull[end].bits_per_key - hull[end - 1].bits_per_key,
                       gain(hull[end - 1], hull[end]) * levels[i].runs / levels[i].keys});
    }
    keys += levels[i].keys;
  }
  std::ranges::stable_sort(steps, std::ranges::greater(), &Step::gain);

  std::vector<LevelFilter> filters(levels.size());
  double left = budget_bits_per_key * keys;
  for (const Step& step : steps) {
    const double level_keys = levels[step.level].keys;
    const double bought = std::min(step.bits_per_key, left / level_keys);
    filters[step.level].bits_per_key += bought;
    left -= bought * level_keys;
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    filters[i].fp_rate = rate_of(levels[i].kind, filters[i].bits_per_key);
  }
  return filters;
}

}  // namespace crivo

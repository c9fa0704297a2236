#include "tool/advice.h"

#include <algorithm>
#include <cstddef>

#include "options/settings.h"

namespace crivo::tool {
namespace {

using plugin::kHighestLevelRatio;
using plugin::kMaxLevels;
using plugin::kMinLevels;
using plugin::kRunsOfLevel0;

constexpr double kUsualRatio = 10;

/// The keys above the last level of a tree with equal ratios, if the last level has one key.
double keys_above(std::size_t levels, double ratio) noexcept {
  double level = 1;
  double sum = 0;
  for (std::size_t distance = 1; distance < levels; ++distance) sum += level /= ratio;
  return sum;
}

double ratio_of(const TreeSizes& sizes) noexcept {
  if (sizes.keys.empty() || sizes.keys[0] <= 0) return kUsualRatio;
  double above = 0;
  for (std::size_t distance = 1; distance < sizes.keys.size(); ++distance) above += sizes.keys[distance];
  if (above <= 0) {
    if (sizes.level0_keys <= 0) return kUsualRatio;
    return sizes.keys[0] * sizes.level0_runs / (kRunsOfLevel0 * sizes.level0_keys);
  }
  double low = 1;  // bisection: the higher the ratio, the fewer keys above the last level
  double high = kHighestLevelRatio;
  constexpr int kSteps = 60;
  for (int step = 0; step < kSteps; ++step) {
    const double middle = (low + high) / 2;
    (keys_above(sizes.keys.size(), middle) > above / sizes.keys[0] ? low : high) = middle;
  }
  return high;
}

/// The smallest number of hundredths for which `is_far_enough` holds; the maximum plus one if there is none. If
/// `is_far_enough` holds for a number, it must hold for all larger numbers.
int first(const std::function<bool(int)>& is_far_enough) {
  int least = kMinHundredths;
  int most = kMaxHundredths + 1;
  while (least < most) {
    const int middle = least + (most - least) / 2;
    if (is_far_enough(middle)) {
      most = middle;
    } else {
      least = middle + 1;
    }
  }
  return least;
}

}  // namespace

FilterCosts& FilterCosts::operator+=(const FilterCosts& other) noexcept {
  bytes += other.bytes;
  reads += other.reads;
  return *this;
}

TreeFit fit_tree(const TreeSizes& sizes) noexcept {
  return {std::clamp(static_cast<int>(sizes.keys.size()), kMinLevels, kMaxLevels),
          std::clamp(ratio_of(sizes), 1.0, kHighestLevelRatio)};
}

std::vector<TreeFit> fits_near(const TreeFit& fit) {
  std::vector<TreeFit> fits{fit};
  for (const double factor : {0.25, 0.35, 0.5, 0.7, 1.4, 2.0, 2.8, 4.0}) {
    const double ratio = fit.level_ratio * factor;
    if (ratio > 1 && ratio <= kHighestLevelRatio) fits.push_back({fit.levels, ratio});
  }
  if (fit.level_ratio > 1) fits.push_back({fit.levels, 1});
  return fits;
}

std::optional<int> most_within_bytes(const CostsOf& costs, double bytes) {
  const int too_many = first([&](int hundredths) { return costs(hundredths).bytes > bytes; });
  return too_many == kMinHundredths ? std::nullopt : std::optional(too_many - 1);
}

std::optional<int> fewest_within_reads(const CostsOf& costs, double reads) {
  const int enough = first([&](int hundredths) { return costs(hundredths).reads <= reads; });
  return enough > kMaxHundredths ? std::nullopt : std::optional(enough);
}

}  // namespace crivo::tool

// The arithmetic of `crivo sst advise`. Databases and policies are represented by numbers and functions.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace crivo::tool {

/// The memory of a tree's filters, and their false positives.
struct FilterCosts {
  double bytes = 0;
  /// The mean number of files that a lookup of an absent key reads because of false positives.
  double reads = 0;

  FilterCosts& operator+=(const FilterCosts& other) noexcept;
};

/// The options `levels` and `level_ratio` of crivo.Auto for a tree.
struct TreeFit {
  int levels;
  double level_ratio;
};

struct TreeSizes {
  /// The keys of each level below level 0, beginning with the last; 0 for an empty level.
  std::vector<double> keys;
  double level0_keys = 0;
  double level0_runs = 0;
};

/// Fits a tree with equal ratios between its levels. The fitted tree has the same number of levels, and its last level
/// has the same share of the keys below level 0. If only the last level has keys, level 0 determines the ratio.
/// crivo.Auto models level 0 as four runs that together have as many keys as the smallest level. The ratio is such
/// that, with two levels, a modelled run has as many keys as a real run on average.
[[nodiscard]] TreeFit fit_tree(const TreeSizes& sizes) noexcept;

/// The ratios to try, because a tree is never quite as crivo.Auto assumes: the ratio of the fit, some ratios up to four
/// times larger and smaller, and 1, which gives all levels about the same rate.
[[nodiscard]] std::vector<TreeFit> fits_near(const TreeFit& fit);

/// The sizes to try, in hundredths of a bit per key: from half a bit, RocksDB's minimum, to 64.
inline constexpr int kMinHundredths = 50;
inline constexpr int kMaxHundredths = 6400;

/// The costs of filters of this size. More bits mean more bytes and fewer wasted reads.
using CostsOf = std::function<FilterCosts(int hundredths)>;

/// The largest size within these bytes. No value if even the smallest needs more.
[[nodiscard]] std::optional<int> most_within_bytes(const CostsOf& costs, double bytes);
/// The smallest size with at most these wasted reads. No value if even the largest has more.
[[nodiscard]] std::optional<int> fewest_within_reads(const CostsOf& costs, double reads);

}  // namespace crivo::tool

// The arithmetic of `crivo sst advise`. No database and no policy here: what they say comes in as numbers and
// functions.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace crivo::tool {

/// What the filters of a tree cost and what they let pass.
struct FilterCosts {
  double bytes = 0;
  /// How many files a question for an absent key reads in vain, on the average.
  double reads = 0;

  FilterCosts& operator+=(const FilterCosts& other) noexcept;
};

/// What crivo.Auto should know of a tree: its options `levels` and `level_ratio`.
struct TreeFit {
  int levels;
  double level_ratio;
};

/// A tree as it is.
struct TreeSizes {
  /// The keys of each level below level 0, the last one first. An empty level in between has none.
  std::vector<double> keys;
  double level0_keys = 0;
  double level0_runs = 0;
};

/// The tree of equal ratios that has as many keys below level 0 as this one, and as many of them in the last level.
/// Where the last level is the only one, the ratio is that at which level 0, which crivo.Auto takes for four runs that
/// are together as large as the smallest level, has runs of the size that it has.
[[nodiscard]] TreeFit fit_tree(const TreeSizes& sizes) noexcept;

/// The ratios that are worth a try: that of the fit, some up to four times larger and smaller, and 1, with which all
/// levels get about one rate. A tree is never quite what crivo.Auto takes it for.
[[nodiscard]] std::vector<TreeFit> fits_near(const TreeFit& fit);

/// The sizes that are tried, in hundredths of a bit per key: half a bit, the least that RocksDB calls a filter, to 64.
inline constexpr int kFewestHundredths = 50;
inline constexpr int kMostHundredths = 6400;

/// What filters of so many hundredths of a bit per key cost. More bits mean more bytes and fewer reads in vain.
using CostsOf = std::function<FilterCosts(int hundredths)>;

/// The most hundredths with at most these bytes. No value if even the fewest take more.
[[nodiscard]] std::optional<int> most_within_bytes(const CostsOf& costs, double bytes);
/// The fewest hundredths with at most these reads in vain. No value if even the most leave more.
[[nodiscard]] std::optional<int> fewest_within_reads(const CostsOf& costs, double reads);

}  // namespace crivo::tool

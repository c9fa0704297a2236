// Divides a memory budget for filters over the levels of a log-structured merge tree (LSM tree).
#pragma once

#include <span>
#include <vector>

#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// A level of the tree, or any group of sorted runs whose filters share a rate.
struct TreeLevel {
  /// Keys in the level, above 0, in any unit: only the ratios of the levels' keys matter.
  double keys;
  Kind kind;
  /// Sorted runs among which the keys are divided evenly, above 0. A lookup queries one filter per run.
  double runs = 1;
};

/// The planned filters of one level.
struct LevelFilter {
  double bits_per_key;  // 0: no filter
  double fp_rate;       // 1 without a filter
};

/// Divides budget_bits_per_key * (all keys) over the levels such that a lookup of an absent key has the fewest false
/// positives: minimal sum of runs * fp_rate. This beats one rate for all levels, because the small upper levels get
/// lower rates at little cost. A level gets no more memory once its rate is at most 1e-9. Sizes are those of large
/// filters, without trailers and rounding.
///
/// Errors: kBadArgument for a budget outside [0, 1000], for no levels, for keys or runs that are not finite and above
/// 0, and for kinds other than kBlocked and kRibbon. Source: Dayan, Athanassoulis & Idreos 2017, "Monkey: Optimal
/// Navigable Key-Value Store", section 4.1. The paper's closed form is for Bloom filters; divide_budget finds the same
/// optimum for any size function.
[[nodiscard]] Result<std::vector<LevelFilter>> divide_budget(std::span<const TreeLevel> levels,
                                                             double budget_bits_per_key);

}  // namespace crivo

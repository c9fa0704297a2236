// How the memory for the filters of a log-structured merge tree (LSM tree) is best divided over its levels.
#pragma once

#include <span>
#include <vector>

#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// A level of the tree, or any group of sorted runs whose filters are to have the same rate.
struct TreeLevel {
  /// The number of keys in the level, in any unit: only the ratios between the levels matter. Above 0.
  double keys;
  /// The kind of the filters: kBlocked or kRibbon.
  Kind kind;
  /// The number of sorted runs over which the keys are spread evenly. A question asks one filter in each. Above 0.
  double runs = 1;
};

/// What the filters of one level are to be.
struct LevelFilter {
  double bits_per_key;  // 0 means no filter
  double fp_rate;       // 1 where there is no filter
};

/// Divides budget_bits_per_key times all keys over the levels, so that the sum of false positives of a question that
/// asks every run (a read of an absent key) is the lowest: sum of runs * fp_rate. That is much lower than with one rate
/// for all levels, because the small levels at the top take next to no memory for rates that are lower by the ratio of
/// the sizes. No level gets more bits than give 1e-9. Sizes are those of large filters, without trailers and rounding.
///
/// Errors: kBadArgument for a budget outside [0, 1000], for no levels, or for a level with keys or runs that are not
/// above 0 and finite, or with another kind. Source: Dayan, Athanassoulis & Idreos 2017, "Monkey: Optimal Navigable
/// Key-Value Store", section 4.1. Their closed form holds for one kind that is Bloom's; here the same optimum is found
/// for kinds of any sizes.
[[nodiscard]] Result<std::vector<LevelFilter>> divide_budget(std::span<const TreeLevel> levels,
                                                             double budget_bits_per_key);

}  // namespace crivo

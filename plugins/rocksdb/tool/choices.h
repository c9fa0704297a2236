// Computes what each kind of filter would cost in an existing tree, according to the policies.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tool/advice.h"
#include "tool/family_tree.h"

namespace crivo::tool {

struct Choice {
  std::string kind;           // "auto", "blocked", "ribbon", "rocksdb_bloom" or "rocksdb_ribbon"
  std::string filter_policy;  // as in an option string
  FilterCosts costs;
  std::map<int, FileGroup> levels;  // as in FamilyTree::levels
};

/// The goal: the fewest wasted reads within these bytes, or the fewest bytes within these wasted reads.
struct Goal {
  bool within_bytes;
  double limit;
};

/// The best policy of each kind that reaches the goal, best first. Crivo's policies preserve the limits in bytes
/// (max_total_bytes: crivo.Auto only), count_questions and the key transform of an existing policy. Throws Refused.
[[nodiscard]] std::vector<Choice> choices_for(const FamilyPolicy& family, const FamilyTree& tree, const Goal& goal);

}  // namespace crivo::tool

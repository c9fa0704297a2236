// What each kind of filter would cost in a tree that is there: found by asking the policies themselves.
#pragma once

#include <rocksdb/options.h>

#include <map>
#include <string>
#include <vector>

#include "tool/advice.h"
#include "tool/family_tree.h"

namespace crivo::tool {

/// A filter policy, and what it would do.
struct Choice {
  std::string kind;           // "auto", "blocked", "ribbon", "rocksdb_bloom" or "rocksdb_ribbon"
  std::string filter_policy;  // as it stands in an option string
  FilterCosts costs;
  std::map<int, FileGroup> levels;  // as in FamilyTree::levels
};

/// What is to be had: as few reads in vain as these bytes can give, or as few bytes as leave these reads in vain.
struct Goal {
  bool within_bytes;
  double limit;
};

/// The best policy of each kind that reaches the goal, the best one first. The choices keep of a policy of
/// Crivo's that is there its limits in bytes, whether it counts questions, and its key transform. Throws Refused
/// for a policy that is here but cannot work.
[[nodiscard]] std::vector<Choice> choices_for(const FamilyPolicy& family, const FamilyTree& tree, const Goal& goal);

}  // namespace crivo::tool

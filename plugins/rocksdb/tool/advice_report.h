// Prints the results of `crivo sst advise`: text tables and JSON.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tool/choices.h"
#include "tool/logged_gets.h"

namespace crivo::tool {

/// The proposals for one goal.
struct Plan {
  std::string goal;  // "memory": within the given bytes; "reads": within the present wasted reads
  double limit = 0;
  std::string reason;           // for the text output
  std::vector<Choice> choices;  // best first
};

/// A column family, and the proposals for it.
struct FamilyAdvice {
  std::string column_family;
  std::string filter_policy;  // of the options; may be empty
  std::map<int, FileGroup> levels;
  FilterCosts now;
  std::string note;  // why there are no proposals; may be empty
  std::vector<Plan> plans;
};

[[nodiscard]] std::string advice_text(const FamilyAdvice& advice);
[[nodiscard]] nlohmann::ordered_json advice_json(const FamilyAdvice& advice);

[[nodiscard]] std::string gets_text(const std::optional<LoggedGets>& gets);
/// Null without a value.
[[nodiscard]] nlohmann::ordered_json gets_json(const std::optional<LoggedGets>& gets);

}  // namespace crivo::tool

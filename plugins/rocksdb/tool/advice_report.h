// How `crivo sst advise` shows what it found: tables for people, and JSON.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tool/choices.h"
#include "tool/logged_gets.h"

namespace crivo::tool {

/// What is proposed for one goal.
struct Plan {
  std::string goal;  // "memory": within the bytes that are given; "reads": within the reads in vain of now
  double limit = 0;
  std::string reason;           // for people
  std::vector<Choice> choices;  // the best one first
};

/// A column family, and what is proposed.
struct FamilyAdvice {
  std::string column_family;
  std::string filter_policy;  // that of the options; empty if there is none
  std::map<int, FileGroup> levels;
  FilterCosts now;
  std::string note;  // why nothing is proposed; empty if something is
  std::vector<Plan> plans;
};

[[nodiscard]] std::string advice_text(const FamilyAdvice& advice);
[[nodiscard]] nlohmann::ordered_json advice_json(const FamilyAdvice& advice);

[[nodiscard]] std::string gets_text(const std::optional<LoggedGets>& gets);
/// null without a value.
[[nodiscard]] nlohmann::ordered_json gets_json(const std::optional<LoggedGets>& gets);

}  // namespace crivo::tool

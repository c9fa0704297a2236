#include "tool/advice_report.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace crivo::tool {
namespace {

using nlohmann::ordered_json;

/// If more than this share of Gets find a value, the filters of the last level save few reads.
constexpr double kMostlyFound = 0.9;

template <typename... Values>
std::string format(const char* how, Values... values) {
  char text[400];
  std::snprintf(text, sizeof text, how, values...);
  return text;
}

std::string level_row(const std::string& name, const std::string& kind, const FileGroup& level) {
  return format("%5s %6llu %6.2f  %-20s %12llu %12.0f %9.2f  %10.3g\n", name.c_str(),
                static_cast<unsigned long long>(level.files), level.runs, kind.c_str(),
                static_cast<unsigned long long>(level.keys), level.costs.bytes, level.bits_per_key(),
                level.costs.reads);
}

std::string levels_text(const FamilyAdvice& advice) {
  std::string text = "level  files   runs  filter                       keys        bytes  bits/key      wasted\n";
  FileGroup all;
  for (const auto& [number, level] : advice.levels) {
    text += level_row(std::to_string(number), level.kind(), level);
    all += level;
  }
  return text + level_row("all", "", all);
}

/// The bits per key of each level: "0:15.4 6:7.1".
std::string bits_text(const Choice& choice) {
  std::string text;
  for (const auto& [number, level] : choice.levels) {
    text += format("%s%d:%.3g", text.empty() ? "" : " ", number, level.bits_per_key());
  }
  return text;
}

std::string plan_text(const Plan& plan) {
  if (plan.choices.empty()) return plan.reason + ": no filters reach this goal\n";
  std::size_t widest = 0;
  for (const Choice& choice : plan.choices) widest = std::max(widest, bits_text(choice).size());
  std::string heading = "level:bits/key";
  heading.resize(std::max(widest, heading.size()), ' ');
  std::string text = plan.reason + ":\n       bytes      wasted  " + heading + "  filter_policy\n";
  for (const Choice& choice : plan.choices) {
    std::string bits = bits_text(choice);
    bits.resize(heading.size(), ' ');
    text +=
        format("%12.0f  %10.3g  ", choice.costs.bytes, choice.costs.reads) + bits + "  " + choice.filter_policy + '\n';
  }
  return text;
}

ordered_json costs_json(const FilterCosts& costs) {
  return {{"filter_bytes", costs.bytes}, {"reads_in_vain", costs.reads}};
}

ordered_json levels_json(const std::map<int, FileGroup>& levels) {
  ordered_json all = ordered_json::array();
  for (const auto& [number, level] : levels) {
    all.push_back({{"level", number},
                   {"files", level.files},
                   {"runs", level.runs},
                   {"kind", level.kind()},
                   {"keys", level.keys},
                   {"filter_bytes", level.costs.bytes},
                   {"bits_per_key", level.bits_per_key()},
                   {"reads_in_vain", level.costs.reads}});
  }
  return all;
}

ordered_json plan_json(const Plan& plan) {
  ordered_json choices = ordered_json::array();
  for (const Choice& choice : plan.choices) {
    ordered_json one = {{"kind", choice.kind}, {"filter_policy", choice.filter_policy}};
    one.update(costs_json(choice.costs));
    one["levels"] = levels_json(choice.levels);
    choices.push_back(std::move(one));
  }
  return {{"goal", plan.goal}, {"limit", plan.limit}, {"choices", choices}};
}

}  // namespace

std::string advice_text(const FamilyAdvice& advice) {
  std::string text = "column family " + advice.column_family + ", filter_policy " +
                     (advice.filter_policy.empty() ? "none" : advice.filter_policy) + '\n';
  if (!advice.levels.empty()) text += levels_text(advice);
  if (!advice.note.empty()) text += "nothing to advise: " + advice.note + '\n';
  for (const Plan& plan : advice.plans) text += '\n' + plan_text(plan);
  return text;
}

ordered_json advice_json(const FamilyAdvice& advice) {
  ordered_json now = costs_json(advice.now);
  now["levels"] = levels_json(advice.levels);
  ordered_json json = {{"column_family", advice.column_family},
                       {"filter_policy", advice.filter_policy},
                       {"now", now},
                       {"note", advice.note},
                       {"plans", ordered_json::array()}};
  for (const Plan& plan : advice.plans) json["plans"].push_back(plan_json(plan));
  return json;
}

std::string gets_text(const std::optional<LoggedGets>& gets) {
  if (!gets) {
    return "LOG has no counts of Gets. A database with options.statistics and Crivo's listener (ConfigureRocksDB) logs "
           "them when it closes, if it wrote a file; LogRocksDBFilterCounters logs them at once.\n";
  }
  std::string text = format(
      "LOG: %.3g%% of %llu Gets that came to files found a value. Filters saved %llu reads of files; %llu reads were "
      "wasted.\n",
      100 * gets->found_share(), static_cast<unsigned long long>(gets->in_files),
      static_cast<unsigned long long>(gets->filter_negatives),
      static_cast<unsigned long long>(gets->filter_false_positives));
  if (gets->found_share() > kMostlyFound) {
    text += "So the last level's filters save few reads: see bottommost_fp_rate of crivo.Auto.\n";
  }
  return text;
}

ordered_json gets_json(const std::optional<LoggedGets>& gets) {
  if (!gets) return nullptr;
  return {{"in_files", gets->in_files},
          {"found", gets->found},
          {"filter_negatives", gets->filter_negatives},
          {"filter_false_positives", gets->filter_false_positives}};
}

}  // namespace crivo::tool

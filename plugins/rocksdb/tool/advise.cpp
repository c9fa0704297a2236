// crivo sst advise: proposes filter policies for a database, with their costs.
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "crivo/host/text.h"
#include "numbers.h"
#include "tool/choices.h"
#include "tool/commands.h"
#include "tool/database.h"
#include "tool/logged_gets.h"

namespace crivo::tool {
namespace {

using nlohmann::ordered_json;

/// The proposals for one goal.
struct Plan {
  std::string goal;  // "memory": within the given bytes; "reads": within the current wasted reads
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
  return {{"filter_bytes", costs.bytes}, {"wasted_reads", costs.reads}};
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
                   {"wasted_reads", level.costs.reads}});
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

std::string advice_text(const FamilyAdvice& advice) {
  std::string text = "column family " + printable(advice.column_family) + ", filter_policy " +
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

struct AdviseOptions {
  std::string path;
  ByteLimit memory = {"memory", 0};
  FamilyChoice families;
  bool json = false;
};

/// The size to compare with if there are no filters.
constexpr double kUsualBitsPerKey = 10;

struct ReadFamily {
  FamilyPolicy policy;
  FamilyTree tree;
};

/// Why there is nothing to propose; may be empty.
std::string why_nothing(const ReadFamily& family) {
  if (table_of(family.policy.options) == nullptr) return "its tables are not block-based";
  if (std::string why = why_no_keys(family.policy.options); !why.empty()) return why;
  return family.tree.all().keys == 0 ? "it has no keys in files" : "";
}

/// The goals. `memory`: the bytes for this column family, if given.
std::vector<Plan> goals(const FamilyTree& tree, std::optional<double> memory) {
  const FilterCosts now = tree.all().costs;
  if (memory) return {{"memory", *memory, format("In %.0f bytes", *memory), {}}};
  if (now.bytes == 0) {
    const double usual = kUsualBitsPerKey * static_cast<double>(tree.all().keys) / 8;
    return {{"memory", usual, format("There are no filters. In %.0f bits per key", kUsualBitsPerKey), {}}};
  }
  std::vector<Plan> plans = {{"memory", now.bytes, "With at most the present memory", {}}};
  // If the policy does not read the filters, every read is wasted, and the number of wasted reads is not a useful goal.
  const bool are_read = now.reads < tree.all().runs;
  if (are_read) plans.push_back({"reads", now.reads, "With at most the present wasted reads", {}});
  return plans;
}

FamilyAdvice advise_family(const ReadFamily& family, std::optional<double> memory) {
  FamilyAdvice advice;
  const auto& policy = family.policy.policy;
  advice.column_family = family.policy.handle->GetName();
  advice.filter_policy = policy != nullptr ? policy->GetId() : "";
  advice.levels = family.tree.levels();
  advice.now = family.tree.all().costs;
  advice.note = why_nothing(family);
  if (!advice.note.empty()) return advice;
  advice.plans = goals(family.tree, memory);
  for (Plan& plan : advice.plans) {
    plan.choices = choices_for(family.policy, family.tree, {plan.goal == "memory", plan.limit});
  }
  return advice;
}

/// Throws Refused for a policy with an error: it writes no filters, or wrong ones, so its costs are meaningless.
void check_policy(const FamilyPolicy& family) {
  if (family.policy == nullptr) return;
  const rocksdb::Status valid = family.policy->ValidateOptions(family.options, family.options);
  if (!valid.ok())
    throw rocksdb_error("OPTIONS of DB must be valid for its filter_policy", family.policy->GetId(), valid);
}

std::vector<ReadFamily> read_families(const Database& database, const AdviseOptions& arguments) {
  std::vector<ReadFamily> families;
  for (rocksdb::ColumnFamilyHandle* const handle : database.families()) {
    if (!arguments.families.wants(handle->GetName())) continue;
    const rocksdb::Options options = database.db().GetOptions(handle);
    const FamilyPolicy family{handle, options, policy_of(options), std::nullopt};
    check_policy(family);
    families.push_back({family, read_tree(database.db(), family)});
  }
  return families;
}

ExitCode print_complaints(const std::vector<ReadFamily>& families) {
  ExitCode code = kYes;
  for (const ReadFamily& family : families) {
    for (const std::string& complaint : family.tree.complaints) {
      std::fprintf(stderr, "crivo sst advise: note: %s\n", complaint.c_str());
      code = kNo;
    }
  }
  return code;
}

ExitCode advise(const AdviseOptions& arguments) {
  const DatabaseOptions options = load_options(arguments.path, /*for_writing=*/false);
  arguments.families.check(options);
  const Database database = Database::open_read_only(options, arguments.path, /*with_log=*/false);
  const std::vector<ReadFamily> families = read_families(database, arguments);
  double keys = 0;
  for (const ReadFamily& family : families) keys += static_cast<double>(family.tree.all().keys);
  const auto gets = logged_gets(arguments.path);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  std::string text = gets_text(gets);
  for (const ReadFamily& family : families) {
    const double share = keys > 0 ? static_cast<double>(family.tree.all().keys) / keys : 1;
    std::optional<double> memory;
    if (!arguments.memory.given.empty()) memory = share * static_cast<double>(arguments.memory.bytes);
    const FamilyAdvice advice = advise_family(family, memory);
    all.push_back(advice_json(advice));
    all.back()["gets"] = gets_json(gets);
    text += '\n' + advice_text(advice);
  }
  // Names of column families need not be UTF-8.
  if (arguments.json) text = all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  std::fputs(text.c_str(), stdout);
  return print_complaints(families);
}

}  // namespace

void add_sst_advise(CLI::App& app, Action& action) {
  const auto [command, options] =
      declare(app, action, "advise", "Propose filter policies for a database, with their costs", advise);
  add_option(command, "DB", options.path, "The folder of a database, which may be in use")->required();
  add_limit(command, options.memory,
            std::string("Memory for the filters of these column families, divided in proportion to their keys; ") +
                kByteUnits + ". Without it, the present memory, and the memory for the present wasted reads");
  add_family_option(command, options.families);
  command.add_flag("--json", options.json, "Print a JSON array with one object per column family");
  command.footer(
      "A read is wasted if a file's filter lets an absent key pass. The figures are per lookup (Get) of an absent key, "
      "if absent keys are distributed like the stored keys; `runs` is the number of files that the lookup would read "
      "without filters. "
      "The first row is the best; `crivo sst refilter DB --policy POLICY` applies it to all files. "
      "Predicted costs are for a tree of this shape with all files rewritten.\n"
      "Exit code: 0, or 1 if a file or a filter block is damaged or missing, 2 if there was an error.");
}

}  // namespace crivo::tool

// crivo sst advise: proposes filter policies for a database, with their costs.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "numbers.h"
#include "tool/advice_report.h"
#include "tool/commands.h"
#include "tool/database.h"

namespace crivo::tool {
namespace {

struct AdviseOptions {
  std::string path;
  ByteLimit memory = {"memory", 0};
  FamilyChoice families;
  bool json = false;
};

/// The size to compare with if there are no filters.
constexpr double kUsualBitsPerKey = 10;

/// A column family and its tree.
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
  char text[120];
  if (memory) {
    std::snprintf(text, sizeof text, "In %.0f bytes", *memory);
    return {{"memory", *memory, text, {}}};
  }
  if (now.bytes == 0) {
    const double usual = kUsualBitsPerKey * static_cast<double>(tree.all().keys) / 8;
    std::snprintf(text, sizeof text, "There are no filters. In %.0f bits per key", kUsualBitsPerKey);
    return {{"memory", usual, text, {}}};
  }
  std::vector<Plan> plans = {{"memory", now.bytes, "With at most the present memory", {}}};
  // If the policy does not read the filters, every read is wasted, and their number is no useful goal.
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

/// A policy with an error writes no filters, or wrong ones, so it cannot be judged.
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

ExitCode say_complaints(const std::vector<ReadFamily>& families) {
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
  return say_complaints(families);
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
      "if such keys are distributed like the keys; `runs` is the number of files that it would read without filters. "
      "The first row is the best; `crivo sst refilter DB --policy POLICY` applies it to all files. "
      "Predicted costs are for a tree of this shape with all files rewritten.\n"
      "Exit code: 0, or 1 if a file or a filter block is damaged or missing, 2 if there was an error.");
}

}  // namespace crivo::tool

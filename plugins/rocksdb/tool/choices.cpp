#include "tool/choices.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "crivo/host/text.h"
#include "options/settings_parser.h"

namespace crivo::tool {
namespace {

constexpr int kDigits = 5;  // more would be meaningless

/// The options of an existing Crivo policy that Crivo's choices preserve.
struct PreservedOptions {
  std::string text;  // as in an option string: ";max_build_bytes=1000"
  std::string key_transform;
  std::string of_auto = {};  // options of crivo.Auto alone
};

PreservedOptions preserved_options(const FamilyPolicy& family) {
  const auto settings = family.policy != nullptr ? plugin::settings_of(*family.policy) : std::nullopt;
  if (!settings) return {};
  PreservedOptions preserved{.text = "", .key_transform = std::string(plugin::name_of(settings->key_transform))};
  if (settings->max_filter_bytes != 0)
    preserved.text += ";max_filter_bytes=" + std::to_string(settings->max_filter_bytes);
  if (settings->max_build_bytes != 0) preserved.text += ";max_build_bytes=" + std::to_string(settings->max_build_bytes);
  if (settings->count_questions) preserved.text += ";count_questions=true";
  if (settings->max_total_bytes != 0)
    preserved.of_auto = ";max_total_bytes=" + std::to_string(settings->max_total_bytes);
  return preserved;
}

/// A kind of filter to propose. The Chooser's caller chooses the bits per key.
struct ChoiceKind {
  const char* name;
  const char* policy;
  bool is_crivo;
};

constexpr std::array kChoiceKinds = {ChoiceKind{"auto", "crivo.Auto", true}, ChoiceKind{"blocked", "crivo.Bloom", true},
                                     ChoiceKind{"ribbon", "crivo.Ribbon", true},
                                     ChoiceKind{"rocksdb_bloom", "bloomfilter", false},
                                     ChoiceKind{"rocksdb_ribbon", "ribbonfilter", false}};

/// The options of crivo.Auto other than its budget: one text per model of the tree. One empty text for other kinds, and
/// for a tree without levels below level 0.
std::vector<std::string> shapes_of(const ChoiceKind& kind, const FamilyPolicy& family, const FamilyTree& tree) {
  const TreeSizes sizes = tree.sizes(family.options);
  if (std::string_view(kind.name) != "auto" || sizes.keys.empty()) return {""};
  std::vector<std::string> shapes;
  for (const TreeFit& fit : fits_near(fit_tree(sizes))) {
    shapes.push_back(";levels=" + std::to_string(fit.levels) + ";level_ratio=" + number_text(fit.level_ratio, kDigits));
  }
  return shapes;
}

/// The policies of one kind for one column family, by bits per key.
class Chooser {
 public:
  Chooser(const ChoiceKind& kind, std::string shape, const FamilyPolicy& family, const FamilyTree& tree,
          const PreservedOptions& preserved)
      : kind_(kind), shape_(std::move(shape)), family_(family), tree_(tree), preserved_(preserved) {}

  /// The option string. `planned`: for computing costs, without the key transform, which hardly affects sizes.
  [[nodiscard]] std::string text(int hundredths, bool planned) const {
    const std::string bits = number_text(hundredths / 100.0, kDigits);
    const std::string policy = kind_.policy;
    if (!kind_.is_crivo) return policy + ":" + bits + (policy == "bloomfilter" ? ":false" : "");
    std::string more = shape_ + preserved_.text;
    // Costs are computed without the limit for the whole database.
    if (!planned && policy == "crivo.Auto") more += preserved_.of_auto;
    if (!planned && !preserved_.key_transform.empty()) more += ";key_transform=" + preserved_.key_transform;
    if (more.empty()) return policy + ":" + bits;
    const std::string option = shape_.empty() ? ";bits_per_key=" : ";budget_bits_per_key=";
    return "{id=" + policy + option + bits + more + "}";
  }

  [[nodiscard]] std::shared_ptr<const rocksdb::FilterPolicy> policy(int hundredths) const {
    auto policy = parse_policy(text(hundredths, /*planned=*/true));
    // Passes the column family's options to crivo.Auto, which derives the levels from them.
    policy->ValidateOptions(family_.options, family_.options).PermitUncheckedError();
    return policy;
  }

  [[nodiscard]] FilterCosts costs(int hundredths) const {
    const auto with = policy(hundredths);
    FilterCosts sum;
    for (const FileGroup& group : tree_.groups) sum += costs_of(*with, group);
    return sum;
  }

  [[nodiscard]] Choice choice(int hundredths) const {
    const auto with = policy(hundredths);
    Choice choice{kind_.name, text(hundredths, /*planned=*/false), costs(hundredths), {}};
    FamilyTree then = tree_;
    for (FileGroup& group : then.groups) {
      group.costs = costs_of(*with, group);
      const Builder builder = builder_for(family_.options, *with, group.file);
      const std::uint64_t keys = std::clamp<std::uint64_t>(group.keys / group.blocks, 1, kFewKeys);
      group.kinds = {std::string(builder != nullptr ? name_of(sample_filter(*builder, keys).kind) : "none")};
    }
    choice.levels = then.levels();
    return choice;
  }

 private:
  [[nodiscard]] FilterCosts costs_of(const rocksdb::FilterPolicy& policy, const FileGroup& group) const {
    const Builder builder = builder_for(family_.options, policy, group.file);
    if (builder == nullptr) return {0, group.runs};
    const PlannedFilter planned = planned_filter(*builder, group.keys, group.blocks);
    return {planned.bytes, group.runs * planned.predicted_fp_rate};
  }

  const ChoiceKind& kind_;
  std::string shape_;
  const FamilyPolicy& family_;
  const FamilyTree& tree_;
  const PreservedOptions& preserved_;
};

}  // namespace

std::vector<Choice> choices_for(const FamilyPolicy& family, const FamilyTree& tree, const Goal& goal) {
  const PreservedOptions preserved = preserved_options(family);
  const auto missed = [&](const Choice& choice) { return goal.within_bytes ? choice.costs.reads : choice.costs.bytes; };
  std::vector<Choice> choices;
  for (const ChoiceKind& kind : kChoiceKinds) {
    // If different bytes can be equal keys, filters of unchanged keys would lose keys.
    if (!kind.is_crivo && !preserved.key_transform.empty()) continue;
    std::optional<Choice> best;
    for (const std::string& shape : shapes_of(kind, family, tree)) {
      const Chooser chooser(kind, shape, family, tree, preserved);
      const CostsOf costs = [&](int hundredths) { return chooser.costs(hundredths); };
      const auto hundredths =
          goal.within_bytes ? most_within_bytes(costs, goal.limit) : fewest_within_reads(costs, goal.limit);
      if (!hundredths) continue;
      Choice choice = chooser.choice(*hundredths);
      if (choice.costs.bytes == 0) continue;  // writes no filters; a larger size would exceed the goal
      if (!best || missed(choice) < missed(*best)) best = std::move(choice);
    }
    if (best) choices.push_back(*std::move(best));
  }
  std::ranges::stable_sort(choices, {}, missed);
  return choices;
}

}  // namespace crivo::tool

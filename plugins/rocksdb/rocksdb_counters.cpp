// Formats the counters of all policies. Each row of the tables below is a field in both formats.
#include "crivo/rocksdb_counters.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/host/text.h"
#include "report/open_databases.h"

namespace crivo::plugin {
namespace {

using OfKind = RocksDBFilterCounters::OfKind;

template <typename Of>
struct Row {
  const char* name;
  const char* help;
  std::uint64_t Of::*field;
};

constexpr std::array kKindRows = {
    Row<OfKind>{"built", "Filter blocks built.", &OfKind::built},
    Row<OfKind>{"keys", "Keys and prefixes added to filters.", &OfKind::keys},
    Row<OfKind>{"bytes", "Bytes of the filter blocks built.", &OfKind::bytes},
    Row<OfKind>{"build_nanoseconds", "Nanoseconds spent building filters.", &OfKind::build_nanoseconds},
    Row<OfKind>{"asked_singly", "Filter queries of Get and of seeks; counted only with count_questions.",
                &OfKind::asked_singly},
    Row<OfKind>{"asked_in_batches", "Keys queried by MultiGet; counted only with count_questions.",
                &OfKind::asked_in_batches},
    Row<OfKind>{"answered_no", "Queries answered no; each avoided a read.", &OfKind::answered_no}};

using OfPolicy = RocksDBFilterCounters;
constexpr std::array kPolicyRows = {
    Row<OfPolicy>{"always_maybe", "Filter blocks that every key passes, because no filter could be built.",
                  &OfPolicy::always_maybe},
    Row<OfPolicy>{"damaged_blocks", "Damaged filter blocks opened.", &OfPolicy::damaged_blocks},
    Row<OfPolicy>{"builtin_blocks", "Filter blocks of RocksDB's own policies opened.", &OfPolicy::builtin_blocks},
    Row<OfPolicy>{"other_transform_blocks", "Filter blocks opened that were built with another key transform.",
                  &OfPolicy::other_transform_blocks}};

static_assert(sizeof(OfKind) == kKindRows.size() * sizeof(std::uint64_t), "a field has no row");
static_assert(sizeof(OfPolicy) == 2 * sizeof(OfKind) + kPolicyRows.size() * sizeof(std::uint64_t));

constexpr std::pair<const char*, OfKind OfPolicy::*> kKinds[] = {{"blocked", &OfPolicy::blocked},
                                                                 {"ribbon", &OfPolicy::ribbon}};

struct Policy {
  std::string number;
  std::string name;
  std::vector<std::string> families;
  RocksDBFilterCounters counters;
};

std::vector<Policy> all_policies() {
  std::vector<Policy> policies;
  for (const auto& counters : all_counters()) {
    Policy policy{std::to_string(counters->number()), counters->policy_name(), {}, counters->snapshot()};
    for (const std::string& family : counters->families()) policy.families.push_back(printable(family));
    policies.push_back(std::move(policy));
  }
  return policies;
}

std::string json_array(const std::vector<std::string>& values) {
  std::string array = "[";
  return array.append(joined(values, ",")).append("]");
}

template <typename Of, typename Rows>
void add_fields(JsonObject& object, const Of& of, const Rows& rows) {
  for (const auto& row : rows) object.add(row.name, std::to_string(of.*row.field));
}

std::string json() {
  std::vector<std::string> objects;
  for (const Policy& policy : all_policies()) {
    std::vector<std::string> families;
    for (const std::string& family : policy.families) families.push_back(json_text(family));
    JsonObject object;
    object.add("number", policy.number);
    object.add("policy", json_text(policy.name));
    object.add("column_families", json_array(families));
    for (const auto& [name, of_kind] : kKinds) {
      JsonObject kind;
      add_fields(kind, policy.counters.*of_kind, kKindRows);
      object.add(name, kind.str());
    }
    add_fields(object, policy.counters, kPolicyRows);
    objects.push_back(object.str());
  }
  return json_array(objects);
}

/// A label, name="value". In printable text, JSON and Prometheus escape the same characters: quotes and backslashes.
std::string label(std::string_view name, std::string_view value) { return std::string(name) + "=" + json_text(value); }

std::string labels_of(const Policy& policy) {
  return label("policy", policy.name) + "," + label("number", policy.number);
}

std::string heading(const std::string& name, const std::string& type, const std::string& help) {
  return std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

std::string sample(const std::string& name, const std::string& labels, std::uint64_t value) {
  return name + "{" + labels + "} " + std::to_string(value) + "\n";
}

template <typename Of>
std::string total(const Row<Of>& row) {
  return "crivo_rocksdb_" + std::string(row.name) + "_total";
}

std::string prometheus_of_databases() {
  std::string limits;
  std::string bytes;
  const std::string limit = "crivo_rocksdb_max_total_bytes";
  const std::string used = "crivo_rocksdb_filter_bytes";
  for (const auto& [folder, tree] : all_filter_trees()) {
    const RocksDBFilterTotal total = tree->total();
    if (total.max_total_bytes == 0) continue;
    limits += sample(limit, label("folder", printable(folder)), total.max_total_bytes);
    bytes += sample(used, label("folder", printable(folder)), total.bytes);
  }
  if (limits.empty()) return {};
  return heading(limit, "gauge", "The limit for all filters of a database together.") + limits +
         heading(used, "gauge", "Bytes of all filters of a database with max_total_bytes.") + bytes;
}

std::string prometheus() {
  const std::vector<Policy> policies = all_policies();
  const std::string info = "crivo_rocksdb_policy_info";
  std::string text = heading(info, "gauge", "The column families that the policy has built filters for.");
  for (const Policy& policy : policies) {
    text += sample(info, labels_of(policy) + "," + label("column_families", joined(policy.families, ",")), 1);
  }
  for (const auto& row : kKindRows) {
    text += heading(total(row), "counter", row.help);
    for (const Policy& policy : policies) {
      for (const auto& [name, of_kind] : kKinds) {
        text += sample(total(row), labels_of(policy) + "," + label("kind", name), policy.counters.*of_kind.*row.field);
      }
    }
  }
  for (const auto& row : kPolicyRows) {
    text += heading(total(row), "counter", row.help);
    for (const Policy& policy : policies) text += sample(total(row), labels_of(policy), policy.counters.*row.field);
  }
  return text + prometheus_of_databases();
}

}  // namespace
}  // namespace crivo::plugin

char* crivo_rocksdb_counters(const char* format) try {
  using namespace crivo::plugin;
  const std::string_view wanted = format != nullptr ? format : "";
  if (wanted != "json" && wanted != "prometheus") return nullptr;
  return ::strdup((wanted == "json" ? json() : prometheus()).c_str());
} catch (...) {
  return nullptr;
}

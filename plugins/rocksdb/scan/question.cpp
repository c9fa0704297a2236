#include "scan/question.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "crivo/filter.h"
#include "crivo/host/sst_block.h"
#include "scan/collector.h"
#include "sst/scan_facts.h"

namespace crivo::plugin {
namespace {

using rocksdb::TableProperties;
using rocksdb::UserCollectedProperties;

enum class Answer { kNo, kMaybe, kUnknown };

/// What a filter says of a value; unknown if its block is not a filter, is damaged, or is of another name or kind.
Answer ask(std::string_view name, const std::string& block, std::string_view value) {
  const auto filter = open_sst_block(std::as_bytes(std::span(block)), name);
  if (!filter) return Answer::kUnknown;
  return filter->may_contain(value) ? Answer::kMaybe : Answer::kNo;
}

/// The extracts of first bytes that a file has filters for, those of the most bytes of this prefix first.
struct PrefixFilter {
  std::string_view name;
  const std::string* block;
  std::size_t bytes;  // of the prefix, with which it is asked
};

std::vector<PrefixFilter> prefix_filters(const UserCollectedProperties& properties, std::string_view prefix) {
  std::vector<PrefixFilter> filters;
  for (auto at = properties.lower_bound(std::string(sst::kScanProperty)); at != properties.end(); ++at) {
    std::string_view name = at->first;
    if (!name.starts_with(sst::kScanProperty)) break;
    name.remove_prefix(sst::kScanProperty.size());
    if (name.starts_with("attribute:")) continue;
    const auto extract = find_extract(name);
    if (!extract) continue;
    const bool is_path = extract->kind == Extract::Kind::kPath;
    const std::size_t bytes = is_path ? prefix.rfind(extract->separator) + 1 : extract->length;
    if (bytes != 0 && bytes <= prefix.size()) filters.push_back({name, &at->second, bytes});
  }
  std::ranges::sort(filters, std::ranges::greater(), &PrefixFilter::bytes);
  return filters;
}

/// A file with a longer prefix has the shorter ones, so one answer is enough.
bool may_have_prefix(const UserCollectedProperties& properties, std::string_view prefix) {
  for (const PrefixFilter& filter : prefix_filters(properties, prefix)) {
    const Answer answer = ask(filter.name, *filter.block, prefix.substr(0, filter.bytes));
    if (answer != Answer::kUnknown) return answer == Answer::kMaybe;
  }
  return true;
}

bool may_have_value(const UserCollectedProperties& properties, const ScanCondition& condition) {
  const auto found = properties.find(std::string(sst::kScanProperty) + condition.attribute);
  return found == properties.end() || ask(condition.attribute, found->second, condition.value) != Answer::kNo;
}

enum class Order { kUnknown, kBytes, kBytesAndTimestamp };

/// Whether keys that are equal under the file's comparator have equal bytes. If not, a scan for one spelling would miss
/// what was written as another.
Order order_of(const TableProperties& file) {
  const std::string& name = file.comparator_name;
  if (name == "leveldb.BytewiseComparator" || name == "rocksdb.ReverseBytewiseComparator") return Order::kBytes;
  if (name == "leveldb.BytewiseComparator.u64ts" || name == "rocksdb.ReverseBytewiseComparator.u64ts") {
    return Order::kBytesAndTimestamp;
  }
  const auto vouched = file.user_collected_properties.find(kScanComparator);
  return vouched != file.user_collected_properties.end() && vouched->second == name ? Order::kBytes : Order::kUnknown;
}

bool may_meet(const TableProperties& file, Order order, const ScanCondition& condition) {
  const auto& properties = file.user_collected_properties;
  if (condition.attribute.empty()) return may_have_prefix(properties, condition.value);
  return order != Order::kBytes || may_have_value(properties, condition);  // functions saw keys with their timestamps
}

bool meets(const rocksdb::Slice& key, const ScanCondition& condition) {
  if (condition.attribute.empty()) return key.starts_with(condition.value);
  bool found = false;
  if (condition.function != nullptr) {
    (*condition.function)(key, [&](std::string_view value) { found |= value == condition.value; });
  }
  return found;
}

}  // namespace

ScanQuestion::ScanQuestion(std::vector<ScanCondition> conditions)
    : table_filter([this](const TableProperties& file) { return may_match(file); }),
      conditions_(std::move(conditions)) {}

std::string ScanQuestion::error() const {
  for (const ScanCondition& condition : conditions_) {
    if (!condition.attribute.empty() && condition.function == nullptr) {
      return "crivo: ScanFilter must have an attribute that RegisterScanAttribute was given, got " +
             condition.attribute.substr(condition.attribute.find(':') + 1);
    }
  }
  return {};
}

bool ScanQuestion::matches(const rocksdb::Slice& key) const {
  return std::ranges::all_of(conditions_, [&](const auto& condition) { return meets(key, condition); });
}

bool ScanQuestion::may_match(const TableProperties& file) const noexcept try {
  asked.fetch_add(1, std::memory_order_relaxed);
  const Order order = order_of(file);
  if (order == Order::kUnknown) return true;
  const auto meets_it = [&](const auto& condition) { return may_meet(file, order, condition); };
  const bool may = std::ranges::all_of(conditions_, meets_it);
  if (!may) skipped.fetch_add(1, std::memory_order_relaxed);
  return may;
} catch (...) {
  return true;
}

}  // namespace crivo::plugin

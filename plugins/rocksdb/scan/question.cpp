#include "scan/question.h"

#include <algorithm>
#include <utility>

#include "crivo/filter.h"
#include "scan/file_filters.h"
#include "sst/scan_facts.h"

namespace crivo::plugin {
namespace {

using rocksdb::TableProperties;
using rocksdb::UserCollectedProperties;

bool may_have_value(const UserCollectedProperties& properties, const ScanCondition& condition) {
  const auto found = properties.find(std::string(sst::kScanProperty) + condition.extract.name);
  if (found == properties.end()) return true;
  const auto filter = open_scan_filter(condition.extract.name, found->second);
  if (!filter) return true;
  if (condition.extract.kind == Extract::Kind::kAttribute) {
    return !knows_values(*filter) || filter->may_contain(condition.value);
  }
  return filter->may_contain_range(condition.low, condition.high);  // true for kinds other than range
}

bool may_meet(const TableProperties& file, Order order, const ScanCondition& condition) {
  const auto& properties = file.user_collected_properties;
  if (condition.extract.kind == Extract::Kind::kPrefix) return PrefixFilters(file).may_have(condition.value);
  // With timestamped keys, the function of an attribute or number got the timestamps too, so its filter is not used.
  return order != Order::kBytes || may_have_value(properties, condition);
}

}  // namespace

bool ScanCondition::is_met_by(const rocksdb::Slice& key) const {
  if (extract.kind == Extract::Kind::kPrefix) return key.starts_with(value);
  if (extract.number != nullptr) {
    const auto number = (*extract.number)(key);
    return number && low <= *number && *number <= high;
  }
  bool found = false;
  if (extract.attribute != nullptr) {
    (*extract.attribute)(key, [&](std::string_view its) { found |= its == value; });
  }
  return found;
}

ScanQuestion::ScanQuestion(std::vector<ScanCondition> conditions)
    : table_filter([this](const TableProperties& file) { return may_match(file); }),
      conditions_(std::move(conditions)) {}

std::string ScanQuestion::error() const {
  for (const ScanCondition& condition : conditions_) {
    if (!condition.is_known()) {
      return "crivo: ScanFilter must have a registered attribute or number, got " + condition.extract.name;
    }
  }
  return {};
}

bool ScanQuestion::matches(const rocksdb::Slice& key) const {
  return std::ranges::all_of(conditions_, [&](const auto& condition) { return condition.is_met_by(key); });
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

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

/// What a filter says; unknown if its block is not a filter, is damaged, or is of another name or kind.
template <typename May>
Answer ask(std::string_view name, const std::string& block, const May& may) {
  const auto filter = open_sst_block(std::as_bytes(std::span(block)), name);
  if (!filter) return Answer::kUnknown;
  return may(*filter) ? Answer::kMaybe : Answer::kNo;
}

/// A kind of other hashes than ours cannot be asked.
bool may_have(const FilterRef& filter, std::string_view value) noexcept {
  return filter.shape().hash_id != HashId::kXxh3_64 || filter.may_contain(value);
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
    if (!name.starts_with("prefix:") && !name.starts_with("path:")) continue;
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
    const Answer answer = ask(filter.name, *filter.block,
                              [&](const FilterRef& its) { return may_have(its, prefix.substr(0, filter.bytes)); });
    if (answer != Answer::kUnknown) return answer == Answer::kMaybe;
  }
  return true;
}

bool may_have_value(const UserCollectedProperties& properties, const ScanCondition& condition) {
  const auto found = properties.find(std::string(sst::kScanProperty) + condition.extract.name);
  if (found == properties.end()) return true;
  const Answer answer = ask(condition.extract.name, found->second, [&](const FilterRef& filter) {
    if (condition.extract.kind == Extract::Kind::kAttribute) return may_have(filter, condition.value);
    return filter.may_contain_range(condition.low, condition.high);  // true for other kinds than range
  });
  return answer != Answer::kNo;
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
  if (condition.extract.kind == Extract::Kind::kPrefix) return may_have_prefix(properties, condition.value);
  return order != Order::kBytes || may_have_value(properties, condition);  // functions saw keys with their timestamps
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
      return "crivo: ScanFilter must have an attribute or number that was registered, got " + condition.extract.name;
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

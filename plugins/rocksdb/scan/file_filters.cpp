#include "scan/file_filters.h"

#include <span>

#include "crivo/host/sst_block.h"
#include "scan/collector.h"
#include "scan/extract.h"
#include "scan/verified_blocks.h"
#include "sst/scan_facts.h"

namespace crivo::plugin {
namespace {

using rocksdb::TableProperties;

/// Never destroyed: programs may scan after our static objects are gone.
VerifiedBlocks& verified_blocks() {
  static auto* const blocks = new VerifiedBlocks;
  return *blocks;
}

}  // namespace

std::optional<FilterRef> open_scan_filter(std::string_view name, const std::string& block) {
  const auto bytes = std::as_bytes(std::span(block));
  if (bytes.size() < kSstTrailerBytes || !is_sst_block(bytes)) return std::nullopt;
  const bool is_verified = verified_blocks().has(bytes);
  auto filter = open_sst_block(bytes, name, is_verified);
  if (!filter) return std::nullopt;
  if (!is_verified) verified_blocks().add(bytes);
  return *std::move(filter);
}

Order order_of(const TableProperties& file) {
  const std::string& name = file.comparator_name;
  if (name == "leveldb.BytewiseComparator" || name == "rocksdb.ReverseBytewiseComparator") return Order::kBytes;
  if (name == "leveldb.BytewiseComparator.u64ts" || name == "rocksdb.ReverseBytewiseComparator.u64ts") {
    return Order::kBytesAndTimestamp;
  }
  const auto vouched = file.user_collected_properties.find(kScanComparator);
  return vouched != file.user_collected_properties.end() && vouched->second == name ? Order::kBytes : Order::kUnknown;
}

PrefixFilters::PrefixFilters(const TableProperties& file) {
  const auto& properties = file.user_collected_properties;
  for (auto at = properties.lower_bound(std::string(sst::kScanProperty)); at != properties.end(); ++at) {
    std::string_view name = at->first;
    if (!name.starts_with(sst::kScanProperty)) break;
    name.remove_prefix(sst::kScanProperty.size());
    if (!name.starts_with("prefix:") && !name.starts_with("path:")) continue;
    const auto extract = find_extract(name);
    if (!extract) continue;
    const auto filter = open_scan_filter(name, at->second);
    if (filter && knows_values(*filter)) filters_.push_back({extract->length, extract->separator, *filter});
  }
}

bool PrefixFilters::may_have(std::string_view prefix) const noexcept {
  const OfLength* longest = nullptr;
  for (const OfLength& each : filters_) {
    const std::size_t bytes = each.bytes_of(prefix);
    if (bytes != 0 && (longest == nullptr || bytes > longest->bytes_of(prefix))) longest = &each;
  }
  return longest == nullptr || longest->filter.may_contain(prefix.substr(0, longest->bytes_of(prefix)));
}

}  // namespace crivo::plugin

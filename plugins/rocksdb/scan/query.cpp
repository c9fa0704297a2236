#include "scan/query.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "crivo/filter.h"
#include "crivo/hash.h"
#include "crivo/host/sst_block.h"
#include "scan/scan_collector.h"
#include "sst/file_filters.h"

namespace crivo::plugin {
namespace {

using rocksdb::TableProperties;
using rocksdb::UserCollectedProperties;

/// Records which scan filters were verified in full, so that later queries need not verify them again. Thread-safe. A
/// new record may replace that of another filter.
///
/// RocksDB keeps a file's properties unchanged in memory while the file is open. A query gets only these properties. So
/// a filter is identified by its address, its size and its stated checksum. A later filter at this address with the
/// same size and stated checksum also counts as verified. This is harmless: RocksDB has verified the checksum of the
/// properties block, unless the file has no checksums.
class VerifiedBlocks {
 public:
  /// Never destroyed: programs may scan after this library's static objects are destroyed.
  static VerifiedBlocks& of_process() {
    static auto* const blocks = new VerifiedBlocks;
    return *blocks;
  }
  /// The block must satisfy is_sst_block, with a complete trailer.
  [[nodiscard]] bool has(std::span<const std::byte> block) const noexcept {
    const std::uint64_t mark = mark_of(block);
    return places_[place_of(mark)].load(std::memory_order_relaxed) == mark;
  }
  void add(std::span<const std::byte> block) noexcept {
    const std::uint64_t mark = mark_of(block);
    places_[place_of(mark)].store(mark, std::memory_order_relaxed);
  }

 private:
  static constexpr std::size_t kPlaces = 1 << 14;  // 128 KiB, for the filters of thousands of files

  static std::size_t place_of(std::uint64_t mark) noexcept { return (mark >> 1) % kPlaces; }
  /// A fingerprint of the block's address, size and checksum; never 0.
  static std::uint64_t mark_of(std::span<const std::byte> block) noexcept {
    const std::array<std::uint64_t, 3> known = {std::bit_cast<std::uintptr_t>(block.data()), block.size(),
                                                sst_checksum(block)};
    const auto bytes = std::as_bytes(std::span(known));
    return hash_key({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, /*seed=*/0) | 1;
  }

  std::array<std::atomic<std::uint64_t>, kPlaces> places_{};
};

/// Opens a property's filter in place. No value if the property is not a filter, is damaged, or has another name.
std::optional<FilterRef> open_scan_filter(std::string_view name, const std::string& block) {
  const auto bytes = std::as_bytes(std::span(block));
  if (bytes.size() < kSstTrailerBytes || !is_sst_block(bytes)) return std::nullopt;
  const bool is_verified = VerifiedBlocks::of_process().has(bytes);
  auto filter = open_sst_block(bytes, name, is_verified);
  if (!filter) return std::nullopt;
  if (!is_verified) VerifiedBlocks::of_process().add(bytes);
  return *std::move(filter);
}

/// Whether a filter consists of hashes of prefixes or attributes, so that it can be queried for them.
bool knows_values(const FilterRef& filter) noexcept { return filter.shape().hash_id == HashId::kXxh3_64; }

/// Whether keys that are equal under a file's comparator have equal bytes: unknown, yes, or yes except the timestamps.
enum class Order { kUnknown, kBytes, kBytesAndTimestamp };

/// kUnknown unless the comparator is one of RocksDB's bytewise ones, or is named in ScanFilterOptions::comparator. If
/// equal keys may have different bytes, a scan for one spelling would miss another.
Order order_of(const TableProperties& file) {
  const std::string& name = file.comparator_name;
  if (name == "leveldb.BytewiseComparator" || name == "rocksdb.ReverseBytewiseComparator") return Order::kBytes;
  if (name == "leveldb.BytewiseComparator.u64ts" || name == "rocksdb.ReverseBytewiseComparator.u64ts") {
    return Order::kBytesAndTimestamp;
  }
  const auto vouched = file.user_collected_properties.find(kScanComparator);
  return vouched != file.user_collected_properties.end() && vouched->second == name ? Order::kBytes : Order::kUnknown;
}

/// A file's filters for prefixes, borrowed from the file's properties.
class PrefixFilters {
 public:
  explicit PrefixFilters(const rocksdb::TableProperties& file);
  /// Queries the filter for the longest part of the prefix. That suffices, because a file with keys of the whole prefix
  /// also has keys of every shorter prefix.
  [[nodiscard]] bool may_have(std::string_view prefix) const noexcept;

 private:
  struct OfLength {
    std::size_t length;  // 0: path
    char separator;
    FilterRef filter;
    [[nodiscard]] std::size_t bytes_of(std::string_view prefix) const noexcept {
      const std::size_t bytes = length != 0 ? length : prefix.rfind(separator) + 1;
      return bytes <= prefix.size() ? bytes : 0;
    }
  };
  std::vector<OfLength> filters_;
};

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

bool may_satisfy(const TableProperties& file, Order order, const ScanCondition& condition) {
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

ScanQuery::ScanQuery(std::vector<ScanCondition> conditions) : conditions_(std::move(conditions)) {}

std::string ScanQuery::error() const {
  for (const ScanCondition& condition : conditions_) {
    if (!condition.is_known()) {
      return "crivo: ScanFilter must have a registered attribute or number, got " + condition.extract.name;
    }
  }
  return {};
}

bool ScanQuery::matches(const rocksdb::Slice& key) const {
  return std::ranges::all_of(conditions_, [&](const auto& condition) { return condition.is_met_by(key); });
}

bool ScanQuery::may_match(const TableProperties& file) const noexcept try {
  asked.fetch_add(1, std::memory_order_relaxed);
  const Order order = order_of(file);
  if (order == Order::kUnknown) return true;
  const auto satisfies_it = [&](const auto& condition) { return may_satisfy(file, order, condition); };
  const bool may = std::ranges::all_of(conditions_, satisfies_it);
  if (!may) skipped.fetch_add(1, std::memory_order_relaxed);
  return may;
} catch (...) {
  return true;
}

}  // namespace crivo::plugin

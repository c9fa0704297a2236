// Compares scans with a filter with the same scans without one.
#include <algorithm>

#include "canonical_comparator.h"
#include "crivo/ordered.h"
#include "crivo/rocksdb_scan.h"
#include "model.h"

namespace crivo::testing::model {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

std::string_view text_of(const rocksdb::Slice& key) { return {key.data(), key.size()}; }

/// One value, or no value for a short key.
void last_two(const rocksdb::Slice& key, const ScanValueSink& sink) {
  if (key.size() >= 3) sink(text_of(key).substr(key.size() - 2));
}

/// Every pair of adjacent characters after the prefix of four: no values or several.
void pairs(const rocksdb::Slice& key, const ScanValueSink& sink) {
  for (std::size_t i = 4; i + 2 <= key.size(); ++i) sink(text_of(key).substr(i, 2));
}

void throws_at_some(const rocksdb::Slice& key, const ScanValueSink& sink) {
  if (!key.empty() && key[key.size() - 1] == '7') throw std::runtime_error("a seven");
  last_two(key, sink);
}

/// The four digits of the group, whose order differs from that of the keys.
std::optional<std::uint64_t> number_of(const rocksdb::Slice& key) {
  if (key.size() < 4) return std::nullopt;
  return ordered(text_of(key).substr(0, 4)) >> 32 ^ 0x0f0f0f0f;
}

void register_attributes() {
  static const bool once = [] {
    check(RegisterScanAttribute("last_two", last_two), "last_two");
    check(RegisterScanAttribute("pairs", pairs), "pairs");
    check(RegisterScanNumber("group", number_of), "group");
    check(RegisterScanAttribute("throws_at_some", throws_at_some), "throws_at_some");
    return true;
  }();
  (void)once;
}

const std::vector<ScanFilterOptions>& collectors() {
  static const std::vector<ScanFilterOptions> rows = {
      {.extract = "prefix:4"},
      {.extract = "prefix:2,4,5,6,8", .kind = "blocked"},
      {.extract = "prefix:3 attribute:last_two", .fp_rate = 0.1},
      {.extract = "attribute:last_two attribute:pairs path:_", .fp_rate = 1e-4},
      {.extract = "attribute:throws_at_some prefix:5", .kind = "blocked"},
      {.extract = "path:5 path:_ attribute:pairs", .fp_rate = 0.5},
      {.extract = "prefix:4,7 attribute:last_two", .max_bytes = 160},
      {.extract = "range:group range:dec@1 prefix:4", .range_length = 1 << 16},
      {.extract = "range:dec@1 attribute:last_two", .range_length = 1},
      {.extract = "prefix:4 attribute:pairs", .comparator = "leveldb.BytewiseComparator"},
  };
  return rows;
}

ScanFilter draw_filter(Random& random, std::string& prefix) {
  const std::string key = key_text(random.below(kKeys * 2)) + (random.percent(10) ? "!" : "");
  const std::string two = key.substr(key.size() - 2);
  const auto by_prefix = [&] { return ScanFilter::for_prefix(key.substr(0, 1 + random.below(9))); };
  switch (random.below(8)) {
    case 6: {
      const std::uint64_t low = random.below(3000);
      return ScanFilter::for_range("dec@1", low, low + random.below(20));
    }
    case 7: {
      const std::uint64_t low = number_of(key).value_or(0);
      return ScanFilter::for_range("group", low, low + random.below(random.percent(80) ? 4 : 1 << 20));
    }
    case 0:
      return ScanFilter::for_attribute("last_two", two);
    case 1:
      return ScanFilter::for_attribute("pairs", two);
    case 2:
      return ScanFilter::for_attribute("last_two", two).and_also(by_prefix());
    case 3:
      return by_prefix();
    default:
      prefix = key.substr(0, 1 + random.below(9));
      return ScanFilter::for_prefix(prefix);
  }
}

/// The range and the direction of a scan.
struct Route {
  bool forward = true;
  std::string from = {};  // empty: the whole range
  std::string to = {};
  bool bounded = false;
  std::string prefix = {};  // sought, and followed as long as keys match
};

Route draw_route(const Reading& reading, const Contents& contents, const std::string& prefix) {
  Random& random = reading.random;
  Route route{.forward = random.percent(60)};
  if (!prefix.empty() && !ignores_case(*contents.key_comp().comparator)) {
    route.prefix = prefix;
  } else if (random.percent(60)) {
    route.from = key_text(random.below(kKeys * 2));
    route.to = key_text(random.below(kKeys * 2));
    if (contents.key_comp()(route.to, route.from)) std::swap(route.from, route.to);
    route.bounded = random.percent(50);
  }
  return route;
}

Entries walk_route(const Reading& reading, std::size_t family, const Route& route, const ScanFilter& filter,
                   rocksdb::ReadOptions options) {
  const auto less = reading.model[family].key_comp();
  const rocksdb::Slice lower = route.from, upper = route.to;
  if (route.bounded) options.iterate_lower_bound = &lower, options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> at(reading.opened.db->NewIterator(options, reading.opened.families[family]));
  const bool whole = route.from.empty() && route.prefix.empty();
  if (!route.prefix.empty()) {
    at->Seek(route.prefix);
  } else if (route.forward) {
    whole || route.bounded ? at->SeekToFirst() : at->Seek(route.from);
  } else {
    whole || route.bounded ? at->SeekToLast() : at->SeekForPrev(route.to);
  }
  Entries entries;
  for (; at->Valid(); route.forward || !route.prefix.empty() ? at->Next() : at->Prev()) {
    std::string key = at->key().ToString();
    // Which spelling of a key an iterator returns depends on the old versions that compactions removed.
    if (ignores_case(*less.comparator)) key = lower_case(key);
    const bool matches = filter.matches(key);
    if (!route.prefix.empty() && !matches) break;
    if (!whole && route.prefix.empty() && (route.forward ? !less(key, route.to) : less(key, route.from))) break;
    if (matches) entries.emplace_back(key, at->value().ToString());
  }
  check(at->status(), "a scan with a filter");
  return entries;
}

std::string text_of(const Entries& entries) {
  std::string text;
  for (const auto& [key, value] : entries) text.append(" ").append(key).append("=").append(value);
  return text.empty() ? " nothing" : text;
}

}  // namespace

ScanCounts& scan_counts() {
  static ScanCounts counts;
  return counts;
}

std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> draw_scan_collector(Random& random) {
  register_attributes();
  std::shared_ptr<rocksdb::TablePropertiesCollectorFactory> factory;
  if (random.percent(85)) check(NewScanFilterCollectorFactory(random.one_of(collectors()), &factory), "the collector");
  return factory;
}

void read_by_scan_filter(const Reading& reading) {
  const std::size_t family = reading.random.below(reading.model.size());
  for (int i = 0; i < 12; ++i) {
    std::string prefix;
    const ScanFilter filter = draw_filter(reading.random, prefix);
    const Route route = draw_route(reading, reading.model[family], prefix);
    rocksdb::ReadOptions plain = reading.options;
    plain.total_order_seek = true;
    rocksdb::ReadOptions filtered = reading.options;
    check(filter.apply_to(&filtered), "apply_to");
    const Entries expected = walk_route(reading, family, route, filter, plain);
    const Entries got = walk_route(reading, family, route, filter, filtered);
    scan_counts().asked += filter.asked();
    scan_counts().skipped += filter.skipped();
    scan_counts().found += expected.size();
    const bool is_denied = !prefix.empty() && reading.options.snapshot == nullptr &&
                           !PrefixMayExist(*reading.opened.db, reading.opened.families[family], prefix);
    if (is_denied && !expected.empty()) {
      throw Failure("LOST: PrefixMayExist denies " + prefix + ", of which there are" + text_of(expected));
    }
    if (is_denied) ++scan_counts().denied;
    if (got == expected) continue;
    throw Failure("LOST: a scan with a filter gives" + text_of(got) + "\n  and not" + text_of(expected) +
                  "\n  in family " + std::to_string(family) + (prefix.empty() ? "" : ", prefix " + prefix) +
                  (reading.options.snapshot != nullptr ? ", asked of a snapshot" : ""));
  }
}

}  // namespace crivo::testing::model

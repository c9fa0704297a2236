#include "scan/prefixes.h"

#include <rocksdb/comparator.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "scan/file_filters.h"

namespace crivo::plugin {
namespace {

/// The keys that begin with a prefix lie between these two, in the comparator's order.
struct PrefixRange {
  std::string start;
  std::string limit;
};

/// The first string behind all that begin with the prefix; empty if there is none.
std::string successor_of(std::string_view prefix) {
  std::string successor(prefix.substr(0, prefix.find_last_not_of('\xFF') + 1));
  if (!successor.empty()) ++successor.back();
  return successor;
}

/// No value where the comparator's order is not known, or all further keys lie in the range.
std::optional<PrefixRange> range_of(const rocksdb::Comparator* comparator, std::string_view prefix) {
  PrefixRange range{std::string(prefix), successor_of(prefix)};
  if (range.limit.empty()) return std::nullopt;
  if (comparator == rocksdb::BytewiseComparator()) return range;
  if (comparator != rocksdb::ReverseBytewiseComparator()) return std::nullopt;
  std::swap(range.start, range.limit);
  return range;
}

/// One prefix of a call.
struct Asked {
  std::string_view prefix;
  PrefixRange range;
  bool may_exist = false;
};

void ask_memtables(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, std::vector<Asked>& all) {
  rocksdb::ReadOptions read;
  read.read_tier = rocksdb::kMemtableTier;
  read.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> at(db.NewIterator(read, family));
  for (Asked& asked : all) {
    at->Seek(asked.range.start);
    // In reverse order the range starts at a key that does not belong to it.
    if (at->Valid() && at->key() == asked.range.start && !at->key().starts_with(asked.prefix)) at->Next();
    asked.may_exist = at->Valid() ? at->key().starts_with(asked.prefix) : !at->status().ok();
  }
}

/// What files answered once need not be looked up again for the next prefix. The files stay in memory meanwhile.
using Filters = std::map<std::shared_ptr<const rocksdb::TableProperties>, std::optional<PrefixFilters>>;

bool may_have(const std::optional<PrefixFilters>& filters, std::string_view prefix) {
  return !filters || filters->may_have(prefix);
}

void ask_files(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, std::vector<Asked>& all) {
  Filters known;
  const auto filters_of = [&](const auto& file) -> const std::optional<PrefixFilters>& {
    const auto [found, is_new] = known.try_emplace(file);
    const bool can_ask = is_new && order_of(*file) != Order::kUnknown;
    if (can_ask) found->second.emplace(*file);
    return found->second;
  };
  for (Asked& asked : all) {
    if (asked.may_exist) continue;
    const rocksdb::Range around(asked.range.start, asked.range.limit);
    rocksdb::TablePropertiesCollection files;
    asked.may_exist =
        !db.GetPropertiesOfTablesInRange(family, &around, 1, &files).ok() ||
        std::ranges::any_of(files, [&](const auto& file) { return may_have(filters_of(file.second), asked.prefix); });
  }
}

}  // namespace

std::vector<bool> prefixes_may_exist(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                                     std::span<const std::string_view> prefixes) {
  std::vector<bool> may(prefixes.size(), true);
  std::vector<Asked> all;
  std::vector<std::size_t> places;  // of those in `all`
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    auto range = range_of(family->GetComparator(), prefixes[i]);
    if (!range) continue;
    all.push_back({prefixes[i], *std::move(range)});
    places.push_back(i);
  }
  if (all.empty()) return may;
  ask_memtables(db, family, all);
  ask_files(db, family, all);
  for (std::size_t i = 0; i < all.size(); ++i) may[places[i]] = all[i].may_exist;
  return may;
}

}  // namespace crivo::plugin

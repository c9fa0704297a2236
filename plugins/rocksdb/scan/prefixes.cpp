#include "scan/prefixes.h"

#include <rocksdb/comparator.h>

#include <memory>
#include <optional>
#include <string>

#include "scan/question.h"
#include "scan/table_filter.h"

namespace crivo::plugin {
namespace {

/// The keys with a prefix are between these two in the comparator's order; `limit` is after all of them.
struct PrefixRange {
  std::string start;
  std::string limit;
};

/// The first string after all strings with the prefix; empty if there is none.
std::string successor_of(std::string_view prefix) {
  std::string successor(prefix.substr(0, prefix.find_last_not_of('\xFF') + 1));
  if (!successor.empty()) ++successor.back();
  return successor;
}

/// A string before the prefix in bytewise order, with few or no keys between them. A direct predecessor exists only if
/// the prefix ends with a zero byte: "a" is that of "a\0".
std::string predecessor_of(std::string_view prefix) {
  std::string predecessor(prefix.substr(0, prefix.size() - 1));
  if (prefix.back() == '\0') return predecessor;
  predecessor += static_cast<char>(prefix.back() - 1);
  return predecessor.append(8, '\xFF');
}

/// No value if the comparator's order is unknown, or all further keys are in the range.
std::optional<PrefixRange> range_of(const rocksdb::Comparator* comparator, std::string_view prefix) {
  const std::string successor = successor_of(prefix);
  if (successor.empty()) return std::nullopt;
  if (comparator == rocksdb::BytewiseComparator()) return PrefixRange{std::string(prefix), successor};
  if (comparator == rocksdb::ReverseBytewiseComparator()) return PrefixRange{successor, predecessor_of(prefix)};
  return std::nullopt;
}

bool may_exist(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, std::string_view prefix) {
  const auto range = range_of(family->GetComparator(), prefix);
  if (!range) return true;
  ScanCondition asked;
  asked.value = prefix;
  const ScanQuestion question({asked});
  bool in_a_file = false;
  const TableFilter ask = [&](const rocksdb::TableProperties& file) {
    in_a_file = in_a_file || question.may_match(file);
    return false;
  };
  const rocksdb::Slice limit = range->limit;
  rocksdb::ReadOptions read;
  read.total_order_seek = true;
  read.iterate_upper_bound = &limit;
  set_table_filter(read.table_filter, ask);
  const std::unique_ptr<rocksdb::Iterator> memtables(db.NewIterator(read, family));
  memtables->Seek(range->start);
  // In reverse order the range starts at a key outside it.
  if (memtables->Valid() && memtables->key() == range->start && !memtables->key().starts_with(prefix)) {
    memtables->Next();
  }
  return in_a_file || !memtables->status().ok() || (memtables->Valid() && memtables->key().starts_with(prefix));
}

}  // namespace

std::vector<bool> prefixes_may_exist(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                                     std::span<const std::string_view> prefixes) {
  std::vector<bool> may;
  may.reserve(prefixes.size());
  for (const std::string_view prefix : prefixes) may.push_back(may_exist(db, family, prefix));
  return may;
}

}  // namespace crivo::plugin

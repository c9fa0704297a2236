#include "crivo/rocksdb_scan.h"

#include <rocksdb/comparator.h>

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scan/query.h"
#include "scan/scan_collector.h"

namespace crivo {

using plugin::Extract;
using plugin::ScanCondition;
using plugin::ScanQuery;

namespace {

/// The extract of this name; if the name is unknown, an extract without a function.
Extract named(const char* what, std::string_view name, Extract::Kind kind) {
  Extract unknown;
  unknown.name = what + std::string(name);
  unknown.kind = kind;
  auto found = plugin::find_extract(unknown.name);
  return found ? *std::move(found) : unknown;
}

/// The range of the keys with a prefix, in the comparator's order. `limit` is after all of these keys.
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
/// the prefix ends with a zero byte: the predecessor of "a\0" is "a".
std::string predecessor_of(std::string_view prefix) {
  std::string predecessor(prefix.substr(0, prefix.size() - 1));
  if (prefix.back() == '\0') return predecessor;
  predecessor += static_cast<char>(prefix.back() - 1);
  return predecessor.append(8, '\xFF');
}

/// No value if the comparator's order is unknown, or if the prefix has no successor.
std::optional<PrefixRange> range_of(const rocksdb::Comparator* comparator, std::string_view prefix) {
  const std::string successor = successor_of(prefix);
  if (successor.empty()) return std::nullopt;
  if (comparator == rocksdb::BytewiseComparator()) return PrefixRange{std::string(prefix), successor};
  if (comparator == rocksdb::ReverseBytewiseComparator()) return PrefixRange{successor, predecessor_of(prefix)};
  return std::nullopt;
}

}  // namespace

rocksdb::Status RegisterScanAttribute(std::string_view name, ScanAttribute attribute) {
  return plugin::add_scan_attribute(name, std::move(attribute));
}

rocksdb::Status RegisterScanNumber(std::string_view name, ScanNumber number) {
  return plugin::add_scan_number(name, std::move(number));
}

rocksdb::Status NewScanFilterCollectorFactory(const ScanFilterOptions& options,
                                              std::shared_ptr<rocksdb::TablePropertiesCollectorFactory>* factory) {
  rocksdb::Status right = plugin::check_scan_options(options);
  if (right.ok()) *factory = std::make_shared<plugin::ScanCollectorFactory>(options);
  return right;
}

ScanFilter::ScanFilter(std::shared_ptr<const ScanQuery> query) noexcept : query_(std::move(query)) {}

ScanFilter ScanFilter::only(plugin::ScanCondition condition) {
  return ScanFilter(std::make_shared<ScanQuery>(std::vector{std::move(condition)}));
}

ScanFilter ScanFilter::for_prefix(std::string_view prefix) {
  ScanCondition condition;
  condition.value = prefix;
  return only(std::move(condition));
}

ScanFilter ScanFilter::for_attribute(std::string_view name, std::string_view value) {
  ScanCondition condition;
  condition.extract = named("attribute:", name, Extract::Kind::kAttribute);
  condition.value = value;
  return only(std::move(condition));
}

ScanFilter ScanFilter::for_range(std::string_view name, std::uint64_t low, std::uint64_t high) {
  ScanCondition condition;
  condition.extract = named("range:", name, Extract::Kind::kRange);
  condition.low = low;
  condition.high = high;
  return only(std::move(condition));
}

ScanFilter ScanFilter::and_also(const ScanFilter& other) const {
  std::vector<ScanCondition> both = query_->conditions();
  both.insert(both.end(), other.query_->conditions().begin(), other.query_->conditions().end());
  return ScanFilter(std::make_shared<ScanQuery>(std::move(both)));
}

rocksdb::Status ScanFilter::apply_to(rocksdb::ReadOptions* options) const {
  if (const std::string error = query_->error(); !error.empty()) return rocksdb::Status::InvalidArgument(error);
  // For a tailing iterator, RocksDB creates a ForwardIterator, which ends a level at a skipped file.
  if (options->tailing) return rocksdb::Status::InvalidArgument("crivo: ReadOptions::tailing must be false, got true");
  options->table_filter = [query = query_](const rocksdb::TableProperties& file) { return query->may_match(file); };
  options->total_order_seek = true;
  return rocksdb::Status::OK();
}

bool ScanFilter::matches(const rocksdb::Slice& key) const { return query_->matches(key); }

bool ScanFilter::may_match(const rocksdb::TableProperties& file) const noexcept { return query_->may_match(file); }

std::uint64_t ScanFilter::asked() const noexcept { return query_->asked; }

std::uint64_t ScanFilter::skipped() const noexcept { return query_->skipped; }

// Uses one iterator: it reads the memtables, and reaches each file that may overlap the prefix's range, in one
// snapshot. The iterator's table_filter queries the file's filter and skips the file, so no data block is read.
// (GetPropertiesOfTablesInRange is slower.)
bool PrefixMayExist(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, std::string_view prefix) try {
  const auto range = range_of(family->GetComparator(), prefix);
  if (!range) return true;
  ScanCondition condition;
  condition.value = prefix;
  const ScanQuery query({condition});
  bool in_a_file = false;
  const rocksdb::Slice limit = range->limit;
  rocksdb::ReadOptions read;
  read.total_order_seek = true;
  read.iterate_upper_bound = &limit;
  read.table_filter = [&](const rocksdb::TableProperties& file) {
    in_a_file = in_a_file || query.may_match(file);
    return false;
  };
  const std::unique_ptr<rocksdb::Iterator> memtables(db.NewIterator(read, family));
  memtables->Seek(range->start);
  // In reverse order, `start` does not have the prefix.
  if (memtables->Valid() && memtables->key() == range->start && !memtables->key().starts_with(prefix)) {
    memtables->Next();
  }
  return in_a_file || !memtables->status().ok() || (memtables->Valid() && memtables->key().starts_with(prefix));
} catch (const std::bad_alloc&) {
  return true;
}

}  // namespace crivo

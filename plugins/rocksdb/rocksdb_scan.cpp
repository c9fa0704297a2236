#include "crivo/rocksdb_scan.h"

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "scan/collector.h"
#include "scan/prefixes.h"
#include "scan/question.h"
#include "scan/table_filter.h"

namespace crivo {

using plugin::Extract;
using plugin::ScanCondition;
using plugin::ScanQuestion;

namespace {

/// The extract of this name; without a function if the name is unknown.
Extract named(const char* what, std::string_view name, Extract::Kind kind) {
  Extract unknown;
  unknown.name = what + std::string(name);
  unknown.kind = kind;
  auto found = plugin::find_extract(unknown.name);
  return found ? *std::move(found) : unknown;
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

ScanFilter::ScanFilter(std::shared_ptr<const ScanQuestion> question) noexcept : question_(std::move(question)) {}

ScanFilter ScanFilter::only(plugin::ScanCondition condition) {
  return ScanFilter(std::make_shared<ScanQuestion>(std::vector{std::move(condition)}));
}

ScanFilter ScanFilter::for_prefix(std::string_view prefix) {
  ScanCondition asked;
  asked.value = prefix;
  return only(std::move(asked));
}

ScanFilter ScanFilter::for_attribute(std::string_view name, std::string_view value) {
  ScanCondition asked;
  asked.extract = named("attribute:", name, Extract::Kind::kAttribute);
  asked.value = value;
  return only(std::move(asked));
}

ScanFilter ScanFilter::for_range(std::string_view name, std::uint64_t low, std::uint64_t high) {
  ScanCondition asked;
  asked.extract = named("range:", name, Extract::Kind::kRange);
  asked.low = low;
  asked.high = high;
  return only(std::move(asked));
}

ScanFilter ScanFilter::and_also(const ScanFilter& other) const {
  std::vector<ScanCondition> both = question_->conditions();
  both.insert(both.end(), other.question_->conditions().begin(), other.question_->conditions().end());
  return ScanFilter(std::make_shared<ScanQuestion>(std::move(both)));
}

rocksdb::Status ScanFilter::apply_to(rocksdb::ReadOptions* options) const {
  if (const std::string error = question_->error(); !error.empty()) return rocksdb::Status::InvalidArgument(error);
  // RocksDB then creates a ForwardIterator, which ends a level at a skipped file.
  if (options->tailing) return rocksdb::Status::InvalidArgument("crivo: ReadOptions::tailing must be false, got true");
  plugin::set_table_filter(options->table_filter, question_->table_filter, question_);
  options->total_order_seek = true;
  return rocksdb::Status::OK();
}

bool ScanFilter::matches(const rocksdb::Slice& key) const { return question_->matches(key); }

bool ScanFilter::may_match(const rocksdb::TableProperties& file) const noexcept { return question_->may_match(file); }

std::uint64_t ScanFilter::asked() const noexcept { return question_->asked; }

std::uint64_t ScanFilter::skipped() const noexcept { return question_->skipped; }

std::vector<bool> PrefixesMayExist(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                                   const std::vector<std::string_view>& prefixes) {
  return plugin::prefixes_may_exist(db, family, prefixes);
}

bool PrefixMayExist(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, std::string_view prefix) try {
  return plugin::prefixes_may_exist(db, family, {&prefix, 1}).front();
} catch (const std::bad_alloc&) {
  return true;
}

}  // namespace crivo

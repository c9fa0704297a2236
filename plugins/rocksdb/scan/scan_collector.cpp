#include "scan/scan_collector.h"

#include <rocksdb/convenience.h>
#include <rocksdb/utilities/options_type.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "crivo/filter.h"
#include "crivo/host/sort.h"
#include "crivo/host/sst_block.h"
#include "crivo/kinds.h"
#include "options/registry.h"
#include "scan/extract.h"
#include "sst/file_filters.h"

namespace crivo::plugin {
namespace {

using rocksdb::OptionTypeInfo;
using rocksdb::Status;

constexpr double kMinRate = 1e-9;
constexpr double kMaxRate = 0.5;
constexpr std::uint64_t kMinBytes = 64;
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;

const std::unordered_map<std::string, OptionTypeInfo>& option_types() {
  using rocksdb::OptionType;
  static const auto* const types = new std::unordered_map<std::string, OptionTypeInfo>{
      {"extract", {offsetof(ScanFilterOptions, extract), OptionType::kString}},
      {"kind", {offsetof(ScanFilterOptions, kind), OptionType::kString}},
      {"fp_rate", {offsetof(ScanFilterOptions, fp_rate), OptionType::kDouble}},
      {"range_length", {offsetof(ScanFilterOptions, range_length), OptionType::kUInt32T}},
      {"max_bytes", {offsetof(ScanFilterOptions, max_bytes), OptionType::kUInt64T}},
      {"comparator", {offsetof(ScanFilterOptions, comparator), OptionType::kString}}};
  return *types;
}

constexpr std::string_view kTooMany = "omitted: needs more than max_bytes";

/// Builds one scan filter while a file is written.
class ScanFilterBuilder {
 public:
  ScanFilterBuilder(Extract extract, Kind kind, const ScanFilterOptions& options)
      : extract_(std::move(extract)),
        spec_{.kind = extract_.kind == Extract::Kind::kRange ? Kind::kRange : kind,
              .fp_rate = options.fp_rate,
              .range_length = options.range_length},
        max_bytes_(options.max_bytes) {}

  [[nodiscard]] const std::string& name() const noexcept { return extract_.name; }

  /// Adds the key's values. `known` is the length of the prefix shared with the previous key. Throws std::bad_alloc,
  /// and what the extract's function throws. After an exception, call omit().
  void add(const rocksdb::Slice& key, std::size_t known);
  /// Frees the memory. There will be no filter.
  void omit(std::string_view why, std::string_view detail = {}) noexcept;

  /// The filter as an SST block (docs/format.md) of at most `max_bytes` bytes; no value after omit(), or if it does
  /// not fit. Call it once. Throws std::bad_alloc.
  [[nodiscard]] std::optional<std::string> finish(std::uint64_t max_bytes);

  /// The result: "ribbon, 812 values, 940 bytes", or why there is no filter.
  [[nodiscard]] const std::string& report() const noexcept { return report_; }

 private:
  void add_hash(std::uint64_t hash);

  Extract extract_;
  FilterSpec spec_;
  std::uint64_t max_bytes_;
  std::vector<std::uint64_t> hashes_;
  bool omitted_ = false;
  std::string report_;
};

void ScanFilterBuilder::add(const rocksdb::Slice& key, std::size_t known) {
  if (omitted_) return;
  extract_.each_hash(key, known, [this](std::uint64_t hash) { add_hash(hash); });
}

void ScanFilterBuilder::add_hash(std::uint64_t hash) {
  if (omitted_ || (!hashes_.empty() && hashes_.back() == hash)) return;
  // A filter needs at least log2(1 / rate) bits per value.
  const int least_bits = std::max(1, -std::ilogb(spec_.fp_rate) - 1);
  const std::size_t most = static_cast<std::size_t>(max_bytes_) * 8 / static_cast<std::size_t>(least_bits);
  if (hashes_.size() == 2 * most) {
    hashes_.resize(sort_distinct(hashes_).size());
    if (hashes_.size() > most) return omit(kTooMany);
  }
  // Growing also needs the old array; crivo/rocksdb_scan.h states the total (NewScanFilterCollectorFactory).
  if (hashes_.size() == hashes_.capacity()) hashes_.reserve(std::clamp<std::size_t>(2 * hashes_.size(), 16, 2 * most));
  hashes_.push_back(hash);
}

void ScanFilterBuilder::omit(std::string_view why, std::string_view detail) noexcept {
  omitted_ = true;
  hashes_ = std::vector<std::uint64_t>();  // = {} would not free the memory
  try {
    report_ = why;
    report_ += detail;
  } catch (...) {
    report_.clear();
  }
}

std::optional<std::string> ScanFilterBuilder::finish(std::uint64_t max_bytes) {
  if (omitted_) return std::nullopt;
  const std::size_t tail = sst_tail_bytes(name().size());
  const std::size_t values = sort_distinct(hashes_).size();
  hashes_.resize(values);
  spec_.capacity = std::max<std::uint64_t>(values, 1);
  const auto filter = AnyFilter::build(spec_, std::exchange(hashes_, {}),
                                       {.max_bytes = max_bytes - std::min<std::uint64_t>(max_bytes, tail)});
  if (!filter) {
    const bool too_large = filter.error().code == ErrorCode::kTooLarge;
    omit(too_large ? std::string(kTooMany) : "omitted: " + filter.error().message);
    return std::nullopt;
  }
  std::string block(reinterpret_cast<const char*>(filter->payload().data()), filter->payload().size());
  block.resize(block.size() + tail);
  seal_sst_block(filter->shape(), std::as_writable_bytes(std::span(block)), name());
  report_ = std::string(kind_name(spec_.kind)) + ", " + std::to_string(values) + " values, " +
            std::to_string(block.size()) + " bytes";
  return block;
}

Result<std::vector<ScanFilterBuilder>> builders_of(const ScanFilterOptions& options) {
  const Kind kind = options.kind == kind_name(Kind::kRibbon) ? Kind::kRibbon : Kind::kBlocked;
  if (options.kind != kind_name(kind)) return bad_value("kind", "be ribbon or blocked", options.kind);
  if (!(options.fp_rate >= kMinRate && options.fp_rate <= kMaxRate)) {
    return bad_value("fp_rate", "be in [1e-9, 0.5]", std::to_string(options.fp_rate));
  }
  if (options.max_bytes < kMinBytes || options.max_bytes > kMaxBytes) {
    return bad_value("max_bytes", "be in [64, 1073741824]", std::to_string(options.max_bytes));
  }
  if (options.range_length == 0 || !std::has_single_bit(options.range_length)) {
    return bad_value("range_length", "be a power of two in [1, 2147483648]", std::to_string(options.range_length));
  }
  auto extracts = find_extracts(options.extract);
  if (!extracts) return extracts.error();
  std::vector<ScanFilterBuilder> filters;
  for (Extract& extract : *extracts) {
    filters.emplace_back(std::move(extract), kind, options);
  }
  return filters;
}

/// The length of the common prefix of two keys.
std::size_t shared_bytes(std::string_view a, std::string_view b) noexcept {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

/// An error does not fail the file: the file then lacks the scan filter, and scans by this filter read the file.
class ScanCollector final : public rocksdb::TablePropertiesCollector {
 public:
  explicit ScanCollector(const ScanFilterOptions& options) noexcept : bytes_left_(options.max_bytes) {
    try {
      comparator_ = options.comparator;
      auto filters = builders_of(options);
      if (filters) {
        filters_ = *std::move(filters);
      } else {
        error_ = filters.error().message;
      }
    } catch (...) {
      out_of_memory_ = true;
    }
  }

  const char* Name() const override { return ScanCollectorFactory::kName; }

  /// Every entry counts, of any type: a file with a tombstone or a merge operand of a key must not be skipped by a scan
  /// that reads the key. A range tombstone has no keys of its own, and is effective even if its file is skipped.
  Status AddUserKey(const rocksdb::Slice& key, const rocksdb::Slice&, rocksdb::EntryType type, rocksdb::SequenceNumber,
                    std::uint64_t) override {
    if (type == rocksdb::kEntryRangeDeletion || filters_.empty()) return Status::OK();
    const std::string_view text(key.data(), key.size());
    if (has_key_ && text == key_) return Status::OK();  // an older version
    const std::size_t known = shared_bytes(key_, text);
    for (ScanFilterBuilder& filter : filters_) add(filter, key, known);
    remember(text);
    return Status::OK();
  }

  /// After an error, RocksDB still writes the file, and a line with the collector's name into LOG.
  Status Finish(rocksdb::UserCollectedProperties* properties) override try {
    if (out_of_memory_) return Status::MemoryLimit();
    rocksdb::UserCollectedProperties ours;
    if (!error_.empty()) ours.emplace(std::string(sst::kScanProperty) + "options", error_);
    for (ScanFilterBuilder& filter : filters_) {
      auto block = finish(filter);
      if (block) bytes_left_ -= std::min<std::uint64_t>(bytes_left_, block->size());
      ours.emplace(std::string(sst::kScanProperty) + filter.name(), block ? *std::move(block) : filter.report());
    }
    if (!ours.empty() && !comparator_.empty()) ours.emplace(kScanComparator, comparator_);
    properties->merge(ours);
    return Status::OK();
  } catch (...) {
    return Status::MemoryLimit();
  }

  /// For the file's line in LOG.
  rocksdb::UserCollectedProperties GetReadableProperties() const override try {
    rocksdb::UserCollectedProperties readable;
    for (const ScanFilterBuilder& filter : filters_)
      readable.emplace(std::string(sst::kScanProperty) + filter.name(), filter.report());
    if (!error_.empty()) readable.emplace(ScanCollectorFactory::kName, error_);
    return readable;
  } catch (const std::bad_alloc&) {
    return {};
  }

 private:
  static void add(ScanFilterBuilder& filter, const rocksdb::Slice& key, std::size_t known) noexcept try {
    filter.add(key, known);
  } catch (const std::exception& error) {
    filter.omit("omitted: the attribute's function threw ", error.what());
  } catch (...) {
    filter.omit("omitted: the attribute's function threw");
  }

  std::optional<std::string> finish(ScanFilterBuilder& filter) noexcept try {
    return filter.finish(bytes_left_);
  } catch (...) {
    filter.omit("omitted: out of memory");
    return std::nullopt;
  }

  /// Stores the key, so that the next key adds only the prefixes that differ. If that fails, the next key could omit
  /// prefixes that were never added, so the filters are abandoned.
  void remember(std::string_view key) noexcept try {
    key_ = key;
    has_key_ = true;
  } catch (...) {
    for (ScanFilterBuilder& filter : filters_) filter.omit("omitted: out of memory");
  }

  std::uint64_t bytes_left_;
  std::string comparator_;
  std::vector<ScanFilterBuilder> filters_;
  std::string error_;
  bool out_of_memory_ = false;  // memory was short from the beginning
  std::string key_;             // the last one added
  bool has_key_ = false;
};

Status to_status(const Result<std::vector<ScanFilterBuilder>>& filters) {
  if (filters) return Status::OK();
  return Status::InvalidArgument(std::string(ScanCollectorFactory::kName) + ": " + filters.error().message);
}

}  // namespace

Status check_scan_options(const ScanFilterOptions& options) { return to_status(builders_of(options)); }

ScanCollectorFactory::ScanCollectorFactory(const ScanFilterOptions& options) : options_(options) {
  RegisterOptions(kName, &options_, &option_types());
}

rocksdb::TablePropertiesCollector* ScanCollectorFactory::CreateTablePropertiesCollector(Context) {
  return new ScanCollector(options_);
}

// RocksDB does not validate collectors when a database is opened; only Crivo's policies do.
Status ScanCollectorFactory::ConfigureOptions(const rocksdb::ConfigOptions& config,
                                              const std::unordered_map<std::string, std::string>& options,
                                              std::unordered_map<std::string, std::string>* unused) {
  const Status read = TablePropertiesCollectorFactory::ConfigureOptions(config, options, unused);
  return read.ok() && !config.ignore_unknown_options ? check_scan_options(options_) : read;
}

Status ScanCollectorFactory::ValidateOptions(const rocksdb::DBOptions&, const rocksdb::ColumnFamilyOptions&) const {
  return check_scan_options(options_);
}

}  // namespace crivo::plugin

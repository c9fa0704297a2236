#include "scan/collector.h"

#include <rocksdb/convenience.h>
#include <rocksdb/utilities/options_type.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <exception>
#include <new>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "crivo/kinds.h"
#include "sst/scan_facts.h"

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

Error refuse(std::string_view field, std::string_view must, const std::string& got) {
  return Error{ErrorCode::kBadArgument,
               std::string(field) + " must " + std::string(must) + ", got " + (got.empty() ? "nothing" : got)};
}

Result<std::vector<Section>> sections_of(const ScanFilterOptions& options) {
  const Kind kind = options.kind == kind_name(Kind::kRibbon) ? Kind::kRibbon : Kind::kBlocked;
  if (options.kind != kind_name(kind)) return refuse("kind", "be ribbon or blocked", options.kind);
  if (!(options.fp_rate >= kMinRate && options.fp_rate <= kMaxRate)) {
    return refuse("fp_rate", "be in [1e-9, 0.5]", std::to_string(options.fp_rate));
  }
  if (options.max_bytes < kMinBytes || options.max_bytes > kMaxBytes) {
    return refuse("max_bytes", "be in [64, 1073741824]", std::to_string(options.max_bytes));
  }
  if (options.range_length == 0 || !std::has_single_bit(options.range_length)) {
    return refuse("range_length", "be a power of two in [1, 2147483648]", std::to_string(options.range_length));
  }
  auto extracts = find_extracts(options.extract);
  if (!extracts) return extracts.error();
  std::vector<Section> sections;
  for (Extract& extract : *extracts) {
    sections.emplace_back(std::move(extract),
                          SectionSpec{kind, options.fp_rate, options.max_bytes, options.range_length});
  }
  return sections;
}

/// The length of the common prefix of two keys.
std::size_t shared_bytes(std::string_view a, std::string_view b) noexcept {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

/// An error here must not fail the file. The file then has no scan filter, so every scan reads it.
class ScanCollector final : public rocksdb::TablePropertiesCollector {
 public:
  explicit ScanCollector(const ScanFilterOptions& options) noexcept : room_(options.max_bytes) {
    try {
      comparator_ = options.comparator;
      auto sections = sections_of(options);
      if (sections) {
        sections_ = *std::move(sections);
      } else {
        error_ = sections.error().message;
      }
    } catch (...) {
      is_lost_ = true;
    }
  }

  const char* Name() const override { return ScanCollectorFactory::kName; }

  /// Every entry counts, of any type: a file with a tombstone or a merge operand of a key must not be skipped by a scan
  /// that reads the key. A range tombstone has no keys of its own, and is effective even if its file is skipped.
  Status AddUserKey(const rocksdb::Slice& key, const rocksdb::Slice&, rocksdb::EntryType type, rocksdb::SequenceNumber,
                    std::uint64_t) override {
    if (type == rocksdb::kEntryRangeDeletion || sections_.empty()) return Status::OK();
    const std::string_view text(key.data(), key.size());
    if (has_key_ && text == key_) return Status::OK();  // an older version
    const std::size_t known = shared_bytes(key_, text);
    for (Section& section : sections_) add(section, key, known);
    remember(text);
    return Status::OK();
  }

  /// After an error, RocksDB still writes the file, and a line with our name into LOG.
  Status Finish(rocksdb::UserCollectedProperties* properties) override try {
    if (is_lost_) return Status::MemoryLimit();
    rocksdb::UserCollectedProperties ours;
    if (!error_.empty()) ours.emplace(std::string(sst::kScanProperty) + "options", error_);
    for (Section& section : sections_) {
      auto block = finish(section);
      if (block) room_ -= std::min<std::uint64_t>(room_, block->size());
      ours.emplace(std::string(sst::kScanProperty) + section.name(), block ? *std::move(block) : section.report());
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
    for (const Section& section : sections_)
      readable.emplace(std::string(sst::kScanProperty) + section.name(), section.report());
    if (!error_.empty()) readable.emplace(ScanCollectorFactory::kName, error_);
    return readable;
  } catch (const std::bad_alloc&) {
    return {};
  }

 private:
  static void add(Section& section, const rocksdb::Slice& key, std::size_t known) noexcept try {
    section.add(key, known);
  } catch (const std::exception& error) {
    section.give_up("omitted: the attribute's function threw ", error.what());
  } catch (...) {
    section.give_up("omitted: the attribute's function threw");
  }

  std::optional<std::string> finish(Section& section) noexcept try { return section.finish(room_); } catch (...) {
    section.give_up("omitted: out of memory");
    return std::nullopt;
  }

  /// Stores the key, so that the next key adds only the prefixes that differ. If that fails, the next key could omit
  /// prefixes that were never added, so the filters are abandoned.
  void remember(std::string_view key) noexcept try {
    key_ = key;
    has_key_ = true;
  } catch (...) {
    for (Section& section : sections_) section.give_up("omitted: out of memory");
  }

  std::uint64_t room_;
  std::string comparator_;
  std::vector<Section> sections_;
  std::string error_;
  bool is_lost_ = false;  // memory was short from the beginning
  std::string key_;       // the last one added
  bool has_key_ = false;
};

Status to_status(const Result<std::vector<Section>>& sections) {
  if (sections) return Status::OK();
  return Status::InvalidArgument(std::string(ScanCollectorFactory::kName) + ": " + sections.error().message);
}

}  // namespace

Status check_scan_options(const ScanFilterOptions& options) { return to_status(sections_of(options)); }

ScanCollectorFactory::ScanCollectorFactory(const ScanFilterOptions& options) : options_(options) {
  RegisterOptions(kName, &options_, &option_types());
}

rocksdb::TablePropertiesCollector* ScanCollectorFactory::CreateTablePropertiesCollector(Context) {
  return new ScanCollector(options_);
}

// RocksDB does not validate collectors when a database is opened; only our policies do.
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

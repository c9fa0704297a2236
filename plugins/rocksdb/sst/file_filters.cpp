#include "sst/file_filters.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>

#include "crivo/filter.h"
#include "crivo/host/sst_block.h"
#include "crivo/host/text.h"
#include "options/settings_parser.h"
#include "sst/table_file.h"

namespace crivo::sst {
namespace {

using rocksdb::Status;

/// The start of a text from a file, for a terminal.
std::string shown(std::string_view text) { return printable(text.substr(0, 200)); }

ScanFacts describe_scan(std::string_view name, const std::string& block) {
  ScanFacts facts{.name = shown(name), .kind = {}, .bytes = block.size(), .complaint = {}};
  const auto bytes = std::as_bytes(std::span(block));
  const bool is_text = block.find('\0') == block.npos;  // every filter contains zero bytes
  if (is_text && !is_sst_block(bytes)) {
    facts.complaint = shown(block);  // why the filter was omitted
  } else if (const auto filter = open_sst_block(bytes, name)) {
    facts.kind = filter->kind().name;
  } else {
    facts.complaint = "damaged: " + filter.error().message;
  }
  return facts;
}

/// The estimated number of keys in a partition. The file states only the total. Because the bytes per key are similar,
/// a partition has the same share of the keys as of the bytes.
std::uint64_t keys_of(const FilterPartition& part, std::uint64_t keys, std::uint64_t bytes) {
  if (bytes == 0) return 0;
  constexpr double kMax = 0x1p63;  // a forged file may state any number
  const double share = static_cast<double>(part.handle.size) / static_cast<double>(bytes);
  return static_cast<std::uint64_t>(std::min(static_cast<double>(keys) * share + 0.5, kMax));
}

/// The number of entries that belong in the file's filter. RocksDB counts range deletions as entries, but adds none to
/// filters, and writes no filter for a file that has nothing else.
std::uint64_t entries_of(const TableFile& file) {
  const std::uint64_t entries = file.number_property("rocksdb.num.entries");
  return entries - std::min(entries, file.number_property("rocksdb.num.range-deletions"));
}

Status read_blocks(const TableFile& file, const FilterLayout& layout, FileFilters& filters) {
  const auto& parts = layout.parts();
  const std::uint64_t bytes = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0},
                                              [](auto sum, const auto& part) { return sum + part.handle.size; });
  const bool may_lack_keys = layout.may_lack_keys(filters.keys);
  Status first_error;
  for (const FilterPartition& part : parts) {
    Block block;
    const Status status = file.read(part.handle, &block);
    FilterBlock read{describe_filter(block.contents, keys_of(part, filters.keys, bytes), block.matches, may_lack_keys),
                     part.handle.offset};
    if (!status.ok()) {
      read.facts.damage = status.ToString();
      read.facts.bytes = part.handle.size;
      if (first_error.ok()) first_error = status;
    }
    filters.blocks.push_back(std::move(read));
  }
  return first_error;
}

Status read_file(rocksdb::FileSystem& files, const std::string& path, FileFilters& filters) {
  TableFile file;
  Status status = file.open(files, path);
  filters.file_bytes = file.bytes();
  if (!status.ok()) return status;
  filters.column_family = file.text_property("rocksdb.column.family.name");
  filters.policy = file.text_property("rocksdb.filter.policy");
  filters.entries = entries_of(file);
  const std::string keys = "rocksdb.num.filter_entries";
  const bool has_keys = file.properties().count(keys) != 0;  // missing before RocksDB 6.14
  filters.keys = file.number_property(keys);
  filters.whole_keys = file.text_property("rocksdb.block.based.table.whole.key.filtering") != "0";
  filters.prefix_extractor = file.text_property("rocksdb.prefix.extractor.name");
  if (filters.prefix_extractor == "nullptr") filters.prefix_extractor.clear();
  filters.stamp = file.text_property(kStampProperty);
  filters.scans = scan_facts(file.properties());
  FilterLayout layout;
  status = layout.find(file);
  filters.form = layout.form();
  filters.name = layout.name();
  filters.readable = layout.is_readable();
  if (filters.form != FilterForm::kNone && !has_keys) filters.keys = filters.entries;
  if (!status.ok() || !filters.readable) return status;
  return read_blocks(file, layout, filters);
}

}  // namespace

FileFilters read_filters(rocksdb::FileSystem& files, const std::string& path) {
  FileFilters filters;
  filters.status = read_file(files, path, filters);
  return filters;
}

std::vector<ScanFacts> scan_facts(const std::map<std::string, std::string>& properties) {
  std::vector<ScanFacts> all;
  for (auto at = properties.lower_bound(std::string(kScanProperty)); at != properties.end(); ++at) {
    if (!at->first.starts_with(kScanProperty)) break;
    all.push_back(describe_scan(std::string_view(at->first).substr(kScanProperty.size()), at->second));
  }
  return all;
}

std::string scans_text(const std::vector<ScanFacts>& scans) {
  std::string text;
  for (const ScanFacts& scan : scans) {
    text += (text.empty() ? "" : ", ") + scan.name + " (";
    text += scan.complaint.empty() ? scan.kind + ", " + std::to_string(scan.bytes) + " bytes)" : scan.complaint + ")";
  }
  return text;
}

bool is_gone(const Status& status) { return status.IsNotFound() || status.IsPathNotFound(); }

std::string obstacle_of(const rocksdb::FilterPolicy* policy, const FileFilters& filters) {
  if (policy == nullptr) return "without a filter policy, so the filter is unused";
  const auto settings = plugin::settings_of(*policy);
  const std::string transform(settings ? plugin::name_of(settings->key_transform) : "");
  if (settings && transform != filters.key_transform()) {
    return "with key_transform \"" + transform + "\", and the filter has \"" + filters.key_transform() + '"';
  }
  const std::string reads = policy->CompatibilityName();
  // Early versions of 7.0 wrote other filter names, which RocksDB treats as equal to the name of its policies.
  const bool is_builtin = filters.readable && !filters.name.starts_with(kTransformedFilters);
  const bool reads_this = reads == filters.name || (is_builtin && reads == kReadsOnly);
  if (!reads_this) return "with a policy that reads the filters of " + reads;
  const bool has_crivo_filters = filters.has(BlockKind::kBlocked) || filters.has(BlockKind::kRibbon);
  if (has_crivo_filters && policy->IsInstanceOf(plugin::kBuiltinPolicy)) {
    return "with " + policy->GetId() + ", for which Crivo's filters let every key pass";
  }
  return "";
}

bool FileFilters::has(BlockKind kind) const noexcept {
  return std::ranges::any_of(blocks, [&](const FilterBlock& block) { return block.facts.kind == kind; });
}

std::uint64_t FileFilters::bytes() const noexcept {
  return std::accumulate(blocks.begin(), blocks.end(), std::uint64_t{0},
                         [](auto sum, const FilterBlock& block) { return sum + block.facts.bytes; });
}

std::uint64_t FileFilters::damaged() const noexcept {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(blocks, [](const FilterBlock& block) { return !block.facts.damage.empty(); }));
}

// A block that lets every key pass is small, but represents all keys that are in no other block. So its weight is
// estimated from the number of these keys.
double FileFilters::current_fp_rate() const noexcept {
  double distinct = 0;
  double open = 0;
  for (const FilterBlock& block : blocks) {
    distinct += block.facts.distinct_keys;
    open += block.facts.kind == BlockKind::kAlwaysMaybe ? 1 : 0;
  }
  const double open_bytes = distinct == 0 ? 0
                                          : std::max(0.0, static_cast<double>(keys) / distinct - 1) *
                                                (static_cast<double>(bytes()) / std::max(1.0, open));
  double passes = 0;
  double weights = 0;
  for (const FilterBlock& block : blocks) {
    const bool is_open = block.facts.kind == BlockKind::kAlwaysMaybe;
    const double weight = static_cast<double>(block.facts.bytes) + (is_open ? open_bytes : 0);
    passes += weight * block.facts.current_fp_rate;
    weights += weight;
  }
  return weights == 0 ? 1 : passes / weights;
}

std::string FileFilters::key_transform() const {
  const auto filter = std::ranges::find_if(blocks, [](const FilterBlock& block) { return block.facts.can_reject(); });
  return filter != blocks.end() ? filter->facts.key_transform : "";
}

bool FileFilters::is_misnamed() const {
  const std::string transform = key_transform();
  return !transform.empty() && name != std::string(kTransformedFilters) + transform;
}

std::string FileFilters::kind() const {
  if (form == FilterForm::kBlockBased) return "rocksdb.block_based";
  if (!readable && form != FilterForm::kNone) return "foreign";
  std::set<std::string_view> kinds;
  for (const FilterBlock& block : blocks) kinds.insert(name_of(block.facts.kind));
  if (kinds.size() > 1) kinds.erase(name_of(BlockKind::kNoKeys));
  return kinds.empty() ? "none" : joined(kinds, "+");
}

std::string FileFilters::complaint() const {
  if (!status.ok()) return status.ToString();
  if (form == FilterForm::kBlockBased) {
    return "RocksDB 7.0 and later do not read filters of single data blocks; rewrite the file";
  }
  if (!readable && form != FilterForm::kNone)
    return "the filter is one of " + printable(name) + ", which neither RocksDB nor Crivo reads";
  for (const FilterBlock& block : blocks) {
    if (block.facts.damage.empty()) continue;
    return std::to_string(damaged()) + " of " + std::to_string(blocks.size()) +
           " filter blocks damaged: " + block.facts.damage;
  }
  if (is_misnamed()) return "Crivo 0.1 wrote this filter of transformed keys, which no policy reads; rewrite the file";
  if (has(BlockKind::kAlwaysMaybe)) {
    return "the filter could not be built: max_filter_bytes or max_total_bytes was too small, memory or disk was full, "
           "or the key transform threw; see LOG";
  }
  if (has(BlockKind::kUnknown)) return "the filter is of a kind that neither RocksDB nor Crivo reads";
  return blocks.empty() && entries != 0 ? why_there_is_none() : "";
}

std::string FileFilters::why_there_is_none() const {
  if (policy.empty()) {
    return "written without a filter policy: none was set, or its library was not loaded; crivo sst refilter adds "
           "filters";
  }
  const std::string none = printable(policy) + " was set, but wrote no filter: ";
  if (policy == kReadsOnly) return none + "RocksDB treats this name as a read-only policy";
  if (!whole_keys && prefix_extractor.empty()) return none + "whole_key_filtering was off without a prefix_extractor";
  const std::string no_prefix = whole_keys ? "" : "no key with a prefix by " + printable(prefix_extractor) + ", ";
  return none + no_prefix +
         "fewer than 0.5 bits per key or a rate of 1 at its level, optimize_filters_for_hits at the last level, or an "
         "unknown key_transform";
}

}  // namespace crivo::sst

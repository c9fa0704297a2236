#include "sst/filter_layout.h"

#include <algorithm>
#include <utility>

#include "crivo/host/sst_block.h"

namespace crivo::sst {
namespace {

using rocksdb::Status;

constexpr std::pair<std::string_view, FilterForm> kPrefixes[] = {{"fullfilter.", FilterForm::kFull},
                                                                 {"partitionedfilter.", FilterForm::kPartitioned},
                                                                 {"filter.", FilterForm::kBlockBased}};

// The name that RocksDB's own policies share, and the names in early versions of 7.0, which
// BlockBasedTable::PrefetchIndexAndFilterBlocks treats as equal to it.
constexpr std::string_view kBuiltinNames[] = {"rocksdb.BuiltinBloomFilter",
                                              "rocksdb.internal.LegacyBloomFilter",
                                              "rocksdb.internal.FastLocalBloomFilter",
                                              "rocksdb.internal.Standard128RibbonFilter",
                                              "rocksdb.internal.DeprecatedBlockBasedBloomFilter",
                                              "bloomfilter",
                                              "ribbonfilter"};

constexpr std::size_t kSequenceBytes = 8;  // after the user key in an internal key
constexpr std::size_t kTimestampBytes = 8;

bool has_timestamps(const TableFile& file) {
  constexpr const char* kPersisted = "rocksdb.user.defined.timestamps.persisted";
  return file.text_property("rocksdb.comparator").ends_with(".u64ts") &&
         (file.properties().count(kPersisted) == 0 || file.number_property(kPersisted) != 0);
}

}  // namespace

std::string_view name_of(FilterForm form) noexcept {
  constexpr std::string_view kNames[] = {"none", "full", "partitioned", "block_based"};
  return kNames[static_cast<std::size_t>(form)];
}

bool FilterLayout::is_readable() const noexcept {
  const bool is_known =
      name_.starts_with(kTransformedFilters) || std::ranges::find(kBuiltinNames, name_) != std::end(kBuiltinNames);
  return is_known && form_ != FilterForm::kBlockBased;
}

Status FilterLayout::find(const TableFile& file) {
  const std::string comparator = file.text_property("rocksdb.comparator");
  if (comparator == "leveldb.BytewiseComparator" || comparator == "leveldb.BytewiseComparator.u64ts") {
    order_ = Order::kBytewise;
  } else if (comparator == "rocksdb.ReverseBytewiseComparator" ||
             comparator == "rocksdb.ReverseBytewiseComparator.u64ts") {
    order_ = Order::kReverse;
  }
  for (const auto& [prefix, form] : kPrefixes) {
    const auto found = file.meta_blocks().lower_bound(std::string(prefix));
    if (found == file.meta_blocks().end() || !found->first.starts_with(prefix)) continue;
    form_ = form;
    name_ = found->first.substr(prefix.size());
    if (form == FilterForm::kFull) parts_.push_back({found->second, ""});
    return form == FilterForm::kPartitioned ? find_parts(file, found->second) : Status::OK();
  }
  return Status::OK();
}

Status FilterLayout::find_parts(const TableFile& file, BlockHandle index) {
  Block block;
  Status status = file.read(index, &block);
  if (!status.ok() || block.contents.empty()) return status;
  if (!block.matches) return Status::Corruption("index of the filter partitions must match its checksum");
  std::vector<std::pair<std::string, BlockHandle>> entries;
  status = decode_index(block.contents, file.number_property("rocksdb.index.value.is.delta.encoded") != 0, &entries);
  const bool has_sequence = file.number_property("rocksdb.index.key.is.user.key") == 0;
  const std::size_t behind_key = (has_sequence ? kSequenceBytes : 0) + (has_timestamps(file) ? kTimestampBytes : 0);
  // The partitions together must not need more memory than the file's size.
  std::uint64_t bytes_left = file.bytes();
  for (auto& [key, handle] : entries) {
    if (handle.size > bytes_left) {
      return Status::Corruption("filter partitions must not overlap, got more bytes than the file");
    }
    bytes_left -= handle.size;
    key.resize(key.size() - std::min(behind_key, key.size()));
    parts_.push_back({handle, std::move(key)});
  }
  return status;
}

// As RocksDB's PartitionedFilterBlockReader: the first partition whose last key is not before the key. If there is
// none, the last partition, which may have the key's prefix.
std::size_t FilterLayout::part_of(std::string_view key) const noexcept {
  const auto is_before = [&](const FilterPartition& part, std::string_view wanted) {
    return order_ == Order::kReverse ? part.last_key > wanted : part.last_key < wanted;
  };
  const auto found = std::lower_bound(parts_.begin(), parts_.end(), key, is_before);
  return static_cast<std::size_t>(std::min(found, parts_.end() - 1) - parts_.begin());
}

}  // namespace crivo::sst

// The filter blocks of an SST file, and the key range of each block.
#pragma once

#include <rocksdb/status.h>

#include <string>
#include <string_view>
#include <vector>

#include "sst/table_file.h"

namespace crivo::sst {

/// kBlockBased: a filter per data block, which RocksDB 7.0 and later cannot read, and which is not parsed here.
enum class FilterForm { kNone, kFull, kPartitioned, kBlockBased };
/// "none", "full", "partitioned" or "block_based".
[[nodiscard]] std::string_view name_of(FilterForm form) noexcept;

/// A filter block. `last_key` is at or after the block's last key, and before the first key of the next block.
struct FilterPartition {
  BlockHandle handle;
  std::string last_key;  // empty for a filter of the whole file
};

/// All filter blocks of a file, in key order.
class FilterLayout {
 public:
  /// Finds the filter blocks. Errors: as TableFile::read; Corruption if the index of the partitions is damaged.
  rocksdb::Status find(const TableFile& file);

  [[nodiscard]] FilterForm form() const noexcept { return form_; }
  /// The compatibility name of the policies that can read the filters.
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Whether RocksDB's own policies or Crivo's can read the filters.
  [[nodiscard]] bool is_readable() const noexcept;
  [[nodiscard]] const std::vector<FilterPartition>& parts() const noexcept { return parts_; }
  /// Whether a filter block may have no keys, if all blocks together have `keys`. RocksDB 9 writes such a partition
  /// even if no key is in the extractor's domain.
  [[nodiscard]] bool may_lack_keys(std::uint64_t keys) const noexcept {
    return form_ == FilterForm::kPartitioned && (parts_.size() > 1 || keys == 0);
  }

  /// Whether the order of the keys is known. If not, any partition may have a key.
  [[nodiscard]] bool has_order() const noexcept { return order_ != Order::kUnknown || parts_.size() == 1; }
  /// The index of the partition that has the key if the file has the key. Requires partitions and a known order.
  [[nodiscard]] std::size_t part_of(std::string_view key) const noexcept;

 private:
  enum class Order { kUnknown, kBytewise, kReverse };

  rocksdb::Status find_parts(const TableFile& file, BlockHandle index);

  FilterForm form_ = FilterForm::kNone;
  std::string name_;
  std::vector<FilterPartition> parts_;
  Order order_ = Order::kUnknown;
};

}  // namespace crivo::sst

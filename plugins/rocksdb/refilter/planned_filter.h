// The filter that a policy would write for a file. Nobody but the policy knows, so it is asked for a builder, as
// RocksDB would ask, and the builder for the size and the rate.
#pragma once

#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "abi.h"
#include "sst/filter_facts.h"

namespace crivo::refilter {

/// A file that is to be written. A flush does not know whether it is bottommost.
struct NewFile {
  int level;
  bool bottommost;
  bool flushed;
};

/// The table options of a column family; null if its tables are not block-based.
[[nodiscard]] const rocksdb::BlockBasedTableOptions* table_of(const rocksdb::ColumnFamilyOptions& family);

using Builder = std::unique_ptr<abi::FilterBitsBuilder>;

/// What RocksDB tells a policy of a new file. `table` must outlive it.
[[nodiscard]] rocksdb::FilterBuildingContext context_of(const rocksdb::ColumnFamilyOptions& family,
                                                        const rocksdb::BlockBasedTableOptions& table,
                                                        const NewFile& file);
/// Whether the file is to have none, whatever the policy, by optimize_filters_for_hits.
[[nodiscard]] bool has_no_filter(const rocksdb::ColumnFamilyOptions& family, const NewFile& file) noexcept;

/// The builder of the file's filters, as RocksDB would ask for it; null for no filters. The tables of the column family
/// must be block-based.
[[nodiscard]] Builder builder_for(const rocksdb::ColumnFamilyOptions& family, const rocksdb::FilterPolicy& policy,
                                  const NewFile& file);

/// A filter of so few keys is quickly built, to see of which kind it is. One of more keys is of the same kind, but for
/// the limits max_filter_bytes, max_build_bytes and 4 GiB.
inline constexpr std::size_t kFewKeys = 4096;

/// A filter of this many keys, at least 1. The builder must be one of Crivo's or RocksDB's policies. It can be
/// used again, but one of Crivo's then has less of max_filter_bytes left.
[[nodiscard]] sst::FilterFacts sample_filter(abi::FilterBitsBuilder& builder, std::size_t keys);

/// The filters of a file.
struct PlannedFilter {
  double bytes;
  double predicted_fp_rate;
  std::string kind;  // of a block of less than kFewKeys keys; empty for others
};

/// What the builder plans for all_keys in this number of blocks.
[[nodiscard]] PlannedFilter planned_filter(abi::FilterBitsBuilder& builder, std::uint64_t all_keys, std::size_t blocks);

}  // namespace crivo::refilter

// The filter that a policy would write for a file. These functions get a builder from the policy, as RocksDB does. The
// builder states the size and the rate.
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

/// A new file. A flush does not know whether it is bottommost.
struct NewFile {
  int level;
  bool bottommost;
  bool flushed;
};

[[nodiscard]] const rocksdb::BlockBasedTableOptions* table_of(const rocksdb::ColumnFamilyOptions& family);

using Builder = std::unique_ptr<abi::FilterBitsBuilder>;

/// The context that RocksDB passes to a policy for a new file. `table` must outlive it.
[[nodiscard]] rocksdb::FilterBuildingContext context_of(const rocksdb::ColumnFamilyOptions& family,
                                                        const rocksdb::BlockBasedTableOptions& table,
                                                        const NewFile& file);
/// Whether optimize_filters_for_hits prevents a filter for this file, under any policy.
[[nodiscard]] bool has_no_filter(const rocksdb::ColumnFamilyOptions& family, const NewFile& file) noexcept;

/// The builder of the file's filters; null for no filters. The column family's tables must be block-based.
[[nodiscard]] Builder builder_for(const rocksdb::ColumnFamilyOptions& family, const rocksdb::FilterPolicy& policy,
                                  const NewFile& file);

/// The most keys of a sample filter, which is built to find out the kind. Larger filters have the same kind, unless the
/// limits max_filter_bytes, max_build_bytes or 4 GiB apply.
inline constexpr std::size_t kFewKeys = 4096;

/// A filter of `keys` >= 1 keys. The builder must be Crivo's or RocksDB's. It can be reused, but one of Crivo's then
/// has less of max_filter_bytes left.
[[nodiscard]] sst::FilterFacts sample_filter(abi::FilterBitsBuilder& builder, std::size_t keys);

/// The filters of a file.
struct PlannedFilter {
  double bytes;
  double predicted_fp_rate;
};

/// The builder's plan for all_keys in this number of blocks.
[[nodiscard]] PlannedFilter planned_filter(abi::FilterBitsBuilder& builder, std::uint64_t all_keys, std::size_t blocks);

}  // namespace crivo::refilter

// The facts about one filter block: its writer, kind, size and rate, and whether it is damaged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "crivo/types.h"

namespace crivo::sst {

/// The size and the rate of filters.
struct FilterFigures {
  /// "blocked" or "ribbon" for Crivo's filters; "rocksdb.bloom", "rocksdb.ribbon" or "rocksdb.legacy_bloom" for
  /// RocksDB's own; "rocksdb.no_keys" for RocksDB's block of a partition without keys; "always_maybe" for a block that
  /// lets every key pass, because no filter could be built (FileFilters::complaint); "unknown" for a block that nothing
  /// can read.
  std::string kind;
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;     // of whole blocks
  double current_fp_rate = 1;  // Crivo's from the bits set, others' from a model

  [[nodiscard]] double bits_per_key() const noexcept {
    return keys == 0 ? 0 : 8.0 * static_cast<double>(bytes) / static_cast<double>(keys);
  }
};

/// The facts about a filter block. `keys` is as passed to describe_filter.
struct FilterFacts : FilterFigures {
  int marker = 0;             // the first of the block's last five bytes
  Shape shape;                // of Crivo's filters
  double distinct_keys = 0;   // of Crivo's filters, from their bits: exact for a ribbon
  std::string key_transform;  // the name of the key transform; may be empty
  std::string damage;         // why every key passes although it should not; may be empty

  /// Whether it can exclude keys.
  [[nodiscard]] bool can_say_no() const noexcept {
    return damage.empty() && kind != "always_maybe" && kind != "unknown";
  }
  [[nodiscard]] const FilterFigures& figures() const noexcept { return *this; }
};

/// Describes a filter block that Crivo's or RocksDB's own policies wrote. `keys` is its number of keys, for the
/// predicted rate of RocksDB's filters; Crivo's rates are computed from the block. `matches`: the block's checksum in
/// the file, if any, is right. `may_lack_keys`: the block is one of a file's partitions, which may have no keys. Reads
/// the whole block.
[[nodiscard]] FilterFacts describe_filter(std::string_view block, std::uint64_t keys, bool matches,
                                          bool may_lack_keys = false);

}  // namespace crivo::sst

// What one filter block is: whose, of which kind, how large, how good, and whether it is whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "crivo/types.h"

namespace crivo::sst {

/// How large filters are, and how good.
struct FilterFigures {
  /// "blocked" or "ribbon" for Crivo's filters, "rocksdb.bloom", "rocksdb.ribbon" or "rocksdb.legacy_bloom" for
  /// RocksDB's own; "rocksdb.no_keys" for RocksDB's block of a partition without keys; "always_maybe" for a block that
  /// lets every key pass on purpose, because no filter could be built (FileFilters::complaint); "unknown" for one that
  /// nobody can read.
  std::string kind;
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;     // of whole blocks
  double current_fp_rate = 1;  // the share of absent keys that pass: Crivo's by their bits, others' by a model

  [[nodiscard]] double bits_per_key() const noexcept {
    return keys == 0 ? 0 : 8.0 * static_cast<double>(bytes) / static_cast<double>(keys);
  }
};

/// The facts about a filter block. The number of keys is as the caller gave it.
struct FilterFacts : FilterFigures {
  int marker = 0;             // the first of the last five bytes of the block
  Shape shape;                // of Crivo's
  double distinct_keys = 0;   // of Crivo's, as its bits tell them: exact for a ribbon
  std::string key_transform;  // the name of the function that changed the keys; empty if there was none
  std::string damage;         // why every key passes although there should be a filter; empty if all is well

  /// Whether it can say "no" to a key.
  [[nodiscard]] bool can_say_no() const noexcept {
    return damage.empty() && kind != "always_maybe" && kind != "unknown";
  }
  [[nodiscard]] const FilterFigures& figures() const noexcept { return *this; }
};

/// Describes a filter block that policies with RocksDB's compatibility name wrote. `keys` is the number of keys in it,
/// for the predicted rate of RocksDB's filters; Crivo's tell their rate themselves. `matches` says whether the block's
/// checksum in the file, if it has one, is right. `may_lack_keys` says that it is one of a file's partitions, which may
/// have no keys. Takes a pass over the block.
[[nodiscard]] FilterFacts describe_filter(std::string_view block, std::uint64_t keys, bool matches,
                                          bool may_lack_keys = false);

}  // namespace crivo::sst

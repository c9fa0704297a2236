// The facts about one filter block: its writer, kind, size and rate, and whether it is damaged.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "crivo/types.h"

namespace crivo::sst {

enum class BlockKind {
  kBlocked,  // Crivo's
  kRibbon,
  kBuiltinBloom,  // RocksDB's
  kBuiltinRibbon,
  kLegacyBloom,
  kNoKeys,       // RocksDB's block of a partition without keys
  kAlwaysMaybe,  // lets every key pass, because no filter could be built (FileFilters::complaint)
  kUnknown       // readable neither by RocksDB nor by Crivo
};
[[nodiscard]] BlockKind block_kind(Kind kind) noexcept;
/// "blocked", "rocksdb.bloom", as in RocksDBFileFilter::kind.
[[nodiscard]] std::string_view name_of(BlockKind kind) noexcept;
/// Whether a filter of this kind is one of RocksDB's.
[[nodiscard]] constexpr bool is_builtin(BlockKind kind) noexcept {
  return kind >= BlockKind::kBuiltinBloom && kind <= BlockKind::kNoKeys;
}

/// The size and the rate of filters.
struct FilterFigures {
  std::string kind;  // the names of the blocks' kinds, joined by "+"
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;  // of whole blocks
  double current_fp_rate = 1;

  [[nodiscard]] double bits_per_key() const noexcept {
    return keys == 0 ? 0 : 8.0 * static_cast<double>(bytes) / static_cast<double>(keys);
  }
};

/// The facts about a filter block. `keys` is as passed to describe_filter.
struct FilterFacts {
  BlockKind kind = BlockKind::kUnknown;
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;     // of the whole block
  double current_fp_rate = 1;  // of Crivo's filters from the block, of others from a model
  int marker = 0;              // the first of the block's last five bytes
  double distinct_keys = 0;    // of Crivo's filters, from their bits: exact for a ribbon
  std::string key_transform;   // the name of the key transform; may be empty
  std::string damage;          // what is wrong with the block; may be empty

  /// Whether the filter can exclude keys.
  [[nodiscard]] bool can_reject() const noexcept {
    return damage.empty() && kind != BlockKind::kAlwaysMaybe && kind != BlockKind::kUnknown;
  }
  [[nodiscard]] FilterFigures figures() const { return {std::string(name_of(kind)), keys, bytes, current_fp_rate}; }
};

/// Describes a filter block that Crivo's or RocksDB's own policies wrote. `keys` is its number of keys, for the
/// predicted rate of RocksDB's filters; Crivo's rates are computed from the block. `matches`: the block's checksum in
/// the file, if any, is right. `may_lack_keys`: the block is one of a file's partitions, which may have no keys.
[[nodiscard]] FilterFacts describe_filter(std::string_view block, std::uint64_t keys, bool matches,
                                          bool may_lack_keys = false);

}  // namespace crivo::sst

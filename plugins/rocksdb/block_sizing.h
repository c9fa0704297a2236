// The size of a filter as a filter block, and back: the plan that BlockBuilder follows.
#pragma once

#include <cstddef>

#include "crivo/filter.h"

namespace crivo {

/// Kinds differ here and nowhere else in the plugin. Arithmetic alone, in O(1): RocksDB asks for sizes at every data
/// block.
class BlockSizing {
 public:
  /// A spec without a capacity: blocked by bits_per_key, ribbon by fp_rate.
  explicit BlockSizing(const FilterSpec& spec) noexcept : spec_(spec) {}

  /// Whether the kind takes a sorted set of hashes, all at once.
  [[nodiscard]] bool takes_set() const noexcept { return spec_.kind == Kind::kRibbon; }
  /// The spec for so many keys: what was asked for, or less where the block would be too large for RocksDB.
  [[nodiscard]] FilterSpec spec(std::size_t keys) const noexcept;
  /// Bytes of the block, trailer included. A ribbon hardly ever takes more, and a little less.
  [[nodiscard]] std::size_t bytes(std::size_t keys) const noexcept;
  /// The most keys whose block is at most that many bytes; 0 if there is none.
  [[nodiscard]] std::size_t keys(std::size_t bytes) const noexcept;
  /// The model's rate of a block of that many bytes.
  [[nodiscard]] double fp_rate(std::size_t keys, std::size_t bytes) const noexcept;

 private:
  FilterSpec spec_;
};

/// RocksDB keeps a block's size, with its own five bytes, in 32 bits; and our trailer comes on top of this.
inline constexpr std::size_t kMaxPayloadBytes = 0xffff'fe00;

}  // namespace crivo

// The size of a filter as a filter block, and back: the plan that BlockBuilder follows.
#pragma once

#include <cstddef>

#include "crivo/filter.h"

namespace crivo {

/// RocksDB keeps a block's size, with its own five bytes, in 32 bits; and our trailer comes on top of this.
inline constexpr std::size_t kMaxPayloadBytes = 0xffff'fe00;

/// Kinds differ here and nowhere else in the plugin. Arithmetic alone, in O(1): RocksDB asks for sizes at every data
/// block.
class BlockSizing {
 public:
  /// spec: without a capacity; blocked by bits_per_key, ribbon by fp_rate.
  /// max_payload: bytes that no filter exceeds, at least 64. Tests of what happens there give a small one.
  explicit BlockSizing(const FilterSpec& spec, std::size_t max_payload = kMaxPayloadBytes) noexcept
      : spec_(spec), max_payload_(max_payload) {}

  [[nodiscard]] Kind kind() const noexcept { return spec_.kind; }
  [[nodiscard]] std::size_t max_payload() const noexcept { return max_payload_; }
  /// Whether the kind takes a sorted set of hashes, all at once.
  [[nodiscard]] bool takes_set() const noexcept { return spec_.kind == Kind::kRibbon; }
  /// The spec of a filter of `keys` keys: what was asked for, or fewer bits where the payload would exceed max_payload.
  [[nodiscard]] FilterSpec spec(std::size_t keys) const noexcept;
  /// Bytes of the block, trailer included. A ribbon hardly ever takes more, and a little less.
  [[nodiscard]] std::size_t bytes(std::size_t keys) const noexcept;
  /// The most keys whose block is at most `bytes` bytes; 0 if not even one key's is.
  [[nodiscard]] std::size_t keys(std::size_t bytes) const noexcept;
  /// The false-positive rate that the model gives for a block of `bytes` bytes with `keys` keys.
  [[nodiscard]] double fp_rate(std::size_t keys, std::size_t bytes) const noexcept;

 private:
  /// Bytes of the largest payload that is planned.
  [[nodiscard]] std::size_t most_planned() const noexcept;

  FilterSpec spec_;
  std::size_t max_payload_;
};

}  // namespace crivo

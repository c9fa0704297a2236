// How large the filter block of a number of keys is, and for how many keys a block of a size has room: the plan that
// BlockBuilder follows.
#pragma once

#include <cstddef>
#include <optional>

#include "crivo/filter.h"
#include "crivo/host/sst_block.h"
#include "options/settings.h"

namespace crivo::plugin {

/// The most bytes that a filter's payload may have. RocksDB keeps a block's size, with five bytes of its own, in 32
/// bits, and our trailer comes on top of the payload.
inline constexpr std::size_t kMaxPayloadBytes = 0xffff'fe00;

/// All that differs between the sizes of the kinds is in here. It is pure arithmetic in constant time, because
/// RocksDB asks for sizes after every data block. Functions that are not noexcept throw BadResult for a spec that the
/// core refuses, which is a bug.
class BlockSizing {
 public:
  /// blocked_if_few: where a ribbon would save less than an eighth, because it has few keys, the filter is a blocked
  /// one. max_payload: the most bytes of a payload, at least 64. Tests give a small one, to see what happens at the
  /// limit. tail: the bytes of a block behind its payload.
  explicit BlockSizing(const LevelSpec& spec, bool blocked_if_few = false, std::size_t max_payload = kMaxPayloadBytes,
                       std::size_t tail = kSstTrailerBytes) noexcept
      : level_(spec), blocked_if_few_(blocked_if_few), max_payload_(max_payload), tail_(tail) {}

  /// The kind of a filter, except of those that are blocked because they are small.
  [[nodiscard]] Kind kind() const noexcept { return level_.kind; }
  [[nodiscard]] std::size_t max_payload() const noexcept { return max_payload_; }
  [[nodiscard]] std::size_t tail() const noexcept { return tail_; }
  /// The same with payloads of at most this many bytes, and of at least one block of 64.
  [[nodiscard]] BlockSizing within(std::size_t max_payload) const noexcept;
  /// The same for a file's next block, if its blocks so far have `used` bytes. A filter for the whole file gets what is
  /// left. Partitions come one by one, and nobody knows how many will follow. So they get what they want until half of
  /// max_filter_bytes is used, and from then on a share that falls in proportion to what is left, but not less than a
  /// block of 64 bytes. No value if there is no room for that, either.
  [[nodiscard]] std::optional<BlockSizing> for_next(std::size_t keys, std::size_t used,
                                                    std::size_t max_filter_bytes) const;
  /// The same with blocked filters, of the rate that the ribbons would have.
  [[nodiscard]] BlockSizing as_blocked() const noexcept;
  /// Whether the kind is built from a sorted set of hashes, all at once.
  [[nodiscard]] bool takes_set() const noexcept { return level_.kind == Kind::kRibbon; }
  /// The spec of a filter of `keys` keys: what was asked for, or one with fewer bits per key where the payload would
  /// exceed max_payload. A ribbon then becomes a blocked filter if that one fits, or has less than one bit per key.
  [[nodiscard]] FilterSpec spec(std::size_t keys) const;
  /// The size of the block in bytes, tail included. A ribbon mostly takes a little less, and hardly ever more.
  [[nodiscard]] std::size_t bytes(std::size_t keys) const;
  /// The largest number of keys whose block has at most `bytes` bytes; 0 if even the block of one key is larger.
  [[nodiscard]] std::size_t keys(std::size_t bytes) const;
  /// The false-positive rate that the model gives for a block of `bytes` bytes with `keys` keys.
  [[nodiscard]] double fp_rate(std::size_t keys, std::size_t bytes) const;

 private:
  /// The size in bytes of the largest payload that is planned.
  [[nodiscard]] std::size_t most_planned(Kind kind) const noexcept;
  /// What was asked for, with a capacity.
  [[nodiscard]] FilterSpec wanted(std::size_t keys) const;

  LevelSpec level_;
  bool blocked_if_few_;
  std::size_t max_payload_;
  std::size_t tail_;
};

}  // namespace crivo::plugin

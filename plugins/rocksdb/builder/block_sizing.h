// Computes the size of a filter block from its number of keys, and the number of keys from the size.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "crivo/filter.h"
#include "crivo/host/sst_block.h"
#include "options/settings.h"

namespace crivo::plugin {

/// The largest payload of a filter. RocksDB stores the size of a block in 32 bits. This size includes five bytes of
/// RocksDB's own, and Crivo's trailer.
inline constexpr std::size_t kMaxPayloadBytes = 0xffff'fe00;

/// Computes the sizes of blocked filters and ribbons. All functions are arithmetic in bounded time, because RocksDB
/// requests sizes after every data block. Functions that are not noexcept throw BadResult if the core rejects a spec,
/// which is a bug.
class BlockSizing {
 public:
  /// blocked_if_few: use a blocked filter if a ribbon would save less than an eighth of the bytes, as with few keys.
  /// max_payload: the payload limit in bytes, at least 64; tests use small limits. tail: the bytes after the payload.
  explicit BlockSizing(const LevelSpec& spec, bool blocked_if_few = false, std::size_t max_payload = kMaxPayloadBytes,
                       std::size_t tail = kSstTrailerBytes) noexcept
      : level_(spec), blocked_if_few_(blocked_if_few), max_payload_(max_payload), tail_(tail) {}

  [[nodiscard]] std::size_t max_payload() const noexcept { return max_payload_; }
  [[nodiscard]] std::size_t tail() const noexcept { return tail_; }
  /// The same sizing with payloads of at most this many bytes, but at least one block of 64 bytes.
  [[nodiscard]] BlockSizing within(std::size_t max_payload) const noexcept;
  /// The sizing for a file's next block, if its previous blocks have `used` bytes. A filter for the whole file may use
  /// the whole limit. Partitions come one by one, and their number is unknown. So a partition gets its wanted size
  /// until half of max_filter_bytes is used. After that, a partition gets a share of its wanted size that falls in
  /// proportion to the bytes that are left, but at least a block of 64 bytes. No value if not even such a block fits.
  [[nodiscard]] std::optional<BlockSizing> for_next(std::size_t keys, std::size_t used,
                                                    std::size_t max_filter_bytes) const;
  /// The same sizing with blocked filters, at the rate of the ribbons.
  [[nodiscard]] BlockSizing as_blocked() const noexcept;
  /// Whether the kind is built in one step from a sorted set of hashes.
  [[nodiscard]] bool needs_sorted_set() const noexcept { return level_.kind == Kind::kRibbon; }
  /// The spec of a filter of `keys` keys: as configured, or with fewer bits per key if the payload would exceed
  /// max_payload. In that case, a blocked filter replaces a ribbon if a blocked filter of the configured rate fits, or
  /// if less than one bit per key is left.
  [[nodiscard]] FilterSpec spec(std::size_t keys) const;
  /// The planned size of the block in bytes, with the tail. A ribbon is usually slightly smaller, and rarely larger.
  [[nodiscard]] std::size_t bytes(std::size_t keys) const;
  /// The most keys whose configured filter fits into `bytes` bytes and max_payload; 0 if not even one key fits.
  [[nodiscard]] std::size_t keys(std::size_t bytes) const;
  /// The predicted false-positive rate of a block of `bytes` bytes with `keys` keys.
  [[nodiscard]] double fp_rate(std::size_t keys, std::size_t bytes) const;

 private:
  /// The size in bytes of the largest planned payload.
  [[nodiscard]] std::size_t most_planned(Kind kind) const noexcept;
  /// The configured spec for this many keys, regardless of max_payload.
  [[nodiscard]] FilterSpec wanted(std::size_t keys) const;

  LevelSpec level_;
  bool blocked_if_few_;
  std::size_t max_payload_;
  std::size_t tail_;
};

/// The filters of a file, as a policy plans them.
struct FileSizing {
  BlockSizing blocks;
  std::size_t max_filter_bytes;  // of all blocks together; SIZE_MAX: no limit
  /// A text of these options for the file's properties: "blocked:10", "ribbon:fp_rate:0.009525:max_filter_bytes:1000".
  /// A refilter compares it with the stamp of the current options (refilter/judge.h).
  std::string stamp;
};

/// `spec`: the spec of the file's level. `max_bytes`: the file's share of max_total_bytes.
[[nodiscard]] FileSizing sizing_of(const PolicyInfo& policy, const Settings& settings, const LevelSpec& spec,
                                   std::size_t max_bytes = SIZE_MAX);

}  // namespace crivo::plugin

// Remembers which scan filters were verified in full, so that later queries need not do it again.
//
// RocksDB keeps a file's properties unchanged in memory while the file is open. A query gets only these properties. So
// a filter is identified by its address, its size and its stated checksum. Another file's filter may later be at the
// same address. It is mistaken for this one only if it states the same checksum, and even then RocksDB's own checksum
// has verified its bytes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace crivo::plugin {

/// Thread-safe. A new filter may replace another one.
class VerifiedBlocks {
 public:
  /// The block must satisfy is_sst_block, with a complete trailer.
  [[nodiscard]] bool has(std::span<const std::byte> block) const noexcept;
  void add(std::span<const std::byte> block) noexcept;

 private:
  static constexpr std::size_t kPlaces = 1 << 14;  // 128 KiB, for the filters of thousands of files

  std::array<std::atomic<std::uint64_t>, kPlaces> places_{};
};

}  // namespace crivo::plugin

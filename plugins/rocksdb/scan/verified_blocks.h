// Which scan filters have been read in full and found whole, so that a question need not do it again.
//
// RocksDB keeps a file's properties in memory, where nobody changes them, as long as the file is open, and a question
// is given nothing else of the file. So a filter is known by its address, its size and the checksum that it claims.
// Another file's filter may come to lie at the address later: it is taken for this one only if it claims the same
// checksum, of the same bytes then, which RocksDB read under a checksum of its own.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace crivo::plugin {

/// Any number of threads may use it at the same time. It forgets a filter when another one takes its place.
class VerifiedBlocks {
 public:
  /// The block must be one by is_sst_block, and have all of its trailer.
  [[nodiscard]] bool has(std::span<const std::byte> block) const noexcept;
  void add(std::span<const std::byte> block) noexcept;

 private:
  static constexpr std::size_t kPlaces = 1 << 14;  // 128 KiB, for the filters of thousands of files

  std::array<std::atomic<std::uint64_t>, kPlaces> places_{};
};

}  // namespace crivo::plugin

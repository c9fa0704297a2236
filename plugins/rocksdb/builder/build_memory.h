// The memory that all filter builders of this process take together: a pool of pages, and a count with a bound.
//
// A page that is new costs a page fault when it is first written: 2.4 us on a virtual machine, in which 200 keys are
// hashed and added to a filter. So pages go from one builder to the next. They come in chunks of the size of a huge
// page, which the system can provide with one fault instead of 512 where a builder will fill it. Up to kMostKept chunks
// are kept when no builder holds them. They are not marked with MADV_FREE: on a virtual machine the mark took longer
// than hashing and adding 50,000 keys. What builders take from elsewhere, for ribbons and for filters while they are
// built, is only counted here. The bound is given with each call, because every policy has its own, while the count is
// that of the whole process.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

namespace crivo::plugin {

/// Any thread may call any function at any time.
class BuildMemory {
 public:
  static constexpr std::size_t kChunkBytes = std::size_t{2} << 20;
  static constexpr std::size_t kMostKept = 16;  // chunks: 32 MiB
  static constexpr std::size_t kNoLimit = SIZE_MAX;

  enum class Use { kInPart, kToTheEnd };

  /// most_kept: how many chunks to keep, at most kMostKept.
  explicit BuildMemory(std::size_t most_kept = kMostKept) noexcept : most_kept_(most_kept) {}
  ~BuildMemory();
  BuildMemory(const BuildMemory&) = delete;
  BuildMemory& operator=(const BuildMemory&) = delete;

  /// The one that all builders share. It is never destroyed, because builders may outlive static objects.
  [[nodiscard]] static BuildMemory& of_process() noexcept;

  /// A chunk, aligned to its size, with anything in it; null if builders would then hold more than `limit` bytes. If
  /// it is new and will be filled, the system is asked for a huge page. Throws std::bad_alloc when the system has no
  /// memory.
  [[nodiscard]] std::byte* take_chunk(std::size_t limit, Use use = Use::kInPart);
  void give_back(std::byte* chunk) noexcept;

  /// Counts bytes that a builder is about to take from elsewhere. Returns false, and counts nothing, if builders would
  /// then hold more than `limit` bytes. Chunks that are only kept make room.
  [[nodiscard]] bool count(std::size_t bytes, std::size_t limit) noexcept;
  /// Ends the count of bytes that are free again.
  void discount(std::size_t bytes) noexcept;

  /// What builders hold now, in bytes.
  [[nodiscard]] std::size_t held() const noexcept;
  /// The chunks that are kept, in bytes.
  [[nodiscard]] std::size_t kept() const noexcept;
  /// The most bytes that were held and kept at once since this was last called.
  [[nodiscard]] std::size_t take_peak() noexcept;

 private:
  void add(std::size_t bytes) noexcept;

  mutable std::mutex mutex_;
  std::array<std::byte*, kMostKept> kept_{};
  std::size_t kept_count_ = 0;
  std::size_t most_kept_;
  std::size_t held_ = 0;
  std::size_t peak_ = 0;
};

/// Moves chunks to new addresses, one behind the other, without copying what is in them. Returns false when the system
/// refuses; some of the chunks may then have moved, and none has lost anything.
[[nodiscard]] bool line_up(std::span<std::byte*> chunks) noexcept;

/// Bytes that are counted as long as this object lives.
class CountedBytes {
 public:
  CountedBytes(BuildMemory& memory, std::size_t bytes, std::size_t limit) noexcept
      : memory_(memory), bytes_(memory.count(bytes, limit) ? bytes : 0), fits_(bytes_ == bytes) {}
  ~CountedBytes() { memory_.discount(bytes_); }
  CountedBytes(const CountedBytes&) = delete;
  CountedBytes& operator=(const CountedBytes&) = delete;

  /// Whether the limit had room; if not, nothing is counted.
  [[nodiscard]] bool fits() const noexcept { return fits_; }

 private:
  BuildMemory& memory_;
  std::size_t bytes_;
  bool fits_;
};

}  // namespace crivo::plugin

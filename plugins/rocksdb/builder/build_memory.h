// The memory of all filter builders in this process: a pool of pages, and a byte count with a limit.
//
// The first write to a new page costs a page fault: 2.4 us on a virtual machine, the time to hash and add 200 keys. So
// builders reuse pages. Pages are allocated in chunks of the size of a huge page. If a builder will fill a chunk, the
// system can back the chunk by one huge page, with one fault instead of 512. The pool caches up to kMaxCached unused
// chunks. Cached chunks are not marked with MADV_FREE: on a virtual machine, marking a chunk took longer than hashing
// and adding 50,000 keys. Memory that builders allocate elsewhere, such as payloads, is only counted here. Each call
// passes its own limit, because every policy has one; the count is process-wide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

namespace crivo::plugin {

/// Thread-safe.
class BuildMemory {
 public:
  static constexpr std::size_t kChunkBytes = std::size_t{2} << 20;
  static constexpr std::size_t kMaxCached = 16;  // chunks: 32 MiB
  static constexpr std::size_t kNoLimit = SIZE_MAX;

  enum class Use { kInPart, kToTheEnd };

  /// max_cached: the number of chunks to cache, at most kMaxCached.
  explicit BuildMemory(std::size_t max_cached = kMaxCached) noexcept : max_cached_(max_cached) {}
  ~BuildMemory();
  BuildMemory(const BuildMemory&) = delete;
  BuildMemory& operator=(const BuildMemory&) = delete;

  /// The instance that all builders share. It is never destroyed, because builders may outlive static objects.
  [[nodiscard]] static BuildMemory& of_process() noexcept;

  /// Allocates a chunk, aligned to its size, with arbitrary contents. Null if builders would then hold more than
  /// `limit` bytes. If the chunk is new and will be filled (kToTheEnd), the system is advised to use a huge page.
  /// Throws std::bad_alloc if the system has no memory.
  [[nodiscard]] std::byte* allocate_chunk(std::size_t limit, Use use = Use::kInPart);
  void free_chunk(std::byte* chunk) noexcept;

  /// Counts bytes that a builder is about to allocate elsewhere. Returns false, and counts nothing, if builders would
  /// then hold more than `limit` bytes. Evicts cached chunks to stay within the limit.
  [[nodiscard]] bool count(std::size_t bytes, std::size_t limit) noexcept;
  /// Subtracts freed bytes from the count.
  void discount(std::size_t bytes) noexcept;

  /// The bytes that builders hold.
  [[nodiscard]] std::size_t held() const noexcept;
  /// The bytes of cached chunks.
  [[nodiscard]] std::size_t cached_bytes() const noexcept;
  /// The peak of held plus cached bytes since the last call.
  [[nodiscard]] std::size_t reset_peak() noexcept;

 private:
  void add(std::size_t bytes) noexcept;

  mutable std::mutex mutex_;
  std::array<std::byte*, kMaxCached> cached_{};
  std::size_t cached_count_ = 0;
  std::size_t max_cached_;
  std::size_t held_ = 0;
  std::size_t peak_ = 0;
};

/// Moves chunks to adjacent new addresses without copying their contents. Returns false if the system refuses. Some
/// chunks may then have moved, but none has lost its contents.
[[nodiscard]] bool make_adjacent(std::span<std::byte*> chunks) noexcept;

/// Counts bytes for the lifetime of this object.
class CountedBytes {
 public:
  CountedBytes(BuildMemory& memory, std::size_t bytes, std::size_t limit) noexcept
      : memory_(memory), bytes_(memory.count(bytes, limit) ? bytes : 0), fits_(bytes_ == bytes) {}
  ~CountedBytes() { memory_.discount(bytes_); }
  CountedBytes(const CountedBytes&) = delete;
  CountedBytes& operator=(const CountedBytes&) = delete;

  /// Whether the bytes were within the limit; if not, nothing is counted.
  [[nodiscard]] bool fits() const noexcept { return fits_; }

 private:
  BuildMemory& memory_;
  std::size_t bytes_;
  bool fits_;
};

}  // namespace crivo::plugin

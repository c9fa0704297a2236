// The memory resources for building a filter block: one for its payload, and one for temporary memory.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <span>
#include <utility>

#include "builder/build_memory.h"
#include "builder/cache_charge.h"

namespace crivo::plugin {

/// Allocates payloads whose ownership passes to RocksDB without a copy: RocksDB owns a block as a char[], and gets a
/// pointer to the contents within this array. Space for the tail of the block follows the payload.
class BlockMemory final : public std::pmr::memory_resource {
 public:
  /// tail_bytes: the space after the payload.
  explicit BlockMemory(std::size_t tail_bytes) noexcept : tail_bytes_(tail_bytes) {}
  BlockMemory(const BlockMemory&) = delete;  // its allocations refer to this object
  BlockMemory& operator=(const BlockMemory&) = delete;

  /// Transfers the array that contains this payload to `owner`, and returns the payload's address. Call once, before
  /// the filter of this payload is destroyed.
  [[nodiscard]] std::byte* take(std::span<const std::byte> payload, std::unique_ptr<const char[]>* owner) noexcept;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::size_t tail_bytes_;
  const std::byte* released_ = nullptr;
};

/// The temporary memory of one build. Allocations count against the builders' limit and are charged to the cache. An
/// allocation throws std::bad_alloc if it exceeds the builders' limit or the cache's strict limit, or if memory is
/// short. Large allocations are placed in a chunk if they fit. The chunk is a stack: only freeing its topmost
/// allocation makes memory available again. The chunk is charged up to the highest byte ever used. Not thread-safe.
class TemporaryMemory final : public std::pmr::memory_resource {
 public:
  TemporaryMemory(BuildMemory& memory, std::size_t limit, std::shared_ptr<rocksdb::Cache> charged = nullptr) noexcept
      : memory_(memory), limit_(limit), charge_(std::move(charged)) {}
  ~TemporaryMemory() override;
  TemporaryMemory(const TemporaryMemory&) = delete;
  TemporaryMemory& operator=(const TemporaryMemory&) = delete;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
  [[nodiscard]] bool in_chunk(const void* memory) const noexcept;
  void charge(std::size_t bytes);
  void uncharge(std::size_t bytes) noexcept;
  /// Null if the allocation does not fit, or if the limit allows no chunk.
  [[nodiscard]] void* allocate_in_chunk(std::size_t bytes);

  BuildMemory& memory_;
  std::size_t limit_;
  CacheCharge charge_;
  std::size_t charged_ = 0;
  std::byte* chunk_ = nullptr;
  std::size_t used_ = 0;     // allocated bytes of the chunk
  std::size_t touched_ = 0;  // the highest used_ so far
};

}  // namespace crivo::plugin

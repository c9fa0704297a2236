// The two kinds of memory that the core takes to build a filter block: for the block, and for the time of the build.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <span>
#include <utility>

#include "builder/build_memory.h"
#include "builder/cache_charge.h"

namespace crivo::plugin {

/// Gives the memory for a payload such that RocksDB can take it over, with the payload in its place: RocksDB owns a
/// block as a char[] and is told where in it the contents lie. Behind the payload there is room for the trailer.
class BlockMemory final : public std::pmr::memory_resource {
 public:
  /// tail_bytes: the room behind the payload.
  explicit BlockMemory(std::size_t tail_bytes) noexcept : tail_bytes_(tail_bytes) {}
  BlockMemory(const BlockMemory&) = delete;  // what it gave refers to it
  BlockMemory& operator=(const BlockMemory&) = delete;

  /// Makes the array in which this payload lies the caller's, in `owner`. Returns where it lies. Call it once, before
  /// the filter that has the payload is destroyed.
  [[nodiscard]] std::byte* take(std::span<const std::byte> payload, std::unique_ptr<const char[]>* owner) noexcept;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::size_t tail_bytes_;
  const std::byte* taken_ = nullptr;
};

/// Counts what a build takes for as long as it runs, and throws std::bad_alloc where builders would hold more than the
/// limit, or a cache to which it is charged has no room. Large pieces lie in a chunk, where there is room. They are
/// taken and freed like a stack, nearly, so the room of the piece that was taken last can be used again; that of the
/// others returns with the chunk. One thread at a time.
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
  void take_chunk();

  BuildMemory& memory_;
  std::size_t limit_;
  CacheCharge charge_;
  std::size_t charged_ = 0;
  std::byte* chunk_ = nullptr;
  std::size_t used_ = 0;  // bytes of the chunk
};

}  // namespace crivo::plugin

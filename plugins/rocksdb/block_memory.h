// The two kinds of memory that the core takes to build a filter block: for the block, and for the time of the build.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>

#include "build_memory.h"

namespace crivo {

/// Gives the memory for a payload such that RocksDB can take it over, with the payload in its place: RocksDB owns a
/// block as a char[] and is told where in it the contents lie. Behind the payload there is room for the trailer.
class BlockMemory final : public std::pmr::memory_resource {
 public:
  /// The array in which the payload lies, which is the caller's from now on. Call it once, while the payload's vector
  /// still lives.
  [[nodiscard]] std::unique_ptr<const char[]> take(const std::byte* payload) noexcept;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  const std::byte* taken_ = nullptr;
};

/// Counts what a build takes from the heap. Throws std::bad_alloc where builders would hold more than the limit.
class TemporaryMemory final : public std::pmr::memory_resource {
 public:
  TemporaryMemory(BuildMemory& memory, std::size_t limit) noexcept : memory_(memory), limit_(limit) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  BuildMemory& memory_;
  std::size_t limit_;
};

}  // namespace crivo

// Memory for payloads: zeroed, and aligned so that a 64-byte block is one cache line.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <type_traits>
#include <vector>

#include "crivo/cxx20.h"

namespace crivo {

inline constexpr std::size_t kCacheLineBytes = 64;

/// Allocates zeroed memory, aligned to a cache line, for CacheAlignedAllocator. The system provides a page of a large
/// allocation only when the page is first written. So if a blob's header claims a gigabyte, only the pages that
/// decoding writes become resident. Throws std::bad_alloc.
[[nodiscard]] void* allocate_zeroed(std::size_t bytes);
/// Frees memory from allocate_zeroed; `bytes` must be the allocated size.
void free_zeroed(void* memory, std::size_t bytes) noexcept;

/// Allocates with allocate_zeroed, or from the caller's resource, which must return zeroed memory and outlive the
/// container. A copy of a container uses allocate_zeroed. A moved container keeps its resource.
template <class T>
struct CacheAlignedAllocator {
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  CacheAlignedAllocator() = default;
  explicit CacheAlignedAllocator(std::pmr::memory_resource* zeroed) noexcept : resource(zeroed) {}
  template <class U>
  CacheAlignedAllocator(const CacheAlignedAllocator<U>& other) noexcept : resource(other.resource) {}
  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    return static_cast<T*>(resource != nullptr ? resource->allocate(bytes, kCacheLineBytes) : allocate_zeroed(bytes));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    const std::size_t bytes = count * sizeof(T);
    if (resource != nullptr) return resource->deallocate(memory, bytes, kCacheLineBytes);
    free_zeroed(memory, bytes);
  }
  /// Does nothing: new memory is zero.
  template <class U>
  void construct(U*) noexcept {}
  [[nodiscard]] CacheAlignedAllocator select_on_container_copy_construction() const noexcept { return {}; }
  friend bool operator==(CacheAlignedAllocator a, CacheAlignedAllocator b) { return a.resource == b.resource; }

  std::pmr::memory_resource* resource = nullptr;  // null: allocate_zeroed
};

/// New bytes are 0. But after resize() to fewer bytes and then to more, the old bytes reappear.
using AlignedBytes = std::vector<std::byte, CacheAlignedAllocator<std::byte>>;

}  // namespace crivo

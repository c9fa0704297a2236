// Memory for payloads: aligned to a cache line, so that a 64-byte block is one line, and zero when it is new.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <type_traits>
#include <vector>

#include "crivo/cxx20.h"

namespace crivo {

inline constexpr std::size_t kCacheLineBytes = 64;

/// For CacheAlignedAllocator: allocates `bytes` bytes that are zero and start at a cache line. The system provides the
/// pages of a large piece only when each is first written: a header of 64 bytes may claim a payload of a gigabyte, and
/// reading it takes only the memory that its payload fills. Throws std::bad_alloc.
[[nodiscard]] void* allocate_zeroed(std::size_t bytes);
/// Frees what allocate_zeroed returned for the same number of bytes.
void free_zeroed(void* memory, std::size_t bytes) noexcept;

/// Takes memory from allocate_zeroed, or from a resource of the caller's, which must outlive what it gives and must
/// give memory that is zero. A container that is copied gets its memory from allocate_zeroed; one that is moved keeps
/// it.
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
  /// Does nothing, because new memory is zero already.
  template <class U>
  void construct(U*) noexcept {}
  [[nodiscard]] CacheAlignedAllocator select_on_container_copy_construction() const noexcept { return {}; }
  friend bool operator==(CacheAlignedAllocator a, CacheAlignedAllocator b) { return a.resource == b.resource; }

  std::pmr::memory_resource* resource = nullptr;  // null stands for allocate_zeroed
};

/// New bytes are 0, but resize() to more after a resize() to less finds the bytes that were there before.
using AlignedBytes = std::vector<std::byte, CacheAlignedAllocator<std::byte>>;

}  // namespace crivo

// Memory for payloads: aligned to a cache line, so that a 64-byte block is one line, and zero when it is new.
#pragma once

#include <cstddef>
#include <vector>

#include "crivo/cxx20.h"

namespace crivo {

inline constexpr std::size_t kCacheLineBytes = 64;

/// Allocates `bytes` bytes that are zero and start at a cache line. The system provides the pages of a large piece only
/// when each is first written: a header of 64 bytes may claim a payload of a gigabyte, and reading it takes only the
/// memory that its payload fills. Throws std::bad_alloc.
[[nodiscard]] void* allocate_zeroed(std::size_t bytes);
/// Frees what allocate_zeroed returned for the same number of bytes.
void free_zeroed(void* memory, std::size_t bytes) noexcept;

template <class T>
struct CacheAlignedAllocator {
  using value_type = T;
  CacheAlignedAllocator() = default;
  template <class U>
  CacheAlignedAllocator(const CacheAlignedAllocator<U>&) noexcept {}
  T* allocate(std::size_t count) { return static_cast<T*>(allocate_zeroed(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept { free_zeroed(memory, count * sizeof(T)); }
  /// Does nothing, because new memory is zero already.
  template <class U>
  void construct(U*) noexcept {}
  friend bool operator==(CacheAlignedAllocator, CacheAlignedAllocator) { return true; }
};

/// New bytes are 0, but resize() to more after a resize() to less finds the bytes that were there before.
using AlignedBytes = std::vector<std::byte, CacheAlignedAllocator<std::byte>>;

}  // namespace crivo

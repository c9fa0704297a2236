// Memory for payloads: zeroed when it is made, aligned to a cache line so that a 64-byte block is one line.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "crivo/cxx20.h"

namespace crivo {

inline constexpr std::size_t kCacheLineBytes = 64;

template <class T>
struct CacheAlignedAllocator {
  using value_type = T;
  CacheAlignedAllocator() = default;
  template <class U>
  CacheAlignedAllocator(const CacheAlignedAllocator<U>&) noexcept {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{kCacheLineBytes}));
  }
  void deallocate(T* memory, std::size_t) noexcept { ::operator delete (memory, std::align_val_t{kCacheLineBytes}); }
  friend bool operator==(CacheAlignedAllocator, CacheAlignedAllocator) { return true; }
};

using AlignedBytes = std::vector<std::byte, CacheAlignedAllocator<std::byte>>;

}  // namespace crivo

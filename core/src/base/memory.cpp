#include "crivo/memory.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "crivo/host/system.h"

namespace crivo {
namespace {

// From this size on, calloc provides memory whose pages the system creates on the first write. Clearing reused memory
// is faster for smaller sizes. Huge pages reduce the TLB misses of queries. They also reduce page faults, for which the
// threads of a build contend.
constexpr std::size_t kLargeBytes = std::size_t{16} << 20;

// calloc does not align to cache lines. So this function allocates one more cache line, and stores the pointer for
// free() before the aligned memory.
void* allocate_large(std::size_t bytes) {
  void* whole = std::calloc(1, bytes + kCacheLineBytes);
  if (whole == nullptr) throw std::bad_alloc();
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(whole) % kCacheLineBytes;
  std::byte* memory = static_cast<std::byte*>(whole) + (kCacheLineBytes - misaligned);
  static_assert(alignof(std::max_align_t) >= sizeof whole, "a pointer fits before the next cache line");
  std::memcpy(memory - sizeof whole, &whole, sizeof whole);
  system::advise_huge_pages(memory, bytes);
  return memory;
}

void free_large(void* memory) noexcept {
  void* whole = nullptr;
  std::memcpy(&whole, static_cast<std::byte*>(memory) - sizeof whole, sizeof whole);
  std::free(whole);
}

}  // namespace

void* allocate_zeroed(std::size_t bytes) {
  if (bytes >= kLargeBytes) return allocate_large(bytes);
  void* memory = ::operator new (bytes, std::align_val_t{kCacheLineBytes});
  std::memset(memory, 0, bytes);
  return memory;
}

void free_zeroed(void* memory, std::size_t bytes) noexcept {
  if (bytes >= kLargeBytes) return free_large(memory);
  ::operator delete (memory, std::align_val_t{kCacheLineBytes});
}

}  // namespace crivo

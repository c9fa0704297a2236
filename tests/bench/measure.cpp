#include "measure.h"

#include <malloc.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* memory);
}

namespace {

std::atomic<std::size_t> allocated{0};
std::atomic<std::size_t> peak{0};

void* counted(void* memory) noexcept {
  const std::size_t now = allocated += malloc_usable_size(memory);
  std::size_t seen = peak;
  while (seen < now && !peak.compare_exchange_weak(seen, now)) {
  }
  return memory;
}

}  // namespace

// Replaces the C library's functions, so that allocations of shared libraries are counted too.
extern "C" {
void* malloc(std::size_t size) { return counted(__libc_malloc(size)); }
void* calloc(std::size_t count, std::size_t size) { return counted(__libc_calloc(count, size)); }
void* realloc(void* memory, std::size_t size) {
  allocated -= malloc_usable_size(memory);
  return counted(__libc_realloc(memory, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return counted(__libc_memalign(alignment, size)); }
void* memalign(std::size_t alignment, std::size_t size) { return counted(__libc_memalign(alignment, size)); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = counted(__libc_memalign(alignment, size));
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
  allocated -= malloc_usable_size(memory);
  __libc_free(memory);
}
}

namespace crivo::bench {

double nanoseconds(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

std::size_t peak_bytes(const std::function<void()>& call) {
  const std::size_t before = allocated;
  peak = before;
  call();
  return peak - before;
}

}  // namespace crivo::bench

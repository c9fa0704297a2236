#include "measure.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> allocated{0};
std::atomic<std::size_t> peak{0};

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t now = allocated += malloc_usable_size(memory);
  std::size_t seen = peak;
  while (seen < now && !peak.compare_exchange_weak(seen, now)) {
  }
  return memory;
}

void release(void* memory) noexcept {
  allocated -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

// Replacing these counts the peers' allocations too: librocksdb calls whatever the program defines.
void* operator new(std::size_t size) { return counted(std::malloc(size == 0 ? 1 : size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto align = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(align, (size + align - 1) / align * align));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace crivo::bench {

double nanoseconds(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

std::size_t peak_bytes(const std::function<void()>& call) {
  const std::size_t before = allocated;
  peak = before;
  call();
  return peak - before;
}

}  // namespace crivo::bench

#include "process_faults.h"

#include <cstddef>

namespace crivo::testing {

Faults process_faults;

}  // namespace crivo::testing

#ifdef CRIVO_PROCESS_FAULTS
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) { return crivo::testing::process_faults.strikes() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) {
  return crivo::testing::process_faults.strikes() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  return crivo::testing::process_faults.strikes() ? nullptr : __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return crivo::testing::process_faults.strikes() ? nullptr : __libc_memalign(alignment, size);
}
}
#endif

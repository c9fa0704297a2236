#include "failing_memory.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

namespace crivo::testing {
namespace {

sqlite3_mem_methods real_memory;

void install() {
  ASSERT_EQ(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory), SQLITE_OK);
  sqlite3_mem_methods failing = real_memory;
  failing.xMalloc = [](int size) { return sqlite_faults.strikes() ? nullptr : real_memory.xMalloc(size); };
  failing.xRealloc = [](void* old, int size) {
    return sqlite_faults.strikes() ? nullptr : real_memory.xRealloc(old, size);
  };
  ASSERT_EQ(sqlite3_config(SQLITE_CONFIG_MALLOC, &failing), SQLITE_OK);
}

}  // namespace

Faults sqlite_faults;
Faults process_faults;

void install_failing_memory() {
  static const bool installed = (install(), true);
  (void)installed;
}

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

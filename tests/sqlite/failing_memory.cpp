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

void install_failing_memory() {
  static const bool installed = (install(), true);
  (void)installed;
}

}  // namespace crivo::testing

// Lets the Nth of SQLite's own allocations fail (SQLITE_CONFIG_MALLOC), beside the faults of the whole process.
#pragma once

#include "process_faults.h"

namespace crivo::testing {

extern Faults sqlite_faults;

/// Puts the failing allocator into SQLite; must come before SQLite is used. Further calls do nothing.
void install_failing_memory();

}  // namespace crivo::testing

// Makes the Nth of SQLite's own allocations fail (SQLITE_CONFIG_MALLOC). See process_faults.h for all allocations.
#pragma once

#include "process_faults.h"

namespace crivo::testing {

extern Faults sqlite_faults;

/// Installs the failing allocator. Must be called before any use of SQLite. Further calls do nothing.
void install_failing_memory();

}  // namespace crivo::testing

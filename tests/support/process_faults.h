// Lets the Nth allocation of the process fail: ours, zstd's and the C++ library's. This program's malloc stands before
// libc's; not under a sanitizer, which does the same.
#pragma once

#include <cstdint>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CRIVO_PROCESS_FAULTS
#endif

namespace crivo::testing {

/// Which allocations fail, counted from the moment it is armed.
struct Faults {
  bool armed = false;
  bool persistent = false;  // every one from the Nth on, not just the Nth
  std::int64_t until_failure = 0;
  bool struck = false;

  bool strikes() {
    if (!armed || --until_failure > 0) return false;
    if (until_failure < 0 && !persistent) return false;
    struck = true;
    return true;
  }
};

extern Faults process_faults;

}  // namespace crivo::testing

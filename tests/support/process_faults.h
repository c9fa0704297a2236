// Makes the Nth allocation of the process fail, whether Crivo, zstd or the C++ library allocates. Replaces libc's
// malloc, but not under a sanitizer, which replaces it too.
#pragma once

#include <cstdint>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CRIVO_PROCESS_FAULTS
#endif

namespace crivo::testing {

/// Which allocations fail. They are counted from the time when `armed` is set.
struct Faults {
  bool armed = false;
  bool persistent = false;  // every allocation from the Nth, not only the Nth
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

// A disk that fails at the Nth change: a VFS of SQLite in front of the default one.
#pragma once

namespace crivo::testing {

enum class DiskFault {
  kError,  // SQLITE_IOERR_WRITE, _TRUNCATE or _FSYNC, and nothing is written
  kFull,   // SQLITE_FULL, and nothing is written
  kShort,  // SQLITE_FULL, and the first half is written
};
inline constexpr int kDiskFaults = 3;

struct DiskPlan {
  DiskFault fault;
  bool persistent;  // every change from the Nth on, not just the Nth
  int until_failure;
};

/// The name of the VFS, which is registered by the first call.
[[nodiscard]] const char* failing_disk();
void arm_disk(const DiskPlan& plan);
/// Lets the disk work again. Tells whether a change has failed.
bool disarm_disk();

}  // namespace crivo::testing

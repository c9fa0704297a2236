// Simulates a disk that fails at the Nth change, with a VFS that wraps SQLite's default one.
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
  bool persistent;  // every change from the Nth, not only the Nth
  int until_failure;
};

/// Registers the VFS in the first call. Returns its name.
[[nodiscard]] const char* failing_disk();
void arm_disk(const DiskPlan& plan);
/// Lets the disk work again. Returns whether a change has failed.
bool disarm_disk();

}  // namespace crivo::testing

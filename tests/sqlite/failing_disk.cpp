#include "failing_disk.h"

#include <sqlite3.h>

#include <new>

namespace crivo::testing {
namespace {

DiskPlan plan{};
bool armed = false;
bool struck = false;

bool strikes() {
  if (!armed || --plan.until_failure > 0) return false;
  if (plan.until_failure < 0 && !plan.persistent) return false;
  struck = true;
  return true;
}

int code_of(int error) { return plan.fault == DiskFault::kError ? error : SQLITE_FULL; }

/// The real file is stored after the wrapper, in the same allocation.
struct FailingFile : sqlite3_file {
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

sqlite3_file* real(sqlite3_file* file) { return static_cast<FailingFile*>(file)->real(); }

int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  if (!strikes()) return real(file)->pMethods->xWrite(real(file), bytes, size, offset);
  if (plan.fault == DiskFault::kShort) real(file)->pMethods->xWrite(real(file), bytes, size / 2, offset);
  return code_of(SQLITE_IOERR_WRITE);
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
  return strikes() ? code_of(SQLITE_IOERR_TRUNCATE) : real(file)->pMethods->xTruncate(real(file), size);
}

/// Does not sync, because the tests simulate no power failure.
int sync(sqlite3_file*, int) { return strikes() ? code_of(SQLITE_IOERR_FSYNC) : SQLITE_OK; }

const sqlite3_io_methods kMethods = {
    3,
    [](sqlite3_file* file) { return real(file)->pMethods != nullptr ? real(file)->pMethods->xClose(real(file)) : 0; },
    [](sqlite3_file* file, void* to, int size, sqlite3_int64 offset) {
      return real(file)->pMethods->xRead(real(file), to, size, offset);
    },
    write,
    truncate,
    sync,
    [](sqlite3_file* file, sqlite3_int64* size) { return real(file)->pMethods->xFileSize(real(file), size); },
    [](sqlite3_file* file, int lock) { return real(file)->pMethods->xLock(real(file), lock); },
    [](sqlite3_file* file, int lock) { return real(file)->pMethods->xUnlock(real(file), lock); },
    [](sqlite3_file* file, int* held) { return real(file)->pMethods->xCheckReservedLock(real(file), held); },
    [](sqlite3_file* file, int op, void* arg) { return real(file)->pMethods->xFileControl(real(file), op, arg); },
    [](sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); },
    [](sqlite3_file* file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); },
    [](sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
      return real(file)->pMethods->xShmMap(real(file), page, size, extend, memory);
    },
    [](sqlite3_file* file, int offset, int count, int flags) {
      return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
    },
    [](sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); },
    [](sqlite3_file* file, int remove) { return real(file)->pMethods->xShmUnmap(real(file), remove); },
    [](sqlite3_file* file, sqlite3_int64 offset, int size, void** bytes) {
      return real(file)->pMethods->xFetch(real(file), offset, size, bytes);
    },
    [](sqlite3_file* file, sqlite3_int64 offset, void* bytes) {
      return real(file)->pMethods->xUnfetch(real(file), offset, bytes);
    },
};

sqlite3_vfs* base() {
  static sqlite3_vfs* const vfs = sqlite3_vfs_find(nullptr);
  return vfs;
}

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  auto* ours = ::new (file) FailingFile{};
  ours->pMethods = nullptr;
  ours->real()->pMethods = nullptr;
  if ((flags & SQLITE_OPEN_CREATE) != 0 && strikes()) return code_of(SQLITE_IOERR);
  const int status = base()->xOpen(base(), name, ours->real(), flags, out_flags);
  if (ours->real()->pMethods != nullptr) ours->pMethods = &kMethods;
  return status;
}

int remove(sqlite3_vfs*, const char* name, int sync_folder) {
  return strikes() ? code_of(SQLITE_IOERR_DELETE) : base()->xDelete(base(), name, sync_folder);
}

int install() {
  static sqlite3_vfs vfs = *base();
  vfs.szOsFile += static_cast<int>(sizeof(FailingFile));
  vfs.zName = "failing_disk";
  vfs.pNext = nullptr;
  vfs.xOpen = open;
  vfs.xDelete = remove;
  return sqlite3_vfs_register(&vfs, 0);
}

}  // namespace

const char* failing_disk() {
  static const int installed = install();
  return installed == SQLITE_OK ? "failing_disk" : nullptr;
}

void arm_disk(const DiskPlan& next) {
  plan = next;
  armed = true;
  struck = false;
}

bool disarm_disk() {
  armed = false;
  return struck;
}

}  // namespace crivo::testing

#include "crivo/host/system.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>

#if defined(__linux__) && !defined(CRIVO_POSIX_ONLY)
#include <linux/magic.h>
#include <malloc.h>
#include <sys/vfs.h>

namespace crivo::system {
namespace {

/// Ignores errors, because the advice affects only speed and memory.
void advise(void* begin, std::size_t bytes, int advice) noexcept {
  const auto in_page = reinterpret_cast<std::uintptr_t>(begin) % static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  (void)::madvise(static_cast<std::byte*>(begin) - in_page, bytes + in_page, advice);
}

}  // namespace

const char* const kDescriptors = "/proc/self/fd";

int open_folder(const char* path) noexcept { return ::open(path, O_PATH | O_DIRECTORY | O_CLOEXEC); }

int open_nameless(int at, const char* path, int flags, mode_t mode) noexcept {
  return ::openat(at, path, O_TMPFILE | O_CLOEXEC | flags, mode);
}

bool link_into(int file, int folder, const char* name) {
  const std::string itself = std::string(kDescriptors) + "/" + std::to_string(file);
  return ::linkat(AT_FDCWD, itself.c_str(), folder, name, AT_SYMLINK_FOLLOW) == 0;
}

int preallocate(int file, std::uint64_t bytes) {
  int reason = 0;
  do {
    reason = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  } while (reason == EINTR);
  return reason;
}

std::string own_path(const char*) {
  std::error_code failure;
  return std::filesystem::read_symlink("/proc/self/exe", failure).string();
}

void trim_on_free() noexcept {
#ifdef M_MMAP_THRESHOLD  // glibc's malloc; musl's does not cache large allocations
  ::mallopt(M_MMAP_THRESHOLD, 1 << 18);
#endif
}

bool move_pages(void* from, std::size_t bytes, void* to) noexcept {
  return ::mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
}

void* reserve_addresses(std::size_t bytes) noexcept {
  void* begin = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return begin != MAP_FAILED ? begin : nullptr;
}
bool commit_memory(void* begin, std::size_t bytes) noexcept {
  return ::mprotect(begin, bytes, PROT_READ | PROT_WRITE) == 0;
}
void release_addresses(void* begin, std::size_t bytes) noexcept { ::munmap(begin, bytes); }

void advise_huge_pages(void* begin, std::size_t bytes) noexcept { advise(begin, bytes, MADV_HUGEPAGE); }
void advise_small_pages(void* begin, std::size_t bytes) noexcept { advise(begin, bytes, MADV_NOHUGEPAGE); }

bool is_memory_folder(const std::string& folder) noexcept {
  struct statfs status {};
  return ::statfs(folder.c_str(), &status) == 0 &&
         (status.f_type == TMPFS_MAGIC || static_cast<unsigned long>(status.f_type) == RAMFS_MAGIC);
}

}  // namespace crivo::system
#else

namespace crivo::system {

const char* const kDescriptors = "/dev/fd";

int open_folder(const char* path) noexcept {
#ifdef O_SEARCH
  return ::open(path, O_SEARCH | O_DIRECTORY | O_CLOEXEC);
#else
  return ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
#endif
}

int open_nameless(int, const char*, int, mode_t) noexcept {
  errno = ENOTSUP;
  return -1;
}

bool link_into(int, int, const char*) {
  errno = ENOTSUP;
  return false;
}

int preallocate(int file, std::uint64_t bytes) {
  static constexpr std::array<char, 1 << 16> kZeros{};
  for (std::uint64_t done = 0; done < bytes;) {
    const std::size_t some = std::min<std::uint64_t>(kZeros.size(), bytes - done);
    const ssize_t written = ::pwrite(file, kZeros.data(), some, static_cast<off_t>(done));
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) done += static_cast<std::uint64_t>(written);
  }
  return 0;
}

/// If the name has no folder, the shell found this program in PATH, and will find the other programs in PATH too.
std::string own_path(const char* called) {
  if (std::strchr(called, '/') == nullptr) return {};
  std::error_code failure;
  return std::filesystem::canonical(called, failure).string();
}

void trim_on_free() noexcept {}

bool move_pages(void* from, std::size_t bytes, void* to) noexcept {
  if (::mprotect(to, bytes, PROT_READ | PROT_WRITE) != 0) return false;
  std::memcpy(to, from, bytes);
  ::munmap(from, bytes);
  return true;
}

void* reserve_addresses(std::size_t) noexcept { return nullptr; }
bool commit_memory(void*, std::size_t) noexcept { return false; }
void release_addresses(void*, std::size_t) noexcept {}

void advise_huge_pages(void*, std::size_t) noexcept {}
void advise_small_pages(void*, std::size_t) noexcept {}

bool is_memory_folder(const std::string&) noexcept { return false; }

}  // namespace crivo::system
#endif

namespace crivo::system {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;  // in nanoseconds
constexpr std::int64_t kTenMs = 10'000'000;

#ifdef CLOCK_REALTIME_COARSE
constexpr clockid_t kFileClock = CLOCK_REALTIME_COARSE;  // the clock of Linux's file times
constexpr std::int64_t kMostLag = 0;                     // of file times behind the clock
#else
constexpr clockid_t kFileClock = CLOCK_REALTIME;
constexpr std::int64_t kMostLag = kTenMs;
#endif

}  // namespace

// File times have units of at most 10 ms (exFAT; the ticks of Linux), or of whole seconds (also under qemu for s390x).
bool mtime_may_hide_change(const timespec& changed) noexcept {
  timespec now{};
  ::clock_gettime(kFileClock, &now);
  if (changed.tv_sec > now.tv_sec || changed.tv_sec < now.tv_sec - 2) return false;
  const std::int64_t passed = (now.tv_sec - changed.tv_sec) * kSecond + now.tv_nsec - changed.tv_nsec;
  return passed >= 0 && passed < (changed.tv_nsec == 0 ? kSecond : kTenMs) + kMostLag;
}

}  // namespace crivo::system

#include "format/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <vector>

#include "base/error_text.h"
#include "crivo/host/system.h"

namespace crivo {
namespace {

std::uint64_t page_bytes() noexcept { return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)); }

const char* kind_of(mode_t mode) noexcept {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

bool same_time(const timespec& a, const timespec& b) noexcept { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

}  // namespace

Error MappedFile::failed(const char* rule, int reason) const {
  return system_error(reason, "file must ", rule, ", got ", path_);
}

Result<std::unique_ptr<MappedFile>> MappedFile::open(const std::string& path, bool may_change) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  const int reason = errno;
  std::unique_ptr<MappedFile> file(new MappedFile(path, fd, may_change));
  if (fd < 0) return file->failed("be readable", reason);
  if (auto seen = file->record_state(); !seen) return seen.error();
  if (auto mapped = file->map(); !mapped) return mapped.error();
  return file;
}

MappedFile::~MappedFile() {
  if (range_.begin != nullptr) ::munmap(range_.begin, range_.bytes);
}

// Two changes within one clock tick have the same modification time. If the file was changed in the present tick, wait
// for the next one, so that every later change is detected.
Result<void> MappedFile::record_state() {
  constexpr int kMaxPauses = 1200;  // of at least 1 ms: some file systems store whole seconds
  for (int i = 0; i < kMaxPauses; ++i) {
    if (::fstat(fd_.get(), &opened_) != 0) return failed("be readable", errno);
    if (!S_ISREG(opened_.st_mode)) {
      return bad_argument("file must be a regular one, got ", path_, ": ", kind_of(opened_.st_mode));
    }
    if (!may_change_ || !system::mtime_may_hide_change(opened_.st_mtim)) return {};
    constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 1'000'000};
    ::nanosleep(&kPause, nullptr);
  }
  return error(ErrorCode::kSystem, "file must not be written to while it is opened, got ", path_);
}

Result<void> MappedFile::map() {
  const auto bytes = static_cast<std::uint64_t>(opened_.st_size);
  if (bytes > static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max())) {
    return error(ErrorCode::kTooLarge, "file must fit in the address space, got ", bytes, " bytes in ", path_);
  }
  if (bytes == 0) return {};  // an empty file cannot be mapped
  void* begin = ::mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_SHARED, fd_.get(), 0);
  if (begin == MAP_FAILED) return failed("be mappable", errno);
  range_.begin = static_cast<std::byte*>(begin);
  range_.bytes = static_cast<std::size_t>(bytes);
  return {};
}

Result<std::size_t> MappedFile::read(std::uint64_t offset, std::span<std::byte> into) const {
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t got = ::pread(fd_.get(), into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("be readable", errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

// Bytes after the end of the file are zeros, as in any mapping. A page that is already frozen is not copied again.
Result<void> MappedFile::freeze(std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t page = page_bytes();
  std::vector<MappedRange::Pages>& frozen = range_.frozen;
  const std::size_t frozen_until = frozen.empty() ? 0 : frozen.back().end;
  const std::size_t begin = std::max(static_cast<std::size_t>(offset / page * page), frozen_until);
  const auto end = static_cast<std::size_t>((offset + bytes + page - 1) / page * page);
  if (begin >= end) return {};
  void* const at = range_.begin + begin;
  const std::size_t size = end - begin;
  if (::mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
    return failed("be mappable", errno);
  }
  frozen.push_back({begin, end});
  const Result<std::size_t> copied = read(begin, {static_cast<std::byte*>(at), size});
  if (!copied.has_value()) return copied.error();
  // A failure is harmless: protection only detects accidental writes.
  (void)::mprotect(at, size, PROT_READ);
  return {};
}

bool MappedFile::has_changed() noexcept {
  struct stat now {};
  if (!changed_.load(std::memory_order_relaxed) && ::fstat(fd_.get(), &now) == 0 && now.st_size == opened_.st_size &&
      same_time(now.st_mtim, opened_.st_mtim)) {
    return false;
  }
  changed_.store(true, std::memory_order_relaxed);
  return true;
}

Error MappedFile::change_error() const {
  if (range_.lost.load()) {
    return corrupt("file must stay readable while it is in use, got ", path_, ": it was truncated, or its disk failed");
  }
  return corrupt("file must not be changed while it is in use, got ", path_, ": open it again");
}

}  // namespace crivo

// Files; see file.h.
#include "file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace crivo::tool {
namespace {

constexpr std::size_t kFirstReadBytes = 1 << 16;

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// Where the bytes are to lie in the end: a link stays a link.
std::string resolved(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string result = real;
  std::free(real);
  return result;
}

bool write_all(int fd, std::span<const std::byte> content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content = content.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

/// What a newly made file may be to whom; an existing one keeps its mode.
mode_t mode_for(const struct stat* existing) {
  if (existing != nullptr) return existing->st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

bool write_temporary(int fd, mode_t mode, std::span<const std::byte> content) {
  return write_all(fd, content) && ::fchmod(fd, mode) == 0 && ::fsync(fd) == 0;
}

/// A rename lasts once its folder is on disk. Some file systems cannot sync a folder; the file is whole there, too.
void sync_folder(const std::string& folder) {
  const OwnedFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) ::fsync(fd.get());
}

/// False, with errno, leaves the file as it was.
bool replace_file(const std::string& path, mode_t mode, std::span<const std::byte> content) {
  std::string temporary = path + ".XXXXXX";
  const OwnedFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (fd.get() < 0) return false;
  if (!write_temporary(fd.get(), mode, content) || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    errno = reason;
    return false;
  }
  sync_folder(parent_of(path));
  return true;
}

bool write_device(const std::string& path, std::span<const std::byte> content) {
  const OwnedFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return fd.get() >= 0 && write_all(fd.get(), content);
}

/// The whole content, or kTooLarge as soon as it is more than the machine's memory.
Result<AlignedBytes> read_whole(const std::string& path) {
  Result<OwnedFd> input = open_input(path, "FILTER");
  if (!input) return input.error();
  struct stat status {};
  const bool sized = ::fstat(input->get(), &status) == 0 && S_ISREG(status.st_mode);
  const std::uint64_t limit = physical_memory_bytes();
  // One byte more than the file has, so that its end is seen without growing.
  std::uint64_t room = sized ? static_cast<std::uint64_t>(status.st_size) + 1 : kFirstReadBytes;
  AlignedBytes bytes;
  std::size_t used = 0;
  for (;;) {
    if (used == bytes.size()) {
      if (std::max<std::uint64_t>(room, used) > limit) {
        return Error{ErrorCode::kTooLarge,
                     "FILTER must fit into this machine's memory of " + std::to_string(limit) + " bytes, got " + path};
      }
      bytes.resize(std::max<std::size_t>(room, used * 2));
    }
    const ssize_t got = ::read(input->get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error("FILTER must be readable", path);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  bytes.resize(used);
  return bytes;
}

}  // namespace

std::uint64_t physical_memory_bytes() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

Error file_error(const std::string& rule, const std::string& path) {
  return {ErrorCode::kBadArgument, rule + ", got " + path + ": " + std::strerror(errno)};
}

OwnedFd::~OwnedFd() {
  if (fd_ > STDERR_FILENO) ::close(fd_);
}

Result<OwnedFd> open_input(const std::string& path, const std::string& role) {
  if (path == "-") return OwnedFd(STDIN_FILENO);
  OwnedFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return file_error(role + " must be readable", path);
  return fd;
}

Result<LoadedFilter> load_filter(const std::string& path) {
  Result<AlignedBytes> bytes = read_whole(path);
  if (!bytes) return bytes.error();
  Result<OpenedBlob> blob = parse_blob(*bytes, {.max_raw_bytes = physical_memory_bytes()});
  if (!blob) return blob.error();
  return LoadedFilter{*std::move(bytes), *std::move(blob)};
}

Result<void> write_file(const std::string& path, std::span<const std::byte> content) {
  if (path == "-") {
    if (!write_all(STDOUT_FILENO, content)) return file_error("output must be writable", "standard output");
    return {};
  }
  const std::string target = resolved(path);
  struct stat status {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  const bool written = !exists || S_ISREG(status.st_mode)
                           ? replace_file(target, mode_for(exists ? &status : nullptr), content)
                           : write_device(target, content);
  if (!written) return file_error("output must be writable", path);
  return {};
}

}  // namespace crivo::tool

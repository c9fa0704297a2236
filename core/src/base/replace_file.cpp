#include "crivo/host/replace_file.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/random.h>  // declares getentropy on some systems
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/error_text.h"
#include "crivo/host/owned_fd.h"
#include "crivo/host/system.h"

namespace crivo {
namespace {

/// The file that a path leads to, after following all links.
struct Target {
  std::string path;
  std::optional<int> descriptor;  // if the path is a descriptor of this process
};

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The descriptor N if the path is /dev/fd/N, by any name of that folder. Reopening the file would lose what the shell
/// has set up, such as the append mode of `>> log`.
std::optional<int> own_descriptor(const std::string& path) {
  const std::string name = name_of(path);  // first, because most names are no numbers, and folders take system calls
  int number = -1;
  const auto [stop, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (wrong != std::errc{} || stop != name.data() + name.size()) return std::nullopt;
  std::error_code failure;
  const auto folder = std::filesystem::canonical(parent_of(path), failure);
  if (failure || folder != std::filesystem::canonical(system::kDescriptors, failure)) return std::nullopt;
  return number;
}

/// Follows links one by one, because the last link may lead to a file that does not exist yet.
Target resolve(std::string path) {
  constexpr int kMaxLinks = 40;  // also the kernel's limit; the kernel reports longer chains when the path is used
  for (int links = 0; links < kMaxLinks; ++links) {
    if (const auto descriptor = own_descriptor(path)) return {path, descriptor};
    char link[PATH_MAX];
    const ssize_t length = ::readlink(path.c_str(), link, sizeof link);
    if (length < 0) break;
    const std::string next(link, static_cast<std::size_t>(length));
    path = next.starts_with('/') ? next : parent_of(path).append("/").append(next);
  }
  return {path, std::nullopt};
}

/// The status of the target, or no value with errno set. ENOENT means that the file or its folder does not exist.
std::optional<struct stat> status_of(const Target& target) {
  struct stat status {};
  const int result = target.descriptor ? ::fstat(*target.descriptor, &status) : ::stat(target.path.c_str(), &status);
  return result == 0 ? std::optional(status) : std::nullopt;
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

ByteSink sink_of(int fd) {
  return [fd](std::span<const std::byte> bytes) { return write_all(fd, bytes); };
}

/// Copies owner and group of the old file to a new file. If that is not permitted, tries to copy the group alone.
void copy_owner(const struct stat& old, int fd) {
  struct stat made {};
  if (::fstat(fd, &made) == 0 && made.st_uid == old.st_uid && made.st_gid == old.st_gid) return;
  if (::fchown(fd, old.st_uid, old.st_gid) == 0) return;
  [[maybe_unused]] const int only_the_group = ::fchown(fd, static_cast<uid_t>(-1), old.st_gid);
}

/// Sets the mode last, because changing the owner clears mode bits.
bool make_alike(int fd, const struct stat& old) {
  copy_owner(old, fd);
  return ::fchmod(fd, old.st_mode & 07777) == 0;
}

/// Makes the rename survive a crash. If the folder cannot be synced, a crash leaves the old or the new file.
void sync_folder(int folder) {
  const OwnedFd fd(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) ::fsync(fd.get());
}

/// The new file. The file is unnamed until it is complete, so that a process killed while writing leaves nothing
/// behind. If unsupported, the file has a temporary name, and the destructor removes it unless it was renamed.
class NewFile {
 public:
  NewFile(int folder, mode_t mode) : folder_(folder), name_(temporary_name()), fd_(open(mode)) {}
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    const int reason = errno;
    if (is_named_) ::unlinkat(folder_, name_.c_str(), 0);
    errno = reason;
  }
  [[nodiscard]] int fd() const noexcept { return fd_.get(); }
  [[nodiscard]] bool rename_to(const std::string& name) {
    if (!is_named_) {
      if (system::link_into(fd(), folder_, name.c_str())) return true;
      // Linking does not replace an existing file, so link under a temporary name and rename.
      if (errno != EEXIST || !system::link_into(fd(), folder_, name_.c_str())) return false;
      is_named_ = true;
    }
    if (::renameat(folder_, name_.c_str(), folder_, name.c_str()) != 0) return false;
    is_named_ = false;
    return true;
  }

 private:
  int open(mode_t mode) {
    if (::access(system::kDescriptors, X_OK) == 0) {  // needed to link an unnamed file
      if (const int fd = system::open_nameless(folder_, ".", O_WRONLY, mode); fd >= 0) return fd;
    }
    const int fd = ::openat(folder_, name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    is_named_ = fd >= 0;
    return fd;
  }

  int folder_;
  std::string name_;
  bool is_named_ = false;
  OwnedFd fd_;
};

/// On an error, returns false with errno set, and the old file is unchanged. Without an old file, the umask determines
/// the mode.
bool replace(int folder, const std::string& name, const struct stat* old, const ContentWriter& write) {
  NewFile file(folder, old == nullptr ? 0666 : 0600);
  if (file.fd() < 0 || !write(sink_of(file.fd()))) return false;
  if (old != nullptr && !make_alike(file.fd(), *old)) return false;
  if (::fsync(file.fd()) != 0 || !file.rename_to(name)) return false;
  sync_folder(folder);
  return true;
}

bool write_device(const std::string& path, const ContentWriter& write) {
  const OwnedFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return fd.get() >= 0 && write(sink_of(fd.get()));
}

Error refused(const char* rule, const std::string& path) { return system_error(errno, rule, ", got ", path); }

Error not_writable(const std::string& path) { return refused("output must be writable", path); }

}  // namespace

std::string temporary_name() {
  // Not std::random_device: on Debian 12, every program linked with the library would then require glibc 2.36.
  std::uint64_t random = 0;
  if (::getentropy(&random, sizeof random) != 0) random = static_cast<std::uint64_t>(::getpid());
  char name[32];
  std::snprintf(name, sizeof name, ".crivo-%016" PRIx64, random);
  return name;
}

std::string replaced_path(const std::string& path) { return resolve(path).path; }

std::string replaced_folder(const std::string& path) {
  std::error_code failure;
  return std::filesystem::weakly_canonical(parent_of(replaced_path(path)), failure).string();
}

Result<void> replace_file(const std::string& path, const ContentWriter& write) {
  const Target target = resolve(path);
  if (target.descriptor) return write(sink_of(*target.descriptor)) ? Result<void>() : not_writable(path);
  const auto old = status_of(target);
  if (!old && errno != ENOENT) return not_writable(path);
  if (old && !S_ISREG(old->st_mode)) return write_device(target.path, write) ? Result<void>() : not_writable(path);
  // Do not replace a file that the user may not write.
  if (old && ::faccessat(AT_FDCWD, target.path.c_str(), W_OK, AT_EACCESS) != 0) return not_writable(path);
  const std::string folder = parent_of(target.path);
  const OwnedFd folder_fd(system::open_folder(folder.c_str()));
  if (folder_fd.get() < 0) return not_writable(path);
  if (::faccessat(folder_fd.get(), ".", W_OK | X_OK, AT_EACCESS) != 0) {
    return refused("the folder of the output must be writable", folder);
  }
  if (!replace(folder_fd.get(), name_of(target.path), old ? &*old : nullptr, write)) return not_writable(path);
  return {};
}

}  // namespace crivo

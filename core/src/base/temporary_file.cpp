// If unnamed files are not supported (on NFS, for example), creates a named file, and unlinks it before any write.
#include "crivo/host/temporary_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/error_text.h"
#include "crivo/host/system.h"

namespace crivo {
namespace {

constexpr const char* kReserveSpace = "have space for the hashes of a build";

Error failed(const char* rule, const std::string& folder, int reason) {
  return system_error(reason, "temp_folder must ", rule, ", got ", folder);
}

int open_without_name(const std::string& folder) {
  if (const int file = system::open_nameless(AT_FDCWD, folder.c_str(), O_RDWR, 0600); file >= 0) return file;
  std::string name = folder + "/.crivo-XXXXXX";
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file >= 0) ::unlink(name.c_str());
  return file;
}

/// Repeats transfer(bytes done, bytes left), which is pread or pwrite, until done. Returns 0 or an errno.
template <class Transfer>
int transfer_all(std::size_t bytes, const Transfer& transfer) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t moved = transfer(done, bytes - done);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return moved < 0 ? errno : EIO;
    done += static_cast<std::size_t>(moved);
  }
  return 0;
}

}  // namespace

std::string default_temp_folder(const std::string& preferred) {
  const char* const named = std::getenv("TMPDIR");
  if (named != nullptr && *named != '\0') return named;
  for (const std::string& folder : {preferred, std::string("/var/tmp")}) {
    if (::access(folder.c_str(), W_OK | X_OK) == 0) return folder;
  }
  return "/tmp";
}

Result<TemporaryFile> TemporaryFile::make(const std::string& folder) {
  std::string where = folder.empty() ? default_temp_folder() : folder;
  const int file = open_without_name(where);
  if (file < 0) return failed("be writable", where, errno);
  return TemporaryFile(file, std::move(where));
}

Error TemporaryFile::failure(const char* rule, int reason) const { return failed(rule, folder_, reason); }

Result<void> TemporaryFile::write(std::uint64_t at, std::span<const std::byte> bytes) {
  const int reason = transfer_all(bytes.size(), [&](std::size_t done, std::size_t left) {
    return ::pwrite(file_.get(), bytes.data() + done, left, static_cast<off_t>(at + done));
  });
  if (reason != 0) return failure(kReserveSpace, reason);
  return {};
}

Result<void> TemporaryFile::read(std::uint64_t at, std::span<std::byte> bytes) const {
  const int reason = transfer_all(bytes.size(), [&](std::size_t done, std::size_t left) {
    return ::pread(file_.get(), bytes.data() + done, left, static_cast<off_t>(at + done));
  });
  if (reason != 0) return failure("return the bytes that were written", reason);
  return {};
}

Result<void> TemporaryFile::reserve(std::uint64_t bytes) {
  if (const int reason = system::preallocate(file_.get(), bytes); reason != 0) {
    return failure("have space for the filter of a build", reason);
  }
  return {};
}

}  // namespace crivo

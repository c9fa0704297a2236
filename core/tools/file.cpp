// Open files; see file.h.
#include "file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace crivo::tool {

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

}  // namespace crivo::tool

// Open files, and what the errors of the system say of them.
#pragma once

#include <cstdint>
#include <string>

#include "crivo/result.h"

namespace crivo::tool {

/// What the machine has.
[[nodiscard]] std::uint64_t physical_memory_bytes();

/// "FILE must be readable, got /x: No such file or directory" for that rule, from errno.
[[nodiscard]] Error file_error(const std::string& rule, const std::string& path);

/// Closes a file descriptor at the end of its life; standard input and output stay open.
class OwnedFd {
 public:
  explicit OwnedFd(int fd) noexcept : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  OwnedFd& operator=(OwnedFd&&) = delete;
  ~OwnedFd();
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

/// Opens for reading; "-" is standard input. Errors call the file `role`.
[[nodiscard]] Result<OwnedFd> open_input(const std::string& path, const std::string& role);

}  // namespace crivo::tool

// A file in memory. It has a path while it is open.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "require.h"

namespace crivo::testing {

class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes = {}) : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(::write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "a file can be written");
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }
  [[nodiscard]] std::uint64_t size() const { return static_cast<std::uint64_t>(::lseek(fd_, 0, SEEK_END)); }
  /// Flips these bits of a byte.
  void damage(std::uint64_t at, std::uint8_t bits) const {
    std::uint8_t byte = 0;
    const auto place = static_cast<off_t>(at);
    require(::pread(fd_, &byte, 1, place) == 1, "a file can be read");
    byte ^= bits;
    require(::pwrite(fd_, &byte, 1, place) == 1, "a file can be written");
  }

 private:
  int fd_;
};

}  // namespace crivo::testing

// Files: filters are read whole and written all or nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "crivo/blob.h"
#include "crivo/memory.h"
#include "crivo/result.h"

namespace crivo::tool {

/// What the machine has. Anything larger is refused before it is tried.
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

/// A filter and the bytes that it may borrow from. Free to move.
struct LoadedFilter {
  AlignedBytes bytes;
  OpenedBlob blob;
};

/// Reads and checks a filter; "-" is standard input. A payload beyond the machine's memory is refused with kTooLarge.
[[nodiscard]] Result<LoadedFilter> load_filter(const std::string& path);

/// Replaces the file in one step: whoever reads it, even after a crash, finds the old content or the new. A device or
/// pipe is written as it is; "-" is standard output.
[[nodiscard]] Result<void> write_file(const std::string& path, std::span<const std::byte> content);

}  // namespace crivo::tool

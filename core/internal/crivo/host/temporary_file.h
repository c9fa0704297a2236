// A temporary file that has no name: it is gone when it is closed, also when the process is killed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "crivo/host/owned_fd.h"
#include "crivo/result.h"

namespace crivo {

/// The folder that TMPDIR names; or else `preferred`, if there is one that can be written; or else /var/tmp, or /tmp
/// where that cannot be written. (/tmp is memory on many systems.)
[[nodiscard]] std::string default_temp_folder(const std::string& preferred = "");

/// One thread may use it at a time. Errors are kSystem, "temp_folder must ..., got <folder>: <why>".
class TemporaryFile {
 public:
  /// An empty folder stands for default_temp_folder().
  [[nodiscard]] static Result<TemporaryFile> make(const std::string& folder);

  /// Writes all bytes, from the byte number `at` on.
  [[nodiscard]] Result<void> write(std::uint64_t at, std::span<const std::byte> bytes);
  /// Reads as many bytes as `bytes` has. Fewer in the file are an error.
  [[nodiscard]] Result<void> read(std::uint64_t at, std::span<std::byte> bytes) const;
  /// Makes the file this large, with its bytes on disk taken and 0: who maps it can then write it without a signal.
  [[nodiscard]] Result<void> reserve(std::uint64_t bytes);

  [[nodiscard]] int descriptor() const noexcept { return file_.get(); }
  /// The error that names what the file must do, and why the system does not do it, by this errno.
  [[nodiscard]] Error failure(const char* rule, int reason) const;

 private:
  TemporaryFile(int file, std::string folder) : file_(file), folder_(std::move(folder)) {}

  OwnedFd file_;
  std::string folder_;
};

}  // namespace crivo

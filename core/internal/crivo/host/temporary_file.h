// An unnamed temporary file. The system removes the file when it is closed or the process is killed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "crivo/host/owned_fd.h"
#include "crivo/result.h"

namespace crivo {

/// $TMPDIR if set; else `preferred` if writable; else /var/tmp if writable; else /tmp, which may be in memory.
[[nodiscard]] std::string default_temp_folder(const std::string& preferred = "");

/// Not thread-safe. Errors: kSystem, with the message "temp_folder must ..., got <folder>: <reason>".
class TemporaryFile {
 public:
  /// An empty folder stands for default_temp_folder().
  [[nodiscard]] static Result<TemporaryFile> make(const std::string& folder);

  /// Writes all bytes at offset `at`.
  [[nodiscard]] Result<void> write(std::uint64_t at, std::span<const std::byte> bytes);
  /// Fills `bytes` from offset `at`. Fails if the file is shorter.
  [[nodiscard]] Result<void> read(std::uint64_t at, std::span<std::byte> bytes) const;
  /// Preallocates zeroed blocks, so that writes through a mapping cannot raise SIGBUS.
  [[nodiscard]] Result<void> reserve(std::uint64_t bytes);

  [[nodiscard]] int descriptor() const noexcept { return file_.get(); }
  /// An error of this file: "temp_folder must <rule>, got <folder>: <text of the errno `reason`>".
  [[nodiscard]] Error failure(const char* rule, int reason) const;

 private:
  TemporaryFile(int file, std::string folder) : file_(file), folder_(std::move(folder)) {}

  OwnedFd file_;
  std::string folder_;
};

}  // namespace crivo

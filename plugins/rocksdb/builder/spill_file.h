// A temporary file for hashes that do not fit in the memory that builders may take.
//
// The file has no name: it is gone when it is closed, also when the process dies. It lies in the folder that TMPDIR (or
// TMP, TEMP, TEMPDIR) names, or in /tmp. A disk can return other bytes than were written, and then keys would be lost
// without a word. So a checksum of each part stays in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace crivo {

/// One thread may use it at a time. Functions throw std::bad_alloc, and std::system_error when a call of the system
/// fails, "crivo: temporary file in <folder>: <why>".
class SpillFile {
 public:
  SpillFile();
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  /// Writes hashes behind those that are there. If it throws, none of these is there.
  void append(std::span<const std::uint64_t> hashes);
  /// Reads all hashes and hands them on, in parts, until `use` returns false. Returns false if `use` did. Throws
  /// std::system_error also when a part is not what was written.
  bool read(const std::function<bool(std::span<const std::uint64_t>)>& use) const;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// For tests, which damage what they find there.
  [[nodiscard]] int descriptor() const noexcept { return file_; }

 private:
  struct Part {
    std::size_t hashes;
    std::uint64_t checksum;
  };

  int file_ = -1;
  std::size_t size_ = 0;
  std::vector<Part> parts_;
};

}  // namespace crivo

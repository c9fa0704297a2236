// A temporary file for hashes that do not fit in the memory that builders may take.
//
// It is gone when the process dies. A disk can return other bytes
// than were written, and then keys would be lost without a word. So a checksum of each part stays in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "crivo/host/temporary_file.h"

namespace crivo::plugin {

/// One thread may use it at a time. Functions throw std::bad_alloc, and std::runtime_error when a call of the system
/// fails, "TMPDIR must <what>, got <folder>: <why>".
class SpillFile {
 public:
  /// folder: where it lies; empty for default_temp_folder().
  explicit SpillFile(const std::string& folder);

  /// Writes hashes behind those that are there. If it throws, none of these is there.
  void append(std::span<const std::uint64_t> hashes);
  /// Reads all hashes and hands them on, in parts, until `use` returns false. Returns false if `use` did. Throws
  /// std::runtime_error also when a part is not what was written.
  bool read(const std::function<bool(std::span<const std::uint64_t>)>& use) const;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  struct Part {
    std::size_t hashes;
    std::uint64_t checksum;
  };

  TemporaryFile file_;
  std::size_t size_ = 0;
  std::vector<Part> parts_;
};

}  // namespace crivo::plugin

// When the system cannot provide a page of a mapped file, because the file was truncated or its disk failed, it raises
// SIGBUS in the thread that reads. The handler maps pages of zeros over the file's, so that the read can go on, and
// notes that the mapping is lost, so that what was read is thrown away. It acts only while its thread has a MappedRead;
// any other read ends the process as ever. libwayland does the same for memory that it shares with its clients.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "crivo/result.h"

namespace crivo {

/// A mapped file, as the handler must know it.
struct MappedRange {
  /// Whole pages, by their offsets.
  struct Pages {
    std::size_t begin;
    std::size_t end;
  };
  std::byte* begin = nullptr;  // the start of a page
  std::size_t bytes = 0;
  std::vector<Pages> frozen;       // pages in ascending order that are no longer the file's, and get no zeros
  std::atomic<bool> lost = false;  // set before the zeros can be seen
};

/// While it lives, this thread may read the range, and those of the objects that it had before.
class MappedRead {
 public:
  explicit MappedRead(MappedRange& range) noexcept;
  ~MappedRead();
  MappedRead(const MappedRead&) = delete;
  MappedRead& operator=(const MappedRead&) = delete;

  [[nodiscard]] MappedRange& range() const noexcept { return range_; }
  [[nodiscard]] const MappedRead* outer() const noexcept { return outer_; }

 private:
  MappedRange& range_;
  const MappedRead* outer_;
};

/// Sets the handler, once per process. Errors: kSystem with the system's reason.
Result<void> install_bus_guard();

}  // namespace crivo

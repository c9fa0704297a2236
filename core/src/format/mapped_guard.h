// If a page of a mapped file cannot be read, because the file was truncated or its disk failed, the system raises
// SIGBUS in the reading thread. The handler maps zero pages over the file, so that the read continues. It also marks
// the mapping as lost, so that the caller discards the result. The handler acts only on a range for which the thread
// has a MappedRead, and forwards any other SIGBUS to the previous handler. libwayland does the same for memory shared
// with clients.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "crivo/result.h"

namespace crivo {

/// What the handler must know about a mapped file.
struct MappedRange {
  /// A range of whole pages: offsets in bytes.
  struct Pages {
    std::size_t begin;
    std::size_t end;
  };
  std::byte* begin = nullptr;  // the start of a page
  std::size_t bytes = 0;
  std::vector<Pages> frozen;       // ascending; private copies, which are not replaced by zeros
  std::atomic<bool> lost = false;  // set before the zeros are visible
};

/// Allows this thread to read the range, and the ranges of enclosing MappedReads, during the object's lifetime.
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

/// Installs the handler, once per process. Errors: kSystem with the system's reason.
Result<void> install_bus_guard();

}  // namespace crivo

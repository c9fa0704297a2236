// The pages of a payload that nobody holds as a whole, such as rows of a database table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "crivo/memory.h"
#include "crivo/types.h"

namespace crivo {

/// A page in memory.
struct Page {
  std::byte* bytes = nullptr;    // PageLayout::bytes_of(page) of them
  std::uint64_t keys = 0;        // additions less removals; of a window, those to the page's newest pane
  std::uint64_t generation = 0;  // of a window, that of the page's newest pane; else 0
};

/// How the pages of a filter are cut.
struct PageLayout {
  Shape shape;
  std::uint64_t bytes = 0;       // of all pages
  std::size_t page_bytes = 0;    // of each page but the last, which may be shorter
  std::uint64_t generation = 0;  // of a window, the newest now

  [[nodiscard]] std::uint64_t pages() const noexcept { return (bytes - 1) / page_bytes + 1; }
  [[nodiscard]] std::size_t bytes_of(std::uint64_t page) const noexcept {
    return static_cast<std::size_t>(std::min<std::uint64_t>(page_bytes, bytes - page * page_bytes));
  }
};

/// Where a filter gets its pages from. The functions may throw; the exception passes through the filter, and pages that
/// were handed out before may have been changed.
class PageSource {
 public:
  PageSource() = default;
  PageSource(const PageSource&) = delete;
  PageSource& operator=(const PageSource&) = delete;
  virtual ~PageSource() = default;
  /// The page to be read; null stands for a page of zeros. Valid until the next call of either function.
  [[nodiscard]] virtual const Page* read(std::uint64_t page) = 0;
  /// The page to be changed. A page that was not there begins as zeros. Valid until the next call of either function,
  /// which sees the change.
  [[nodiscard]] virtual Page& write(std::uint64_t page) = 0;

  /// Where a block is changed before it is written. A source that goes on to the next key takes the buffer along, which
  /// spares an allocation for each key.
  AlignedBytes buffer;
};

/// What an addition to a filter in pages did.
struct Added {
  bool is_new = false;      // the key was certainly absent
  bool fills = false;       // its page holds one key more: a new one, or one that only older panes of a window had
  bool is_crowded = false;  // a growing filter should be split (PagedFilter::split)
};

}  // namespace crivo

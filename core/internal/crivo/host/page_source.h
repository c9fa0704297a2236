// The pages of a payload that is never in memory as a whole, such as rows of a database table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "crivo/memory.h"
#include "crivo/types.h"

namespace crivo {

/// A page in memory.
struct Page {
  std::byte* bytes = nullptr;    // PageLayout::bytes_of(page) bytes
  std::uint64_t keys = 0;        // additions minus removals; in a window, additions to the page's newest pane
  std::uint64_t generation = 0;  // in a window, the generation of the page's newest pane; else 0
};

/// The division of a payload into pages.
struct PageLayout {
  Shape shape;
  std::uint64_t bytes = 0;       // the total size of all pages
  std::size_t page_bytes = 0;    // the size of each page; the last page may be shorter
  std::uint64_t generation = 0;  // in a window, the newest known generation

  [[nodiscard]] std::uint64_t pages() const noexcept { return (bytes - 1) / page_bytes + 1; }
  [[nodiscard]] std::size_t bytes_of(std::uint64_t page) const noexcept {
    return static_cast<std::size_t>(std::min<std::uint64_t>(page_bytes, bytes - page * page_bytes));
  }
};

/// Provides the pages of a filter. The functions may throw. The exception then passes through PagedFilter, and pages
/// that write() returned earlier may have been changed.
class PageSource {
 public:
  PageSource() = default;
  PageSource(const PageSource&) = delete;
  PageSource& operator=(const PageSource&) = delete;
  virtual ~PageSource() = default;
  /// Returns a page for reading; null stands for a page of zeros. Valid until the next call of read() or write().
  [[nodiscard]] virtual const Page* read(std::uint64_t page) = 0;
  /// Returns a page for writing; a new page is all zeros. Valid until the next call of read() or write(). Later calls
  /// return the changed page.
  [[nodiscard]] virtual Page& write(std::uint64_t page) = 0;

  /// Scratch memory in which a block is changed before it is written. The owner of a source can move the buffer to the
  /// next source, which saves an allocation per key.
  AlignedBytes buffer;
};

/// The result of an addition to a filter in pages.
struct Added {
  bool is_new = false;      // the key was certainly absent
  bool fills = false;       // the page is fuller: the key is new, or was only in older panes of a window
  bool is_crowded = false;  // a growing filter should be split (PagedFilter::split)
};

}  // namespace crivo

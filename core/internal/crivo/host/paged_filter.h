// A filter whose payload is stored in pages, such as rows of a database table. Pages are read and written one by one,
// so the cost of an operation on a key does not depend on the filter's size.
//
// The concatenated pages are the filter's payload. A key of a kind with blocks is in one page. The k positions of a key
// of `classic` or `spectral` are in up to k pages.
//
// Two kinds differ (docs/format.md, "Filter tables"). Each group of a `growing` filter is a page, and the filter gets
// one more page when a page is crowded. A page of a `window` contains the same blocks of every pane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/host/page_source.h"
#include "crivo/kinds.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

struct Paging;

/// Maps keys to pages. A small value that is cheap to copy and caches no page. Thread-safe, but the caller must prevent
/// concurrent reads and writes of a page.
class PagedFilter {
 public:
  /// Divides a filter of this shape into pages of page_bytes; the last page may be shorter. Errors: kUnsupported for a
  /// kind without pages; kCorrupt for an invalid shape; kBadArgument unless page_bytes is a positive multiple of
  /// granularity(shape), or equals granularity(shape) for growing.
  [[nodiscard]] static Result<PagedFilter> open(const Shape& shape, std::size_t page_bytes);
  /// The same, but only for a kind whose concatenated pages are its payload (docs/format.md). Errors: kUnsupported also
  /// for other kinds.
  [[nodiscard]] static Result<PagedFilter> open_payload(const Shape& shape, std::size_t page_bytes);

  /// The shape of a filter of this spec. Allocates nothing, so only the kind limits the filter's size. Errors:
  /// kBadArgument naming the field.
  [[nodiscard]] static Result<Shape> plan(const FilterSpec& spec);

  /// The unit of page_bytes. For blocked and counting: a block (64 or 256 bytes). For window: a block of each pane. For
  /// growing: a page. For all other kinds with pages: a word (8 bytes). 0 for kinds without pages. Depends only on the
  /// kind and the parameter.
  [[nodiscard]] static std::size_t granularity(const Shape& shape) noexcept;

  [[nodiscard]] const Shape& shape() const noexcept { return layout_.shape; }
  [[nodiscard]] const PageLayout& layout() const noexcept { return layout_; }
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept { return layout_.bytes; }
  [[nodiscard]] std::uint64_t pages() const noexcept { return layout_.pages(); }
  /// The size of a page: page_bytes, or less for the last page. `page` must be below pages().
  [[nodiscard]] std::size_t bytes_of(std::uint64_t page) const noexcept { return layout_.bytes_of(page); }
  /// The page with a key's block, or with the key's first position.
  [[nodiscard]] std::uint64_t page_of(std::uint64_t key_hash) const noexcept;

  /// Whether the kind counts. For another kind, adding a key that may be present has no effect, except in a window.
  [[nodiscard]] bool counts() const noexcept;
  /// Sets the newest generation of a window.
  void set_generation(std::uint64_t generation) noexcept { layout_.generation = generation; }

  /// False: the key is certainly absent.
  [[nodiscard]] bool may_contain_hash(std::uint64_t key_hash, PageSource& pages) const;
  /// As FilterRef::count_hash. Errors: kUnsupported for a kind that cannot count.
  [[nodiscard]] Result<std::uint64_t> count_hash(std::uint64_t key_hash, PageSource& pages) const;
  /// Adds a key, and counts the key in its page. Ignores a key that may be present if the kind does not count or
  /// `only_if_absent` is set, and then requests no page for writing. (In a window, a key that is only in older panes is
  /// added to the newest pane.) Errors: kFull (growing only), with nothing changed.
  Result<Added> add_hash(std::uint64_t key_hash, PageSource& pages, bool only_if_absent = false) const;
  /// Undoes one addition of a key, and returns the count before the removal. Remove only keys that were added, as in
  /// AnyFilter::remove. Errors: kUnsupported; kNotFound, with no page changed, if the key is certainly absent.
  Result<std::uint64_t> remove_hash(std::uint64_t key_hash, PageSource& pages) const;

  // Growing filters only. When an addition reports a crowded page:
  // 1. with_a_page_more() returns the next filter; its split() writes the last page and a page that gets smaller;
  // 2. the last page is stored, and from then on all queries use the next filter;
  // 3. the smaller page is stored.
  // Until step 3, the page that was split is read as if it were already smaller.
  [[nodiscard]] bool grows() const noexcept;
  [[nodiscard]] PagedFilter with_a_page_more() const noexcept;
  void split(PageSource& pages) const;
  /// Whether stored bytes are valid for this page. Works for every kind.
  [[nodiscard]] bool is_sound(std::uint64_t page, const std::byte* bytes) const noexcept;
  /// The statistics of a page that is_sound() accepts. The rate is the page's contribution to the current_fp_rate of
  /// the whole filter. Stats::bits counts the bits of the page's slots.
  [[nodiscard]] Stats page_stats(std::uint64_t page, const std::byte* bytes) const;

  /// Whether a page contains no findable key, so that it need not be stored.
  [[nodiscard]] bool is_idle(std::uint64_t page, const Page& stored) const noexcept;
  /// Unites a page with the same page of another filter of this shape, both of bytes_of(page) bytes. The kind must have
  /// blocks and support uniting (KindInfo::can).
  void unite_page(std::uint64_t page, std::byte* into, const std::byte* other) const;

 private:
  PagedFilter(const Paging& paging, const PageLayout& layout) noexcept : paging_(&paging), layout_(layout) {}

  const Paging* paging_;
  PageLayout layout_;
};

}  // namespace crivo

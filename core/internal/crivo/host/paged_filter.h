// A filter whose payload is stored in pages, such as rows of a database table. Pages are read and written one by one,
// so that the cost of a key does not depend on the filter's size.
//
// The pages, put one after the other, are the filter's payload. A key of a kind with blocks lies in one page, whereas
// the k positions of a key of the kinds `classic` and `spectral` lie in up to k pages.
//
// Two kinds are different (docs/format.md, "Filter tables"). Each group of a `growing` filter is a page, and the filter
// gets one page more whenever a page is crowded. A page of a `window` has the same blocks of each pane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/host/page_source.h"
#include "crivo/kinds.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

struct Paging;

/// Maps keys to pages: a small value, cheap to copy and thread-safe. It caches no page. The caller must prevent
/// concurrent reads and writes of a page.
class PagedFilter {
 public:
  /// Lays a filter of this shape out in pages of page_bytes bytes; the last page may be shorter. Errors: kUnsupported
  /// for a kind that cannot be paged; kCorrupt for a shape that is not allowed; kBadArgument if page_bytes is 0 or no
  /// multiple of granularity(shape), or not that itself, for growing.
  [[nodiscard]] static Result<PagedFilter> open(const Shape& shape, std::size_t page_bytes);
  /// The same for a kind whose pages, put one after the other, are its payload (docs/format.md). Errors: kUnsupported
  /// for other kinds, too.
  [[nodiscard]] static Result<PagedFilter> open_payload(const Shape& shape, std::size_t page_bytes);

  /// The shape of a filter of this spec. Allocates nothing, so only the kind limits its size. Errors: kBadArgument
  /// naming the field.
  [[nodiscard]] static Result<Shape> plan(const FilterSpec& spec);

  /// What page_bytes must be a multiple of: the bytes of a block (64 for blocked, 256 for counting), in a window those
  /// of a block in each pane, or of a word (8); for growing those of a page. 0 for a kind that cannot be paged. Depends
  /// on the kind and the parameter alone.
  [[nodiscard]] static std::size_t granularity(const Shape& shape) noexcept;

  [[nodiscard]] const Shape& shape() const noexcept { return layout_.shape; }
  [[nodiscard]] const PageLayout& layout() const noexcept { return layout_; }
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept { return layout_.bytes; }
  [[nodiscard]] std::uint64_t pages() const noexcept { return layout_.pages(); }
  /// The bytes of a page, which must be below pages(): page_bytes, or fewer in the last page.
  [[nodiscard]] std::size_t bytes_of(std::uint64_t page) const noexcept { return layout_.bytes_of(page); }
  /// The page of a key's block, or of its first position.
  [[nodiscard]] std::uint64_t page_of(std::uint64_t key_hash) const noexcept;

  /// Whether the kind counts. Other kinds ignore additions of keys that may already be present.
  [[nodiscard]] bool counts() const noexcept;
  /// Sets the newest generation of a window.
  void set_generation(std::uint64_t generation) noexcept { layout_.generation = generation; }

  /// False: the key is certainly absent.
  [[nodiscard]] bool may_contain_hash(std::uint64_t key_hash, PageSource& pages) const;
  /// As FilterRef::count_hash. Errors: kUnsupported for a kind that cannot count.
  [[nodiscard]] Result<std::uint64_t> count_hash(std::uint64_t key_hash, PageSource& pages) const;
  /// Adds a key, and counts it in its page. A key that may be there is left alone where the kind cannot count, or if
  /// `only_if_absent` says so; then no page is asked for to be changed. (A window adds a key that only older panes
  /// have to the newest.) Errors: kFull, of growing alone, with nothing changed.
  Result<Added> add_hash(std::uint64_t key_hash, PageSource& pages, bool only_if_absent = false) const;
  /// Takes back one addition of a key. Returns how often the key was there before, as count_hash. Errors: kUnsupported;
  /// kNotFound, with no page changed, when the key is certainly not in the filter. The warning at AnyFilter::remove
  /// holds here, too.
  Result<std::uint64_t> remove_hash(std::uint64_t key_hash, PageSource& pages) const;

  // The next functions are about a growing filter. When an addition says that a page is crowded,
  // 1. with_a_page_more() is the filter to be, whose split() writes two pages, the last one and a page that is shorter;
  // 2. the last page is stored, and from then on everybody asks this filter; and
  // 3. the shorter page is stored.
  // If step 3 did not happen, the page that was split is read as if it had.
  [[nodiscard]] bool grows() const noexcept;
  [[nodiscard]] PagedFilter with_a_page_more() const noexcept;
  void split(PageSource& pages) const;
  /// Whether stored bytes can be this page's, of any kind.
  [[nodiscard]] bool is_sound(std::uint64_t page, const std::byte* bytes) const noexcept;
  /// The statistics of a page that is_sound(): the rate is its share of the whole filter's current_fp_rate; bits are
  /// those of its slots.
  [[nodiscard]] Stats page_stats(std::uint64_t page, const std::byte* bytes) const;

  /// Whether a page has no key that is found, so that it need not be stored.
  [[nodiscard]] bool is_idle(std::uint64_t page, const Page& stored) const noexcept;
  /// Adds every key of the same page of another filter of this shape. Both are bytes_of(page) bytes. The kind must be
  /// one that can unite (KindInfo::can) and has blocks.
  void unite_page(std::uint64_t page, std::byte* into, const std::byte* other) const;

 private:
  PagedFilter(const Paging& paging, const PageLayout& layout) noexcept : paging_(&paging), layout_(layout) {}

  const Paging* paging_;
  PageLayout layout_;
};

}  // namespace crivo

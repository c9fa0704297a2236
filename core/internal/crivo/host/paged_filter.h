// A filter whose payload lies in pages that are read and written one by one, such as rows of a database table: nobody
// holds the payload as a whole, and what a key costs does not depend on the filter's size.
//
// The pages, put one after the other, are the payload that docs/format.md describes. A key of a kind with blocks lies
// in one page, whereas the k positions of a key of the kinds `classic` and `spectral` lie in up to k pages.
//
// A `growing` filter is another: each of its groups is a page (docs/format.md, "Filter tables"), and it has a page more
// whenever one is crowded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "crivo/kinds.h"
#include "crivo/memory.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

/// Where a paged filter gets its pages from. A page is given as its bytes, PagedFilter::bytes_of(page) of them. The
/// functions may throw; the exception passes through PagedFilter, and pages that were handed out before may have been
/// changed.
class PageSource {
 public:
  PageSource() = default;
  PageSource(const PageSource&) = delete;
  PageSource& operator=(const PageSource&) = delete;
  virtual ~PageSource() = default;
  /// The page to be read; null stands for a page of zeros. Valid until the next call of either function.
  [[nodiscard]] virtual const std::byte* read(std::uint64_t page) = 0;
  /// The page to be changed, never null: a page that was not there begins as zeros. Valid until the next call of either
  /// function, which sees the change.
  [[nodiscard]] virtual std::byte* write(std::uint64_t page) = 0;

  /// Where a block is changed before it is written. A source that goes on to the next key takes it along, which spares
  /// an allocation for each key.
  AlignedBytes room;
};

/// The places of a filter's keys in its pages: a small value, cheap to copy, which any number of threads may use. It
/// keeps no page; the caller sees to it that nobody writes a page while it is read.
class PagedFilter {
 public:
  /// Lays a payload of this shape out in pages of page_bytes bytes; the last page may be shorter. Errors: kUnsupported
  /// for a kind whose payload cannot be used piece by piece (it must be blocked, classic, counting or spectral), and
  /// for growing if page_bytes is not granularity(shape); kCorrupt for a shape that is not allowed; kBadArgument if
  /// page_bytes is 0 or no multiple of granularity(shape).
  [[nodiscard]] static Result<PagedFilter> open(const Shape& shape, std::size_t page_bytes);

  /// The shape of a filter of this spec; no memory is taken for it, so its size has no limit but that of its kind.
  /// Errors: kBadArgument naming the field.
  [[nodiscard]] static Result<Shape> plan(const FilterSpec& spec);

  /// What page_bytes must be a multiple of: the bytes of a block (64 for blocked, 256 for counting), or of a word (8);
  /// for growing those of a page. 0 for a kind that cannot be paged. Only the kind and the parameter are looked at.
  [[nodiscard]] static std::size_t granularity(const Shape& shape) noexcept;

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::uint64_t payload_bytes() const noexcept { return payload_bytes_; }
  [[nodiscard]] std::uint64_t pages() const noexcept;
  /// The bytes of a page, which must be below pages(): page_bytes, or fewer in the last page.
  [[nodiscard]] std::size_t bytes_of(std::uint64_t page) const noexcept;
  /// The page of a key's block, or of its first position.
  [[nodiscard]] std::uint64_t page_of(std::uint64_t key_hash) const noexcept;

  /// Whether the kind can count. In the others, adding a key that may be there changes nothing.
  [[nodiscard]] bool counts() const noexcept;

  /// False means that the key is certainly not in the filter.
  [[nodiscard]] bool may_contain_hash(std::uint64_t key_hash, PageSource& pages) const;
  /// As FilterRef::count_hash. Errors: kUnsupported for a kind that cannot count.
  [[nodiscard]] Result<std::uint64_t> count_hash(std::uint64_t key_hash, PageSource& pages) const;
  /// Adds a key, and tells whether it was certainly absent. A key that may be there is left alone where the kind cannot
  /// count, or if `only_if_absent` says so; then no page is asked for to be changed. Errors: kFull, of growing alone,
  /// with nothing changed.
  Result<bool> add_hash(std::uint64_t key_hash, PageSource& pages, bool only_if_absent = false) const;
  /// Takes back one addition of a key, and tells how often it was there before, as count_hash. Errors: kUnsupported;
  /// kNotFound, with no page changed, when the key is certainly not in the filter. The warning at AnyFilter::remove
  /// holds here, too.
  Result<std::uint64_t> remove_hash(std::uint64_t key_hash, PageSource& pages) const;

  // The next functions are about a growing filter. When a page is crowded,
  // 1. with_a_page_more() is the filter to be, of which write_half() writes the new_page();
  // 2. from then on everybody asks this filter; and
  // 3. write_half() writes its split_page(), which is shorter now.
  // If only the first two happened, the page that was split is read as if the third had.
  [[nodiscard]] bool grows() const noexcept;
  /// Whether the page of a key has so many that the filter should have a page more.
  [[nodiscard]] bool is_crowded(std::uint64_t key_hash, PageSource& pages) const;
  [[nodiscard]] PagedFilter with_a_page_more() const noexcept;
  [[nodiscard]] std::uint64_t new_page() const noexcept { return pages() - 1; }
  [[nodiscard]] std::uint64_t split_page() const noexcept;
  /// Writes what belongs to a page of what is stored as page `from`, and tells how many keys this is.
  std::uint64_t write_half(std::uint64_t page, std::uint64_t from, PageSource& pages) const;
  /// Whether the third step is missing for a page.
  [[nodiscard]] bool is_behind(std::uint64_t page, const std::byte* bytes) const noexcept;
  /// Whether stored bytes can be this page's.
  [[nodiscard]] bool is_sound(std::uint64_t page, const std::byte* bytes) const noexcept;
  /// How full it is, of a page that is_sound(): its share of the whole filter's rate is current_fp_rate, and bits are
  /// those of its slots.
  [[nodiscard]] Stats page_stats(std::uint64_t page, const std::byte* bytes) const;

  /// Adds every key of the same page of another filter of this shape. Both are bytes_of(page) bytes. The kind must be
  /// one that can unite (KindInfo::can) and has blocks.
  void unite_page(std::uint64_t page, std::byte* into, const std::byte* other) const;

 private:
  PagedFilter(const Shape& shape, std::uint64_t payload_bytes, std::size_t page_bytes) noexcept
      : shape_(shape), payload_bytes_(payload_bytes), page_bytes_(page_bytes) {}

  Shape shape_;
  std::uint64_t payload_bytes_;
  std::size_t page_bytes_;
};

}  // namespace crivo

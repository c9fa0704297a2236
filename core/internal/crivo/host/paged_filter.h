// A filter whose payload lies in pages that are read and written one by one, such as rows of a database table: nobody
// holds the payload as a whole, and what a key costs does not depend on the filter's size.
//
// The pages, put one after the other, are the payload that docs/format.md describes. A key of a kind with blocks lies
// in one page, whereas the k positions of a key of the kinds `classic` and `spectral` lie in up to k pages.
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
  /// for a kind whose payload cannot be used piece by piece (it must be blocked, classic, counting or spectral);
  /// kCorrupt for a shape that is not allowed; kBadArgument if page_bytes is 0 or no multiple of granularity(kind).
  [[nodiscard]] static Result<PagedFilter> open(const Shape& shape, std::size_t page_bytes);

  /// The shape of a filter of this spec; no memory is taken for it, so its size has no limit but that of its kind.
  /// Errors: kBadArgument naming the field.
  [[nodiscard]] static Result<Shape> plan(const FilterSpec& spec);

  /// What page_bytes must be a multiple of: the bytes of a block (64 for blocked, 256 for counting), or of a word (8).
  /// 0 for a kind that cannot be paged.
  [[nodiscard]] static std::size_t granularity(Kind kind) noexcept;

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
  /// count, or if `only_if_absent` says so; then no page is asked for to be changed.
  bool add_hash(std::uint64_t key_hash, PageSource& pages, bool only_if_absent = false) const;
  /// Takes back one addition of a key, and tells how often it was there before, as count_hash. Errors: kUnsupported;
  /// kNotFound, with no page changed, when the key is certainly not in the filter. The warning at AnyFilter::remove
  /// holds here, too.
  Result<std::uint64_t> remove_hash(std::uint64_t key_hash, PageSource& pages) const;

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

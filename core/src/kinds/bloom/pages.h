// The paging of `blocked`, `counting`, `classic` and `spectral` (kinds/paging.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/math128.h"
#include "kinds/bloom/counter_array.h"
#include "kinds/bloom/positions.h"
#include "kinds/kind.h"

namespace crivo {

/// A position in the payload: a page, and an offset in the page.
struct PagePlace {
  std::uint64_t page;
  std::size_t offset;
  PagePlace(std::uint64_t byte, std::size_t page_bytes) noexcept
      : page(byte / page_bytes), offset(static_cast<std::size_t>(byte % page_bytes)) {}
};

/// A key of a kind with blocks. Its functions treat the key's block as a filter of one block. This works because the
/// positions in a block do not depend on the number of blocks.
template <class K>
class KeyBlock {
 public:
  static std::size_t granularity(const Shape&) noexcept { return K::kBytesOfBlock; }

  KeyBlock(const PageLayout& layout, std::uint64_t hash) noexcept
      : shape_(layout.shape),
        hash_(hash),
        place_(mulhi(hash, layout.shape.units) * K::kBytesOfBlock, layout.page_bytes) {
    shape_.units = 1;
  }

  [[nodiscard]] std::uint64_t page() const noexcept { return place_.page; }
  [[nodiscard]] bool contains(PageSource& pages) const { return is_in(pages.read(place_.page)); }
  [[nodiscard]] std::uint64_t count(PageSource& pages) const requires requires { &K::count; }
  {
    const Page* page = pages.read(place_.page);
    return page != nullptr ? K::count(view(*page), hash_) : 0;
  }
  Result<Added> add(PageSource& pages, bool only_if_absent) const {
    constexpr bool kCounts = requires { &K::count; };
    const bool is_new = !contains(pages);
    if (!is_new && (only_if_absent || !kCounts)) return Added{};
    std::uint64_t added = 0;
    const Result<Page*> page = change(pages, [&](Store store) { return K::add(store, {&hash_, 1}, added); });
    if (!page.has_value()) return page.error();
    ++(*page)->keys;
    return Added{.is_new = is_new, .fills = is_new};
  }
  Result<std::uint64_t> remove(PageSource& pages) const requires requires { &K::remove; }
  {
    const std::uint64_t before = count(pages);
    const Result<Page*> page = change(pages, [&](Store store) { return K::remove(store, hash_); });
    if (!page.has_value()) return page.error();
    if ((*page)->keys != 0) --(*page)->keys;
    return before;
  }

  static void unite(const PageLayout& layout, std::uint64_t page, std::byte* into, const std::byte* other) {
    Shape shape = layout.shape;
    const std::size_t bytes = layout.bytes_of(page);
    shape.units = bytes / K::kBytesOfBlock;
    AlignedBytes united(into, into + bytes);
    K::unite({shape, united}, View{shape, other, bytes});
    std::ranges::copy(united, into);
  }

 private:
  [[nodiscard]] View view(const Page& page) const noexcept {
    return {shape_, page.bytes + place_.offset, K::kBytesOfBlock};
  }
  [[nodiscard]] bool is_in(const Page* page) const noexcept {
    return page != nullptr && K::probe(shape_).contains(view(*page), hash_);
  }
  /// Applies `change(store)` to a copy of the block. Writes the copy and returns its page if the change succeeded.
  template <class Change>
  Result<Page*> change(PageSource& pages, const Change& change) const {
    const Page* page = pages.read(place_.page);
    pages.buffer.assign(K::kBytesOfBlock, std::byte{0});
    if (page != nullptr) std::copy_n(page->bytes + place_.offset, K::kBytesOfBlock, pages.buffer.begin());
    Shape shape = shape_;
    if (Result<void> changed = change(Store{shape, pages.buffer}); !changed) return changed.error();
    Page& written = pages.write(place_.page);
    std::ranges::copy(pages.buffer, written.bytes + place_.offset);
    return &written;
  }

  Shape shape_;
  std::uint64_t hash_;
  PagePlace place_;
};

/// A key of a kind with k positions. The key's counters are in up to k pages. A bit is a 1-bit counter.
template <class K>
class KeyCounters {
 public:
  static std::size_t granularity(const Shape&) noexcept { return sizeof(std::uint64_t); }

  KeyCounters(const PageLayout& layout, std::uint64_t hash) noexcept
      : layout_(layout), width_(K::position_bits(layout.shape)), hash_(hash) {}

  /// The page of the first counter. Page::keys counts the key in this page.
  [[nodiscard]] std::uint64_t page() const noexcept {
    return CounterPlace(mulhi(hash_, layout_.shape.units), width_).byte / layout_.page_bytes;
  }
  [[nodiscard]] bool contains(PageSource& pages) const { return smallest(pages) != 0; }
  [[nodiscard]] std::uint64_t count(PageSource& pages) const requires requires { &K::count; }
  { return smallest(pages); }
  Result<Added> add(PageSource& pages, bool only_if_absent) const {
    constexpr bool kCounts = requires { &K::count; };
    const std::uint64_t smallest = this->smallest(pages);
    const bool is_new = smallest == 0;
    if (!is_new && (only_if_absent || !kCounts)) return Added{};
    raise_smallest(
        layout_.shape, width_, hash_, smallest, 1, [&](const CounterPlace& counter) { return load(counter, pages); },
        [&](const CounterPlace& counter, std::uint64_t by) {
          const PagePlace place(counter.byte, layout_.page_bytes);
          counter.raise(pages.write(place.page).bytes + place.offset, by);
        });
    ++pages.write(page()).keys;
    return Added{.is_new = is_new, .fills = is_new};
  }

 private:
  [[nodiscard]] std::uint64_t smallest(PageSource& pages) const {
    return smallest_counter(layout_.shape, width_, hash_,
                            [&](const CounterPlace& counter) { return load(counter, pages); });
  }
  [[nodiscard]] std::uint64_t load(const CounterPlace& counter, PageSource& pages) const {
    const PagePlace place(counter.byte, layout_.page_bytes);
    const Page* page = pages.read(place.page);
    return page != nullptr ? counter.load(page->bytes + place.offset, width_) : 0;
  }

  const PageLayout& layout_;
  unsigned width_;
  std::uint64_t hash_;
};

template <class Key>
inline constexpr Paging kPagingOf = make_paging<Key>();

}  // namespace crivo

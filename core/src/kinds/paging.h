// A kind's functions for a payload in pages; KindRow::paging points to them. PagedFilter (crivo/host/paged_filter.h)
// documents most of them.
//
// To support pages, a kind defines a class Key, constructed from (layout, hash); make_paging<Key>() makes its Paging.
// The members page(), contains(pages), add(pages, only_if_absent), count(pages) and remove(pages) are for that key. All
// other members are static.
#pragma once

#include "crivo/host/page_source.h"
#include "crivo/result.h"
#include "crivo/types.h"

namespace crivo {

struct Store;

struct Paging {
  /// The size of a page must be a multiple of this number, which may be 0 for an invalid parameter of the shape.
  std::size_t (*granularity)(const Shape&) noexcept;
  std::uint64_t (*page_of)(const PageLayout&, std::uint64_t hash) noexcept;
  bool (*contains)(const PageLayout&, std::uint64_t hash, PageSource&);
  Result<Added> (*add)(const PageLayout&, std::uint64_t hash, PageSource&, bool only_if_absent);

  // The next functions are null for a kind that does not support them.
  std::uint64_t (*count)(const PageLayout&, std::uint64_t hash, PageSource&);
  Result<std::uint64_t> (*remove)(const PageLayout&, std::uint64_t hash, PageSource&);
  void (*unite)(const PageLayout&, std::uint64_t page, std::byte* into, const std::byte* other);
  /// Null for a kind whose idle pages (PagedFilter::is_idle) are exactly the pages of zeros.
  bool (*is_idle)(const PageLayout&, const Page&) noexcept;

  // The next functions are null for a kind whose concatenated pages are the payload.
  std::uint64_t (*bytes)(const Shape&) noexcept;  // of all pages
  /// Copies a page into a payload that KindRow::start has initialized.
  void (*put)(const PageLayout&, std::uint64_t page, const Page&, Store);

  // The next functions are null for a kind that does not grow. A kind that grows has `units` pages of granularity()
  // bytes.
  void (*split)(const PageLayout&, PageSource&);
  bool (*is_sound)(const PageLayout&, std::uint64_t page, const std::byte* bytes) noexcept;
  Stats (*page_stats)(const PageLayout&, std::uint64_t page, const std::byte* bytes);
  /// The number of cells of a page, and the shape of a payload for the cells of all pages.
  std::uint64_t (*cells)(const PageLayout&, std::uint64_t page, const std::byte* bytes);
  Shape (*payload_shape)(const PageLayout&, std::uint64_t cells);

  [[nodiscard]] bool is_payload() const noexcept { return put == nullptr; }
};

template <class Key>
constexpr Paging make_paging() {
  Paging made{};
  made.granularity = &Key::granularity;
  made.page_of = [](const PageLayout& layout, std::uint64_t hash) noexcept { return Key(layout, hash).page(); };
  made.contains = [](const PageLayout& layout, std::uint64_t hash, PageSource& pages) {
    return Key(layout, hash).contains(pages);
  };
  made.add = [](const PageLayout& layout, std::uint64_t hash, PageSource& pages, bool only_if_absent) {
    return Key(layout, hash).add(pages, only_if_absent);
  };
  if constexpr (requires(Key key, PageSource & pages) { key.count(pages); }) {
    made.count = [](const PageLayout& layout, std::uint64_t hash, PageSource& pages) {
      return Key(layout, hash).count(pages);
    };
  }
  if constexpr (requires(Key key, PageSource & pages) { key.remove(pages); }) {
    made.remove = [](const PageLayout& layout, std::uint64_t hash, PageSource& pages) {
      return Key(layout, hash).remove(pages);
    };
  }
  if constexpr (requires { &Key::unite; }) made.unite = &Key::unite;
  if constexpr (requires { &Key::is_idle; }) made.is_idle = &Key::is_idle;
  if constexpr (requires { &Key::put; }) {
    made.bytes = &Key::bytes;
    made.put = &Key::put;
  }
  if constexpr (requires { &Key::split; }) {
    made.split = &Key::split;
    made.is_sound = &Key::is_sound;
    made.page_stats = &Key::page_stats;
    made.cells = &Key::cells;
    made.payload_shape = &Key::payload_shape;
  }
  return made;
}

}  // namespace crivo

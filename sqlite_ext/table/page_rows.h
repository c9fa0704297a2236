// The pages of one filter as rows of _pages: where a PagedFilter gets its pages from during one operation.
//
// A row is 24 bytes in front of the page's bytes: the XXH3-64 of all that follows (its seed is the row's number + 1),
// the page's keys and its generation (8 bytes each, little-endian). A filter's page of zeros may have no row. The
// checksum is there because a bit that a disk turned from 1 to 0 would lose keys unnoticed. docs/format.md, "Filter
// tables".
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "crivo/filter.h"
#include "crivo/host/paged_filter.h"
#include "crivo/memory.h"
#include "table/shadow_tables.h"
#include "table/state.h"

namespace crivo::sqlite {

/// A page and its row in memory.
struct PageRow {
  std::vector<std::byte> bytes;  // of the row, with the zeros at its end that a growing filter does not store
  Page page;                     // in these bytes; its keys and generation are written when the row is stored
  bool is_new = false;           // the table has no such row
  bool is_changed = false;

  /// Makes the row of a page of zeros.
  void clear(std::size_t page_bytes);
  /// Reads and checks the row with this number, of this page. Throws HostError (SQLITE_CORRUPT_VTAB) naming the row.
  void load(std::span<const std::byte> stored, std::int64_t number, const PagedFilter& filter, std::uint64_t page);
};

/// Whether a page has more keys than its share of the capacity. Keys do not spread evenly, so a filter of several pages
/// allows each six standard deviations more: of 10^5 pages that have their share on average, none is over-full by
/// chance (a probability of 10^-4). The kind must not grow.
[[nodiscard]] bool is_over_full(const PagedFilter& filter, std::uint64_t capacity, std::uint64_t number,
                                const Page& page);
/// Some blocks of a filter of this shape, or counters of one, as a filter of their own. Borrows the bytes.
[[nodiscard]] FilterRef part_of(Shape shape, std::span<const std::byte> bytes);

using PageRowMap = std::map<std::uint64_t, PageRow>;  // by their pages

/// Memory that one operation's PageRows hands on to the next one's, to spare allocations for each key.
struct SpareRows {
  AlignedBytes buffer;
  PageRowMap rows;
};

/// Rows are read once, and changes lie in memory until store() is called; if it is not called, nothing has happened.
/// Throws HostError.
class PageRows final : public PageSource {
 public:
  /// Reads and writes the rows with numbers from `first` on. Borrows all arguments.
  PageRows(ShadowTables& tables, SpareRows& spare, const PagedFilter& filter, std::int64_t first);
  ~PageRows() override;

  const Page* read(std::uint64_t page) override;
  Page& write(std::uint64_t page) override;

  /// The bytes of the rows in memory.
  [[nodiscard]] std::size_t bytes() const noexcept { return rows_.size() * (kRowHeaderBytes + filter_.bytes_of(0)); }
  /// Writes the row of a page, or of all pages, if it was changed.
  void store(std::uint64_t page);
  void store();

 private:
  PageRow& row(std::uint64_t page);
  void store(std::uint64_t page, PageRow& row);

  ShadowTables& tables_;
  SpareRows& spare_;
  const PagedFilter& filter_;
  std::int64_t first_;
  PageRowMap rows_;
  // Most calls ask for the page that was asked for last.
  std::uint64_t last_page_ = 0;
  PageRow* last_ = nullptr;
};

}  // namespace crivo::sqlite

// The pages of one filter as rows of _pages: the page source of a PagedFilter during one operation.
//
// A row is a 24-byte header and the page's bytes (in a growing table, without trailing zeros). The header is a
// checksum, the page's number of keys, and the page's generation (8 bytes each, little-endian). The checksum is the
// XXH3-64 of all bytes after the checksum (seed: the row's number + 1). Without it, a bit that the disk flips from 1 to
// 0 would lose keys. A page without keys may have no row. See docs/format.md, "Filter tables".
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
  std::vector<std::byte> bytes;  // the row, including the trailing zeros that a growing filter does not store
  Page page;                     // points into `bytes`; store() writes its keys and generation to the row's header
  bool is_new = false;           // _pages has no such row yet
  bool is_changed = false;

  /// Initializes the row of a page of zeros.
  void clear(std::size_t page_bytes);
  /// Reads and validates the row of a page. Throws HostError (SQLITE_CORRUPT_VTAB) naming the row by its `number`.
  void load(std::span<const std::byte> stored, std::int64_t number, const PagedFilter& filter, std::uint64_t page);
};

/// Whether a page is fuller than its share of the capacity allows. Keys spread unevenly, so a page may exceed its share
/// by six standard deviations. A filter of a single page has no such allowance, unless its kind counts. At capacity,
/// the probability that any of 10^5 pages is over-full is 10^-4. The kind must not grow.
[[nodiscard]] bool is_over_full(const PagedFilter& filter, std::uint64_t capacity, std::uint64_t number,
                                const Page& page);
/// A range of blocks, or of counters, of a filter of this shape, as a separate filter. Borrows the bytes.
[[nodiscard]] FilterRef sub_filter(Shape shape, std::span<const std::byte> bytes);

using PageRowMap = std::map<std::uint64_t, PageRow>;  // by page number

/// Memory that PageRows reuses from one operation to the next, to avoid allocations for each key.
struct SpareRows {
  AlignedBytes buffer;
  PageRowMap rows;
};

/// Reads each row once, and buffers changes until store(). Without store(), the tables do not change. Throws HostError.
class PageRows final : public PageSource {
 public:
  /// `first` is the number of the row of page 0. Borrows all arguments.
  PageRows(ShadowTables& tables, SpareRows& spare, const PagedFilter& filter, std::int64_t first);
  ~PageRows() override;

  const Page* read(std::uint64_t page) override;
  Page& write(std::uint64_t page) override;

  /// The bytes of all rows in memory.
  [[nodiscard]] std::size_t bytes() const noexcept { return rows_.size() * (kRowHeaderBytes + filter_.bytes_of(0)); }
  /// Writes the row of one page, or of all pages, if changed.
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
  // The page of the last call; most calls are for the same page.
  std::uint64_t last_page_ = 0;
  PageRow* last_ = nullptr;
};

}  // namespace crivo::sqlite

// The pages of one filter as rows of _pages: where a PagedFilter gets its pages from during one operation.
//
// A row is 24 bytes in front of the page's bytes: the XXH3-64 of all that follows (its seed is the page's number + 1),
// the number of keys added in the page, and a generation, which only a table with a window uses (8 bytes each,
// little-endian). A page of which no bit was ever set has no row. The checksum is there because a bit that a disk
// turned from 1 to 0 would lose keys without a word. docs/format.md, "Filter tables".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "crivo/paged_filter.h"
#include "table/shadow_tables.h"
#include "table/state.h"

namespace crivo::sqlite {

/// A page's row, taken apart.
struct PageRow {
  std::uint64_t keys = 0;
  std::uint64_t generation = 0;
  std::vector<std::byte> page;
};

/// The row of this page as it is stored.
[[nodiscard]] std::vector<std::byte> encode_row(std::int64_t number, const PageRow& row);
/// Checks a stored row that must hold `bytes` bytes of a page. Throws HostError (SQLITE_CORRUPT_VTAB)
/// naming the page.
void check_row(std::int64_t number, std::span<const std::byte> stored, std::size_t bytes);
/// The number of keys in a row that was checked.
[[nodiscard]] std::uint64_t keys_of(std::span<const std::byte> stored) noexcept;
/// The page's bytes in a row that was checked.
[[nodiscard]] std::span<const std::byte> page_of(std::span<const std::byte> stored) noexcept;

/// Changes lie in memory until store() is called; if it is not called, nothing has happened. Throws HostError.
class PageRows : public PageSource {
 public:
  /// Reads and writes the rows with numbers from `first` on. Borrows both arguments.
  PageRows(ShadowTables& tables, const PagedFilter& filter, std::int64_t first)
      : tables_(tables), filter_(filter), first_(first) {}

  const std::byte* read(std::uint64_t page) override;
  std::byte* write(std::uint64_t page) override;

  /// The number of keys in a page.
  [[nodiscard]] std::uint64_t keys(std::uint64_t page);
  /// Changes the number of keys of a page; it stops at 0.
  void count_keys(std::uint64_t page, std::int64_t difference);

  /// Writes the pages that were changed.
  void store();

 private:
  struct Changed {
    bool is_new;
    PageRow row;
  };

  /// The stored row of a page, checked; no bytes if there is none. Valid until the next call of any function.
  std::span<const std::byte> stored(std::uint64_t page);
  Changed& changed(std::uint64_t page);
  [[nodiscard]] std::int64_t number_of(std::uint64_t page) const noexcept {
    return first_ + static_cast<std::int64_t>(page);
  }

  ShadowTables& tables_;
  const PagedFilter& filter_;
  std::int64_t first_;
  std::optional<Use> reading_;  // keeps the row in place that was read last
  std::uint64_t reading_page_ = 0;
  std::span<const std::byte> read_row_;
  std::map<std::uint64_t, Changed> changed_;
};

}  // namespace crivo::sqlite

// The pages of one filter, or sketch, as rows of _pages: where a PagedFilter gets its pages from during one operation.
//
// A row is 24 bytes in front of the page's bytes: the XXH3-64 of all that follows (its seed is the row's number + 1),
// the number of keys added in the page, and a generation (8 bytes each, little-endian). A filter's page of zeros may
// have no row. The checksum is there because a bit that a disk turned from 1 to 0 would lose keys unnoticed.
// docs/format.md, "Filter tables".
//
// In a table with a window a row has the page once for each pane that is kept, one after the other: generation g lies
// in number g mod their count. The row's generation is that of its newest pane. A row that was not written for a while
// still has panes that are too old by now. They are left out when it is read, and become zeros when it is written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "crivo/filter.h"
#include "crivo/host/paged_filter.h"
#include "crivo/memory.h"
#include "table/shadow_tables.h"
#include "table/state.h"

namespace crivo::sqlite {

/// The panes that a table keeps. A table without a window has one, which never grows old.
struct Panes {
  std::uint32_t count = 1;
  std::uint64_t newest = 0;  // the generation of the newest pane, now

  /// The place in its row of a pane.
  [[nodiscard]] std::size_t place(std::uint64_t generation) const noexcept {
    return static_cast<std::size_t>(generation % count);
  }
  /// The oldest generation that is kept.
  [[nodiscard]] std::uint64_t oldest() const noexcept { return newest < count ? 0 : newest - count + 1; }
};

/// Throws the error of a growing table's page that is at a higher level than its state says.
[[noreturn]] void refuse_level(std::int64_t number);
/// Checks a stored row that must hold `bytes` bytes of a page for each pane; of a page that `may_be_shorter`, those
/// behind its last byte that is not 0 may be missing. Throws HostError (SQLITE_CORRUPT_VTAB) naming the page.
void check_row(std::int64_t number, std::span<const std::byte> row, std::size_t bytes, const Panes& panes,
               bool may_be_shorter = false);
/// The number of keys in a row that was checked.
[[nodiscard]] std::uint64_t keys_of(std::span<const std::byte> row) noexcept;
/// The generation of a row that was checked.
[[nodiscard]] std::uint64_t generation_of(std::span<const std::byte> row) noexcept;
/// The payload in a row that was checked, of all panes.
[[nodiscard]] std::span<const std::byte> payload_of(std::span<const std::byte> row) noexcept;

/// A page of a kind that does not grow, as a filter of its own. Borrows the bytes.
[[nodiscard]] FilterRef page_filter(const PagedFilter& filter, std::span<const std::byte> page);
/// Whether a page of a kind that does not grow has more keys than its share of the capacity. Keys do not spread
/// evenly, so a filter of several pages allows each six standard deviations more: of 10^5 pages that have their share
/// on average, none is over-full by chance (a probability of 10^-4).
[[nodiscard]] bool is_over_full(const PagedFilter& filter, std::uint64_t capacity, std::uint64_t keys,
                                std::span<const std::byte> page);

/// A page's row in memory.
struct KeptRow {
  bool is_new = false;  // there is none in the table
  bool is_changed = false;
  std::vector<std::byte> bytes;
};
using KeptRows = std::map<std::uint64_t, KeptRow>;  // by their pages

/// The bytes of a page of a growing table, with the zeros at its end, from its row that was checked.
[[nodiscard]] std::vector<std::byte> whole_page(const PagedFilter& filter, std::uint64_t page,
                                                std::span<const std::byte> row);

/// Memory that one operation's PageRows hands on to the next one's, to spare allocations for each key.
struct SpareRows {
  AlignedBytes room;
  KeptRows rows;

  /// Makes the row of a page among those that are kept, which must not be there; its content is left over.
  KeptRow& give(KeptRows& kept, std::uint64_t page);
  /// Takes all rows, unless they are too many.
  void take(KeptRows& kept) noexcept;
};

/// Changes lie in memory until store() is called; if it is not called, nothing has happened. Throws HostError.
class PageRows : public PageSource {
 public:
  ~PageRows() override;

  const std::byte* read(std::uint64_t page) override;
  std::byte* write(std::uint64_t page) override;

  /// The number of keys in a page.
  [[nodiscard]] std::uint64_t keys(std::uint64_t page);
  /// Changes the number of keys of a page, modulo 2^64.
  void count_keys(std::uint64_t page, std::int64_t difference);

  /// The bytes of the pages that are kept in memory until they are stored.
  [[nodiscard]] std::size_t kept_bytes() const noexcept;
  /// Lets go of the row that was read last, so that another object may read rows of the same table.
  void release();
  /// Writes the pages that were changed.
  void store();

 protected:
  /// Reads and writes the rows with numbers from `first` on, in the newest pane. Borrows all but the panes.
  PageRows(ShadowTables& tables, SpareRows& spare, std::int64_t first, const Panes& panes);

  [[nodiscard]] std::int64_t number_of(std::uint64_t page) const noexcept {
    return first_ + static_cast<std::int64_t>(page);
  }

  Panes panes_;
  std::uint64_t generation_;  // of the pane that is read and written
  bool keeps_read_ = false;   // an addition comes back to the pages of which it has read one position

 private:
  static constexpr std::uint64_t kNoPage = UINT64_MAX;

  /// The bytes of a page, of each pane.
  [[nodiscard]] virtual std::size_t bytes_of(std::uint64_t page) const noexcept = 0;
  /// Whether zeros at a page's end are not stored.
  [[nodiscard]] virtual bool may_be_shorter() const noexcept { return false; }
  /// Throws HostError for a page that is of the right size and checksum, and still cannot be.
  virtual void check_page(std::uint64_t /*page*/, const std::byte* /*bytes*/) const {}

  /// The row of a page, changed or as it is stored; no bytes if there is none. Valid until another page is asked for.
  std::span<const std::byte> row(std::uint64_t page);
  /// The row of a page to be changed, brought to the present: its panes that are too old become zeros.
  std::span<std::byte> changed(std::uint64_t page);
  /// Keeps the row that was read last in memory, as it is.
  void keep();
  void age(std::span<std::byte> row, std::size_t bytes) const;
  [[nodiscard]] std::size_t offset(std::uint64_t page) const noexcept {
    return kRowHeaderBytes + panes_.place(generation_) * bytes_of(page);
  }

  ShadowTables& tables_;
  SpareRows& spare_;
  std::int64_t first_;
  KeptRows kept_;
  // What most calls ask for is the page that was asked for last.
  std::uint64_t page_ = kNoPage;
  std::span<const std::byte> row_;
  KeptRow* kept_row_ = nullptr;  // of this page, if it is kept
  std::optional<Use> reading_;   // keeps the row in place that was read last
};

/// The rows of a filter.
class FilterRows final : public PageRows {
 public:
  FilterRows(ShadowTables& tables, SpareRows& spare, const PagedFilter& filter, std::int64_t first, const Panes& panes)
      : PageRows(tables, spare, first, panes), filter_(filter) {}

  /// Whether the filter may contain a key, in any pane that is kept.
  [[nodiscard]] bool contain(std::uint64_t hash);
  /// As PagedFilter::add_hash and remove_hash, in the newest pane; the page's number of keys changes with them. Throws
  /// SqlError where a key has no room.
  bool add(std::uint64_t hash, bool only_if_absent);
  Result<std::uint64_t> remove(std::uint64_t hash);
  /// As PagedFilter::write_half, with the page's number of keys.
  void write_half(std::uint64_t page, std::uint64_t from);

 private:
  /// Writes the page of a key that is at a lower level than it should be, which only a growing filter has.
  void catch_up(std::uint64_t hash);
  [[nodiscard]] std::size_t bytes_of(std::uint64_t page) const noexcept override { return filter_.bytes_of(page); }
  [[nodiscard]] bool may_be_shorter() const noexcept override { return filter_.grows(); }
  void check_page(std::uint64_t page, const std::byte* bytes) const override;

  const PagedFilter& filter_;
};

}  // namespace crivo::sqlite

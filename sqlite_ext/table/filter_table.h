// The operations on a filter table. docs/design.md, "Filters as tables".
//
// What holds between two operations, after each commit and each error (the tests cite these):
// T1. A key that was added, and not removed or forgotten, is found.
// T2. The tables _meta and _pages are all there is. Each operation compares what the connection has cached with them,
//     so nobody has to report commits, rollbacks and other connections.
// T3. A row of _pages lies in a layer, has the size of its page, and the checksum of its bytes; else a question that
//     needs it, or 'check', is an error.
// T4. A page without a row has no key. A row may have no key.
// Inside BEGIN SQLite does not take back every statement that fails. So each operation changes rows in an order in
// which T1 holds at each moment.
//
// Without a window:
// P1. No page of a layer of a scalable table has more keys than its share, and only the newest layer takes keys.
// P2. Until a table with a source has all its new keys, it has its old ones, in the other half of the page numbers.
//
// With a window of time (crivo/host/window.h):
// W1. A key is found for a window at least from when it was added last, and for one pane more at most.
// W2. No row is of a later generation than the state, so that a clock that goes backwards loses nothing.
// W3. The generation of the state never falls but by 'clear'.
//
// With a source (follow.h):
// F1. While the table follows, every value of the column is found, also in the middle of a statement.
// F2. The table follows as long as its triggers and its seal (source.h, seal.h) show two things: since the table was
//     filled nobody dropped a trigger, and nobody changed the column's definition. Once it no longer follows, every
//     question is an error that would have been answered with "no".
// F3. Only the triggers and 'rebuild' add keys to the table or take them away. What a row gets is added before the row
//     is written, and what it had is taken away afterwards, once, and only if it was certainly this row that had it.
// F4. A table is filled, and its triggers are made, only by a statement that does nothing else. So no other statement
//     has changed a part of the column's rows at that time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crivo/blob.h"
#include "table/page_rows.h"
#include "table/shadow_tables.h"
#include "table/state.h"

namespace crivo::sqlite {

/// What a connection caches of a filter table between two operations. Borrows the shadow tables.
struct FilterTable {
  /// `row` is the row of _meta that has the state: kStateRow or kNextStateRow.
  explicit FilterTable(ShadowTables& tables, std::string_view row = kStateRow) : shadow(tables), state_row(row) {}

  ShadowTables& shadow;
  std::string_view state_row;
  std::optional<std::string> text;   // of the state, as it was read last
  TableState state;                  // parsed from the text
  std::vector<PagedFilter> filters;  // of the layers, oldest first
  SpareRows spare;
  bool has_warned = false;  // that the table is over-full
};

/// Makes the shadow tables of a new table; the text names its source, if it has one.
void create_table(ShadowTables& shadow, const TableSpec& spec, std::string_view source = {});

/// One operation on a filter table. It reads the state once, when it begins. All functions throw HostError, SqlError or
/// std::bad_alloc.
class Operation {
 public:
  /// One operation at a time may use a table.
  explicit Operation(FilterTable& table);
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  [[nodiscard]] const TableState& state() const noexcept { return table_.state; }
  [[nodiscard]] ShadowTables& shadow() const noexcept { return table_.shadow; }

  /// The hash of a key if the table may contain it; no value if the key is certainly absent.
  [[nodiscard]] std::optional<std::uint64_t> find(std::string_view key);
  /// How often the key of this hash was added; no value for a kind that does not count.
  [[nodiscard]] std::optional<std::uint64_t> count(std::uint64_t hash);

  /// Adds a key to a table without a source. Returns whether the key was certainly absent. `only_if_absent`: a key that
  /// may be there is left alone, except where keys can be removed. (Where additions are not counted this makes no
  /// difference. In a table with a window a key that is there is added all the same, so that it stays for a whole
  /// window from now on.)
  bool add(std::string_view key, bool only_if_absent);
  /// Takes back one addition of the key of a row: its rowid is the hash. For a table without a source.
  void remove_row(std::uint64_t rowid);
  /// As add, also for a table with a source, and only_if_absent holds for every kind.
  bool add_hash(std::uint64_t hash, bool only_if_absent);
  /// Takes back one addition. Returns how often the key was there. Errors: those of PagedFilter::remove_hash.
  Result<std::uint64_t> remove_hash(std::uint64_t hash);
  /// Adds many keys to a table without a window, and sorts their hashes to write each page once.
  void add_hashes(std::span<std::uint64_t> hashes);
  /// Replaces all keys of a table with a source by those that `fill` adds to an empty table in its place. Until all is
  /// done, and if anything fails, the table has the old keys.
  void replace(std::uint64_t capacity, const std::function<void(Operation& fresh)>& fill);

  /// Forgets every key, and sets the clock of a window anew.
  void clear();
  /// Sets the clock of a window where it is manual. It never goes back.
  void advance(sqlite3_value* time);
  /// Adds every key of a filter of the same shape, where there is no window.
  void merge(const FilterRef& other);
  /// Checks every page, and drops those without a set bit, or of which all keys are older than the window.
  void drop_idle_pages();
  /// Checks every stored row. Throws SqlError naming the first that is damaged.
  void check();

  /// The filter of a layer, oldest first.
  [[nodiscard]] const PagedFilter& filter(std::size_t layer) const noexcept { return table_.filters[layer]; }
  using PageVisitor = std::function<void(std::uint64_t page, const Page& stored, std::size_t row_bytes)>;
  /// Visits the stored rows of a layer, checked, in the order of their pages. Throws SqlError.
  void visit_layer(std::size_t layer, const PageVisitor& visit);

 private:
  static constexpr std::size_t kLayersPerHalf = 64;

  /// Reads the state unless the cached one is that of the table.
  void read_state();
  /// Sets the newest generation of a window: a pane has passed, whether or not anybody has written so.
  void set_generation();
  void save(const TableState& state);
  void require_no_source(std::string_view what) const;
  /// Adds a key to the newest layer, of which these are the rows; no value if the layer is full.
  [[nodiscard]] std::optional<Added> add_to_newest(PageRows& rows, std::uint64_t hash, bool only_if_absent);
  /// Throws SqlError, or logs a warning, if the page of a key that is new has too many keys.
  void watch_capacity(PageRows& rows, std::uint64_t page);
  [[nodiscard]] bool is_full(PageRows& rows, std::uint64_t page) const;
  void open_layer();
  /// Gives a growing table one page more.
  void split_page();

  [[nodiscard]] std::int64_t first_page(std::size_t layer) const noexcept { return first_page(layer, state().half); }
  /// Asks the first `layers` layers.
  [[nodiscard]] bool layers_contain(std::uint64_t hash, std::size_t layers);
  [[nodiscard]] PageRows rows_of(std::size_t layer) {
    return {shadow(), table_.spare, filter(layer), first_page(layer)};
  }
  [[nodiscard]] std::size_t newest_layer() const noexcept { return table_.filters.size() - 1; }
  void erase_half(unsigned half) { shadow().erase_pages(first_page(0, half), last_page(kLayersPerHalf - 1, half)); }

  /// The number of a layer's first page. No layer has as many pages as lie between two of these.
  static std::int64_t first_page(std::size_t layer, unsigned half) noexcept {
    return static_cast<std::int64_t>(half * kLayersPerHalf + layer) << 46;
  }
  static std::int64_t last_page(std::size_t layer, unsigned half) noexcept { return first_page(layer + 1, half) - 1; }
  [[nodiscard]] std::int64_t last_page(std::size_t layer) const noexcept { return last_page(layer, state().half); }

  FilterTable& table_;
  Time now_ = 0;  // of a window whose clock is SQLite's
};

}  // namespace crivo::sqlite

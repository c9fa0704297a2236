// The operations on a filter table. See docs/design.md, "Filters as tables".
//
// Invariants between two operations, after each commit and each error (the tests cite these):
// T1. Every key that was added, and not removed or expired, is found.
// T2. The tables _meta and _pages are the only state. Each operation validates the connection's cache against them, so
//     commits, rollbacks and other connections need no notification.
// T3. Each row of _pages fits a page of a layer and has a valid checksum, or was left by a failed split or rebuild.
//     'check' fails for any other row, and so does each query that reads the row.
// T4. A page without a row has no keys. A page with a row may also have no keys.
// Inside BEGIN, SQLite does not roll back every statement that fails. So each operation writes its rows in an order
// that maintains T1 at every step.
//
// Without a window:
// P1. In a scalable table, no page has more keys than its share, and only the newest layer accepts keys.
// P2. A rebuild of a table with a source fills the unused half of the page numbers; the old keys remain until the end.
//
// With a time window (crivo/host/window.h):
// W1. A key is found for at least a window after it was last added, and for at most one pane more.
// W2. No row is of a later generation than the state, so a clock that goes backwards loses no keys.
// W3. Only 'clear' decreases the generation of the state.
//
// With a source (follow.h; docs/sqlite_tables.md lists changes that triggers do not see):
// F1. While the table follows its source, every value of the column is found, even in the middle of a statement.
// F2. The table follows its source as long as its triggers and its seal (source.h, seal.h) prove two things: since the
//     table was filled, no trigger was dropped and the column's definition did not change. Otherwise, a query for a key
//     that is not found fails instead of answering "no".
// F3. Only CREATE, the triggers and 'rebuild' add or remove keys. A new value is found before its row is written. A
//     trigger removes an old value once, after the row is written, and only if the row certainly had the value.
// F4. A table is filled, and its triggers are created, only by a statement that does nothing else. So no other
//     statement is halfway through changing the column.
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
  /// `row` names the row of _meta with the state: kStateRow or kNextStateRow.
  explicit FilterTable(ShadowTables& tables, std::string_view row = kStateRow) : shadow(tables), state_row(row) {}

  ShadowTables& shadow;
  std::string_view state_row;
  std::optional<std::string> text;   // the text of the state, as last read
  TableState state;                  // parsed from `text`
  std::vector<PagedFilter> filters;  // one per layer, oldest first
  SpareRows spare;
  bool has_warned = false;  // the connection has logged that the table is over-full
};

/// Creates the shadow tables of a new table. `source` is the text of the table's source, if the table has one.
void create_table(ShadowTables& shadow, const TableSpec& spec, std::string_view source = {});

/// One operation on a filter table. The constructor reads the state. All functions that are not noexcept throw
/// HostError, SqlError or std::bad_alloc.
class Operation {
 public:
  /// A table allows one operation at a time.
  explicit Operation(FilterTable& table);
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  [[nodiscard]] const TableState& state() const noexcept { return table_.state; }
  [[nodiscard]] ShadowTables& shadow() const noexcept { return table_.shadow; }

  /// Returns the key's hash if the table may contain the key; no value if the key is certainly absent.
  [[nodiscard]] std::optional<std::uint64_t> find(std::string_view key);
  /// The count of the key with this hash (FilterRef::count_hash); no value if the kind does not count.
  [[nodiscard]] std::optional<std::uint64_t> count(std::uint64_t hash);

  /// Adds a key to a table without a source. Returns whether the key was certainly absent. With `only_if_absent`, a key
  /// that may be present is not added again, except in kinds that support removal, and in a window, where the addition
  /// renews the key's time. (So among the kinds of tables, `only_if_absent` matters only for `spectral`.)
  bool add(std::string_view key, bool only_if_absent);
  /// Removes one addition of a row's key; the rowid is the hash. For a table without a source.
  void remove_row(std::uint64_t rowid);
  /// Like add, but also for a table with a source, and `only_if_absent` applies to every kind.
  bool add_hash(std::uint64_t hash, bool only_if_absent);
  /// Removes one addition. Returns the previous count of the key. Errors: those of PagedFilter::remove_hash.
  Result<std::uint64_t> remove_hash(std::uint64_t hash);
  /// Adds many keys to a table without a window. Sorts the hashes by page, so that few pages are written twice.
  void add_hashes(std::span<std::uint64_t> hashes);
  /// In a table with a source, replaces all keys with the keys that `fill` adds to an initially empty table. The old
  /// keys remain until all new keys are stored.
  void replace(std::uint64_t capacity, const std::function<void(Operation& fresh)>& fill);

  /// Removes every key, and resets the clock of a window. For a table without a source.
  void clear();
  /// Advances the manual clock of a window. The clock never goes back.
  void advance(sqlite3_value* time);
  /// Adds all keys of a filter of the same shape. For a blocked or counting table without a window or a source.
  void merge(const FilterRef& other);
  /// Checks every page of the layers. Deletes the pages that have no keys, or whose keys have all expired.
  void drop_idle_pages();
  /// Checks T3. Throws HostError (SQLITE_CORRUPT_VTAB) naming the first damaged row.
  void check();

  /// The filter of a layer; layer 0 is the oldest.
  [[nodiscard]] const PagedFilter& filter(std::size_t layer) const noexcept { return table_.filters[layer]; }
  using PageVisitor = std::function<void(std::uint64_t page, const Page& stored, std::size_t row_bytes)>;
  /// Checks and visits the stored rows of a layer, in page order. Throws HostError (SQLITE_CORRUPT_VTAB) for a damaged
  /// row.
  void visit_layer(std::size_t layer, const PageVisitor& visit);

 private:
  static constexpr std::size_t kLayersPerHalf = 64;

  /// Reads the state unless the cached state is current.
  void read_state();
  /// Sets the filter's newest generation from the clock of a window, even if no row of that generation exists.
  void set_generation();
  void save(const TableState& state);
  void require_no_source(std::string_view what) const;
  /// Adds a key to the newest layer, whose rows are `rows`. No value if the layer is full and does not have the key.
  [[nodiscard]] std::optional<Added> add_to_newest(PageRows& rows, std::uint64_t hash, bool only_if_absent);
  /// If the page of a new key is over-full, throws SqlError (on_full=error), or logs a warning, once per connection.
  void check_capacity(PageRows& rows, std::uint64_t page);
  [[nodiscard]] bool is_full(PageRows& rows, std::uint64_t page) const;
  void open_layer();
  /// Adds a page to a growing table.
  void split_page();

  [[nodiscard]] std::int64_t first_page(std::size_t layer) const noexcept { return first_page(layer, state().half); }
  /// Queries the oldest `layers` layers.
  [[nodiscard]] bool layers_contain(std::uint64_t hash, std::size_t layers);
  [[nodiscard]] PageRows rows_of(std::size_t layer) {
    return {shadow(), table_.spare, filter(layer), first_page(layer)};
  }
  [[nodiscard]] std::size_t newest_layer() const noexcept { return table_.filters.size() - 1; }
  void erase_half(unsigned half) { shadow().erase_pages(first_page(0, half), last_page(kLayersPerHalf - 1, half)); }

  /// The number of a layer's first page. No layer has enough pages to reach the next layer's first page.
  static std::int64_t first_page(std::size_t layer, unsigned half) noexcept {
    return static_cast<std::int64_t>(half * kLayersPerHalf + layer) << 46;
  }
  static std::int64_t last_page(std::size_t layer, unsigned half) noexcept { return first_page(layer + 1, half) - 1; }
  [[nodiscard]] std::int64_t last_page(std::size_t layer) const noexcept { return last_page(layer, state().half); }

  FilterTable& table_;
  Time now_ = 0;  // SQLite's clock; only for a window without a manual clock
};

}  // namespace crivo::sqlite

// A filter table at work: every operation on it, by the hashes of keys. docs/design.md, "Filters as tables".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "crivo/blob.h"
#include "table/page_rows.h"
#include "table/shadow_tables.h"
#include "table/state.h"

namespace crivo::sqlite {

/// What the pages of a table hold.
struct Inventory {
  std::uint64_t keys = 0;                // added, and not removed; of a window: those of all panes
  std::uint64_t pages = 0;               // that are stored
  std::uint64_t row_bytes = 0;           // of their rows
  std::vector<std::uint64_t> pane_keys;  // of a window, newest first: different keys, estimated from the bits
};

/// It keeps prepared statements and the state that was read last, which every operation compares with the stored one.
/// So nothing has to tell it of commits, rollbacks and other connections. One thread at a time may use it. All
/// functions throw HostError, SqlError or std::bad_alloc. What they have changed by then may stay: inside BEGIN SQLite
/// does not take back every statement that fails. So each of them changes rows in an order in which no key is ever
/// missing.
class FilterTable {
 public:
  /// Opens a table whose shadow tables exist, without looking at them yet.
  FilterTable(sqlite3* db, std::string schema, std::string name) : shadow_(db, std::move(schema), std::move(name)) {}

  /// Makes the shadow tables of a new table.
  void create(const TableSpec& spec);
  void drop() { shadow_.drop(); }
  /// Renames the shadow tables. The object cannot be used afterwards for anything but to be destroyed.
  void rename(const std::string& name) { shadow_.rename(name); }

  /// The hash of a key if the table may contain it; no value if the key is certainly absent.
  [[nodiscard]] std::optional<std::uint64_t> find(std::string_view key);
  /// How often the key of this hash was added; no value for a kind that does not count.
  [[nodiscard]] std::optional<std::uint64_t> count(std::uint64_t hash);

  /// Adds a key, and tells whether it was certainly absent. `only_if_absent`: a key that may be there is left alone,
  /// except where keys can be removed. (Where additions are not counted this makes no difference. In a table with a
  /// window a key that is there is added all the same, so that it stays for a whole window from now on.)
  bool add(std::string_view key, bool only_if_absent);
  /// Takes back one addition of the key of this hash.
  void remove(std::uint64_t hash);
  /// Forgets every key, and sets the clock of a window anew.
  void clear();
  /// Sets the clock of a window: to now, or to the time in `time`, if it is not null. It never goes back.
  void advance(sqlite3_value* time);
  /// Adds every key of a filter of the same shape.
  void merge(const FilterRef& other);
  /// Checks every page, and drops those without a set bit, or of which all keys are older than the window.
  void rebuild();
  /// Checks every stored row. Throws SqlError naming the first that is damaged.
  void check();

  /// The filter as one blob's filter. The payload may have at most max_bytes bytes.
  [[nodiscard]] AnyFilter snapshot(std::uint64_t max_bytes);
  /// The same for one pane of a window; age 0 is the newest.
  [[nodiscard]] AnyFilter pane_snapshot(std::uint64_t age, std::uint64_t max_bytes);
  /// The number of pages of all layers, stored or not.
  [[nodiscard]] std::uint64_t pages();
  /// What the stored pages hold.
  [[nodiscard]] Inventory inventory();

  // What a table with a source is changed by, where add, remove, clear and merge are errors.

  /// Adds or takes back a key by its hash, as add and remove do, after state() has been called in the same operation.
  bool add_hash(std::uint64_t hash, bool only_if_absent);
  void remove_hash(std::uint64_t hash);
  /// Adds many keys, and sorts their hashes to write each page once.
  void add_hashes(std::span<std::uint64_t> hashes);
  /// The number of keys that left the source since the filter was last built, and that the filter could not remove.
  [[nodiscard]] std::uint64_t stale();
  void add_stale();
  /// Replaces all keys by those that `fill` adds to an empty table in its place. Until all is done, and if anything
  /// fails, the table has the old keys.
  void replace(std::uint64_t capacity, const std::function<void(FilterTable& fresh)>& fill);
  /// A row of _meta that is not the table's own.
  [[nodiscard]] std::optional<std::string> read_meta(std::string_view row) { return shadow_.read_meta(row); }
  void write_meta(std::string_view row, std::string_view text) { shadow_.write_meta(row, text); }

  [[nodiscard]] const TableState& state();
  /// What the state that was read last says: whether there is a source, and the schema_seen() of its tables.
  [[nodiscard]] bool has_source() const noexcept { return state_.has_source; }
  [[nodiscard]] int schema_seen() const noexcept { return shadow_.schema_seen(); }
  /// Whether a schema may have changed since this was last called.
  [[nodiscard]] bool is_schema_new() noexcept { return std::exchange(schema_, schema_seen()) != schema_seen(); }
  [[nodiscard]] sqlite3* db() const noexcept { return shadow_.db(); }
  [[nodiscard]] const std::string& schema() const noexcept { return shadow_.schema(); }
  [[nodiscard]] const std::string& name() const noexcept { return shadow_.table(); }

 private:
  static constexpr std::size_t kLayersPerHalf = 64;

  /// The number of a layer's first page. No layer has as many pages as lie between two of these.
  static std::int64_t first_page(std::size_t layer, unsigned half) noexcept {
    return static_cast<std::int64_t>(half * kLayersPerHalf + layer) << 46;
  }
  static std::int64_t last_page(std::size_t layer, unsigned half) noexcept { return first_page(layer + 1, half) - 1; }
  [[nodiscard]] std::int64_t first_page(std::size_t layer) const noexcept { return first_page(layer, state_.half); }
  [[nodiscard]] std::int64_t last_page(std::size_t layer) const noexcept { return last_page(layer, state_.half); }
  void erase_half(unsigned half) { shadow_.erase_pages(first_page(0, half), last_page(kLayersPerHalf - 1, half)); }
  /// The panes that are kept now.
  [[nodiscard]] Panes panes();

  void save(const TableState& state);
  /// Asks the first `layers` layers.
  [[nodiscard]] bool layers_contain(std::uint64_t hash, std::size_t layers);
  [[nodiscard]] PageRows rows_of(std::size_t layer) { return {shadow_, filters_[layer], first_page(layer), panes()}; }
  void require_no_source(std::string_view what) const;
  [[nodiscard]] std::optional<bool> add_to_newest(PageRows& rows, std::uint64_t hash, bool only_if_absent) const;
  bool add_to_newest_pane(std::uint64_t hash);
  void raise_generation(std::uint64_t generation);
  [[nodiscard]] std::vector<std::uint64_t> pane_keys();
  [[nodiscard]] bool is_full(PageRows& rows, std::uint64_t page) const;
  void grow();
  using PageVisitor = std::function<void(std::uint64_t page, std::span<const std::byte> row)>;
  /// Visits the stored rows of a layer, checked, in the order of their pages. Throws SqlError.
  void visit_layer(std::size_t layer, const PageVisitor& visit);
  /// Erases the stored rows of a layer, checked, of which `is_idle` is true.
  void erase_pages_if(std::size_t layer, const std::function<bool(std::span<const std::byte> row)>& is_idle);
  [[nodiscard]] std::uint64_t keys_in(std::size_t layer);

  ShadowTables shadow_;
  std::string state_row_ = "state";  // the row of _meta that has the state
  std::optional<std::string> text_;  // the state as it was read last
  TableState state_;
  int schema_ = -1;
  std::vector<PagedFilter> filters_;  // of the layers
};

}  // namespace crivo::sqlite

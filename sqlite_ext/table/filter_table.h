// A filter table at work: every operation on it, by the hashes of keys. docs/design.md, "Filters as tables".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "crivo/blob.h"
#include "table/page_rows.h"
#include "table/shadow_tables.h"
#include "table/state.h"

namespace crivo::sqlite {

/// It keeps prepared statements and the state that was read last, which every operation compares with the stored one.
/// So it needs no word of commits, rollbacks and other connections. One thread at a time may use it. All functions
/// throw HostError, SqlError or std::bad_alloc; SQLite then takes back what the statement has changed.
class FilterTable {
 public:
  /// Opens a table whose shadow tables exist, without looking at them yet.
  FilterTable(sqlite3* db, std::string schema, std::string name) : shadow_(db, std::move(schema), std::move(name)) {}

  /// Makes the shadow tables of a new table.
  void create(const FilterSpec& spec);
  void drop() { shadow_.drop(); }
  /// Renames the shadow tables. The object cannot be used afterwards for anything but to be destroyed.
  void rename(const std::string& name) { shadow_.rename(name); }

  /// The hash of a key if the table may contain it; no value if the key is certainly absent.
  [[nodiscard]] std::optional<std::uint64_t> find(std::string_view key);
  /// How often the key of this hash was added; no value for a kind that does not count.
  [[nodiscard]] std::optional<std::uint64_t> count(std::uint64_t hash);

  /// Adds a key, and tells whether it was certainly absent. `only_if_absent`: a key that may be there is left alone,
  /// except where keys can be removed. (Where additions are not counted this makes no difference.)
  bool add(std::string_view key, bool only_if_absent);
  /// Takes back one addition of the key of this hash.
  void remove(std::uint64_t hash);
  /// Forgets every key.
  void clear();
  /// Adds every key of a filter of the same shape.
  void merge(const FilterRef& other);
  /// Checks every page, and drops those of which no bit is set any more.
  void rebuild();
  /// Checks every stored row. Throws SqlError naming the first that is damaged.
  void check();

  /// The filter as one blob's filter. The payload may have at most max_bytes bytes.
  [[nodiscard]] AnyFilter snapshot(std::uint64_t max_bytes);
  /// The number of keys that were added, and not removed.
  [[nodiscard]] std::uint64_t keys();

  [[nodiscard]] const TableState& state();
  [[nodiscard]] sqlite3* db() const noexcept { return shadow_.db(); }
  [[nodiscard]] const std::string& name() const noexcept { return shadow_.table(); }

 private:
  /// The number of a layer's first page. No layer has as many pages as lie between two of these.
  static std::int64_t first_page(std::size_t layer) noexcept { return static_cast<std::int64_t>(layer) << 46; }

  void save(const TableState& state);
  /// Asks the first `layers` layers.
  [[nodiscard]] bool layers_contain(std::uint64_t hash, std::size_t layers);
  [[nodiscard]] PageRows rows_of(std::size_t layer) { return {shadow_, filters_[layer], first_page(layer)}; }
  [[nodiscard]] bool is_full(PageRows& rows, std::uint64_t page) const;
  void grow();
  using PageVisitor = std::function<void(std::uint64_t page, std::span<const std::byte> row)>;
  /// Visits the stored rows of a layer, checked, in the order of their pages. Throws SqlError.
  void visit_layer(std::size_t layer, const PageVisitor& visit);
  [[nodiscard]] std::uint64_t keys_in(std::size_t layer);

  ShadowTables shadow_;
  std::optional<std::string> text_;  // the state as it was read last
  TableState state_;
  std::vector<PagedFilter> filters_;  // of the layers
};

}  // namespace crivo::sqlite

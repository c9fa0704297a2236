// The two ordinary tables that store a filter table "t": "t_meta" and "t_pages". They are in the same file and
// transaction as the user's data, so SQLite makes all changes atomic and durable.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "values/statement.h"

namespace crivo::sqlite {

// The rows of _meta.
inline constexpr std::string_view kStateRow = "state";
inline constexpr std::string_view kNextStateRow = "next_state";  // the state of an unfinished rebuild
inline constexpr std::string_view kSourceRow = "source";         // the text of the source, if the table has one
inline constexpr std::string_view kStaleRow = "stale";           // the number of old keys that could not be removed

/// Not thread-safe. All functions throw HostError.
class ShadowTables {
 public:
  /// Names the shadow tables of a table. For an empty schema, SQLite searches all schemas.
  ShadowTables(sqlite3* db, std::string schema, std::string table);

  void create();
  void drop();
  void rename(const std::string& table);

  /// The text in a row of _meta; no value if there is no such row.
  [[nodiscard]] std::optional<std::string> read_meta(std::string_view name);
  /// Whether a row of _meta has this text. Does not allocate.
  [[nodiscard]] bool meta_equals(std::string_view name, std::string_view text);
  void write_meta(std::string_view name, std::string_view text);
  void erase_meta(std::string_view name);

  /// Stores the row of a page. `is_new`: the page has no row yet.
  void write_page(std::int64_t number, std::span<const std::byte> row, bool is_new);
  /// Deletes the pages from `first` to `last`, inclusive.
  void erase_pages(std::int64_t first, std::int64_t last);
  /// Calls `visit(number, row)` for each stored page from `first` on, in order, until `visit` returns false. `visit`
  /// must not change the tables.
  template <class Visit>
  void visit_pages(std::int64_t first, const Visit& visit) {
    Use use(next_page_);
    use.bind(1, first);
    while (use.step() && visit(use.integer(0), row_of(use, 1))) continue;
  }

  /// The largest size in bytes of a page's row that fits a leaf of the b-tree.
  [[nodiscard]] std::size_t max_row_bytes() const;

  /// A counter that increases when SQLite prepares read_meta's statement again because a schema has changed.
  [[nodiscard]] int schema_seen() const noexcept { return meta_.reprepare_count(); }

  /// The statement that selects the row of page ?1, for PageRows, which reads rows in place.
  [[nodiscard]] Statement& page_statement() noexcept { return page_; }
  /// The bytes of a page's row; empty if the value is not a blob.
  [[nodiscard]] static std::span<const std::byte> row_of(const Use& use, int column);

  [[nodiscard]] sqlite3* db() const noexcept { return db_; }
  [[nodiscard]] const std::string& schema() const noexcept { return schema_; }
  [[nodiscard]] const std::string& table() const noexcept { return table_; }
  /// Whether this is the suffix of a shadow table's name.
  [[nodiscard]] static bool is_shadow_suffix(std::string_view suffix) noexcept;

 private:
  [[nodiscard]] std::string name_of(std::string_view suffix) const;

  sqlite3* db_;
  std::string schema_;
  std::string table_;
  Statement meta_, set_meta_, unset_meta_, page_, insert_page_, update_page_, unset_pages_, next_page_;
};

}  // namespace crivo::sqlite

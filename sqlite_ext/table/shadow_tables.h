// The two ordinary tables in which a filter table "t" lives, "t_meta" and "t_pages". SQLite keeps them in the same file
// and transaction as the user's own data, so nothing here has to be made atomic or durable.
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
inline constexpr std::string_view kNextStateRow = "next_state";  // of the keys that a rebuild adds, until it is done
inline constexpr std::string_view kSourceRow = "source";         // of a table that has one: its text
inline constexpr std::string_view kStaleRow = "stale";           // how many keys went that could not be removed

/// One thread at a time may use it. Its functions throw HostError.
class ShadowTables {
 public:
  /// Names the shadow tables of a table; an empty schema stands for the one in which SQLite finds them.
  ShadowTables(sqlite3* db, std::string schema, std::string table);

  void create();
  void drop();
  void rename(const std::string& table);

  /// A row of _meta that holds a text; no value if there is none.
  [[nodiscard]] std::optional<std::string> read_meta(std::string_view name);
  /// Whether a row of _meta holds this text. It allocates nothing.
  [[nodiscard]] bool meta_is(std::string_view name, std::string_view text);
  void write_meta(std::string_view name, std::string_view text);
  void erase_meta(std::string_view name);

  /// Stores a page's row; `is_new` says that there is none yet.
  void write_page(std::int64_t number, std::span<const std::byte> row, bool is_new);
  /// Erases the pages with numbers from first to last, both included.
  void erase_pages(std::int64_t first, std::int64_t last);
  /// Calls `visit(number, row)` for each page that is stored, from page `first` on, in the order of their numbers,
  /// until it returns false. It may not change the tables.
  template <class Visit>
  void visit_pages(std::int64_t first, const Visit& visit) {
    Use use(next_page_);
    use.bind(1, first);
    while (use.step() && visit(use.integer(0), row_of(use, 1))) continue;
  }

  /// The most bytes of a page's row that the database has room for in a leaf of its b-tree.
  [[nodiscard]] std::size_t row_room() const;

  /// A number that changes whenever a schema may have changed between two calls of read_meta.
  [[nodiscard]] int schema_seen() const noexcept { return meta_.times_prepared_again(); }

  /// The statement that gives the row of page ?1, for PageRows, which reads rows where they lie.
  [[nodiscard]] Statement& page_statement() noexcept { return page_; }
  /// The bytes of a page's row; no bytes for a value that is no blob.
  [[nodiscard]] static std::span<const std::byte> row_of(const Use& use, int column);

  [[nodiscard]] sqlite3* db() const noexcept { return db_; }
  [[nodiscard]] const std::string& schema() const noexcept { return schema_; }
  [[nodiscard]] const std::string& table() const noexcept { return table_; }
  /// True for the last part of a shadow table's name.
  [[nodiscard]] static bool is_shadow_suffix(std::string_view suffix) noexcept;

 private:
  [[nodiscard]] std::string name_of(std::string_view suffix) const;

  sqlite3* db_;
  std::string schema_;
  std::string table_;
  Statement meta_, set_meta_, unset_meta_, page_, insert_page_, update_page_, unset_pages_, next_page_;
};

}  // namespace crivo::sqlite

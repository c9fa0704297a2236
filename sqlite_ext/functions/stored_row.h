// The value in one row of a table, found by names and changed piece by piece (SQLite's incremental blob I/O).
//
// An open handle is an active statement: it keeps its snapshot, and VACUUM waits for it. It must not outlive the
// statement that it is used in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crivo/host/blob_in_place.h"
#include "values/boundary.h"
#include "values/effects.h"
#include "values/statement.h"

namespace crivo::sqlite {

/// The arguments of bloom_insert: ([schema,] table, column, row, key). The schema is "main" if it is left out, so that
/// no table of another database can come before the one that is meant. Borrows from the arguments.
struct RowArgs {
  /// Throws SqlError for a name that is NULL.
  explicit RowArgs(const Call& call);
  const char* schema;
  const char* table;
  const char* column;
  sqlite3_value* row;
  sqlite3_value* key;
};

class StoredRow : public StoredBlob {
 public:
  StoredRow(sqlite3* db, const RowArgs& args);
  ~StoredRow() override;

  /// True if these arguments name the same column, whatever the row.
  [[nodiscard]] bool is_in(const RowArgs& args) const noexcept;
  /// The row as messages name it: "main.filters, column f, row 'x'". For the call in which it was opened.
  [[nodiscard]] std::string place() const;

  /// Finds the row and opens its value: the row with this rowid if `row` is an INTEGER, else the one whose primary key
  /// (of one column) equals it. It is looked up each time, for after a rollback an open handle may show another row.
  /// Throws SqlError if there is no such row, if it has no value that can be opened, and if a running statement writes
  /// the table: it has read its row already, and would write it back without the key.
  void open(sqlite3_value* row);

  // The next functions need an open row.
  std::uint64_t size() override { return static_cast<std::uint64_t>(sqlite3_blob_bytes(handle_)); }
  /// Throws SqlError, as write().
  void read(std::uint64_t offset, std::span<std::byte> into) override;
  void write(std::uint64_t offset, std::span<const std::byte> bytes) override;
  /// Closes the row, which ends the transaction if there is no other statement in it. Throws SqlError if that fails.
  void close();

  /// Closes the row after an error, whether one is open or not.
  void drop() noexcept;

 private:
  [[nodiscard]] int seek(std::int64_t rowid, bool alive, std::string& reason);
  void require_value(int status, std::int64_t rowid, const std::string& reason) const;
  void watch(const std::string& table);
  void check_table();
  void require_plain_column(const Effects& update);
  void require_no_writer();
  [[nodiscard]] std::string name_of_index(const std::vector<RootPage>& roots) const;
  [[nodiscard]] bool follows_other_column(const std::string& trigger) const;
  [[nodiscard]] std::string column_name() const { return schema_ + "." + table_ + "." + column_; }
  [[nodiscard]] bool table_has_changed();
  [[nodiscard]] std::int64_t find_rowid();
  [[nodiscard]] bool is_alive();
  void require(int status) const;
  /// Throws the error that SQLite has just returned.
  [[noreturn]] void fail(int status, const std::string& reason) const;

  sqlite3* db_;
  std::string schema_;
  std::string table_;
  std::string column_;
  bool is_checked_ = false;            // by check_table; false after an error in it
  std::optional<Statement> watch_;     // SQLite prepares it again when a schema changes
  std::optional<Statement> find_key_;  // by the primary key; nothing if the table has none of one column
  RootPage root_;                      // of the table
  std::string harmless_writer_;        // the text of a running statement that does not write the table
  sqlite3_value* row_ = nullptr;       // what the row was found by; valid during the call that opened it
  sqlite3_blob* handle_ = nullptr;
};

}  // namespace crivo::sqlite

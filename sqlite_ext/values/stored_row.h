// The value in one row of a table, found by names and read or written piece by piece (SQLite's incremental blob I/O).
//
// A filter of a megabyte costs 30 us to read and 17 ns to look at. SQLite marks an open handle as expired when the row
// is updated or deleted, so an open handle tells for these 17 ns whether the row is still the one that was read. Not
// every change expires the handle: another handle may have written into the value, and after a rollback the same handle
// shows the older row. So whoever keeps what was read must compare the bytes, too (functions/named.cpp).
//
// An open handle is an active statement: it keeps its snapshot, and VACUUM waits for it. It must not outlive the
// statement that it is used in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "values/boundary.h"
#include "values/owned_value.h"
#include "values/statement.h"

namespace crivo::sqlite {

/// The arguments with which a function names a row: ([schema,] table, column, row, ...). The schema is "main" if it is
/// left out, so that no table of another database can come before the one that is meant. Borrows from the arguments.
struct RowArgs {
  /// `given` is the number of arguments with a schema. Throws SqlError for a name that is NULL.
  RowArgs(const Call& call, std::size_t given);
  const char* schema;
  const char* table;
  const char* column;
  sqlite3_value* row;
  std::size_t next;  // the argument after the row
};

class StoredRow {
 public:
  enum class Access : int { kRead = 0, kWrite = 1 };

  StoredRow(sqlite3* db, const RowArgs& args, Access access);
  ~StoredRow();
  StoredRow(const StoredRow&) = delete;
  StoredRow& operator=(const StoredRow&) = delete;

  /// True if these arguments name the same column, whatever the row.
  [[nodiscard]] bool is_in(const RowArgs& args) const noexcept;
  /// True if this is the value that the open row was found by.
  [[nodiscard]] bool was_found_by(sqlite3_value* row) const noexcept;
  /// The row as messages name it: "main.filters, column f, row 'x'".
  [[nodiscard]] std::string place() const;
  [[nodiscard]] const std::string& schema() const noexcept { return schema_; }

  /// Finds the row and opens its value: the row with this rowid if `row` is an INTEGER, else the one whose primary key
  /// (of one column) equals it. It is looked up each time, for after a rollback an open handle may show another row.
  /// Returns false if the value is NULL. Throws SqlError if there is no such row, or none that can be opened.
  [[nodiscard]] bool open(sqlite3_value* row);

  // The next functions need an open row.
  [[nodiscard]] std::size_t bytes() const noexcept { return static_cast<std::size_t>(sqlite3_blob_bytes(handle_)); }
  /// Reads the bytes at this offset. Returns false if the row has expired; nothing is open then. Throws SqlError.
  [[nodiscard]] bool read(std::size_t offset, std::span<std::byte> into);
  /// Overwrites the bytes at this offset. Throws SqlError.
  void write(std::size_t offset, std::span<const std::byte> bytes);
  /// Closes the row, which ends the transaction if there is no other statement in it. Throws SqlError if that fails.
  void close();

  /// Closes the row after an error, whether one is open or not.
  void drop() noexcept;

 private:
  [[nodiscard]] int seek(bool alive, std::string& reason);
  [[nodiscard]] bool is_value(int status, const std::string& reason) const;
  void watch(const std::string& table);
  void check_table();
  [[nodiscard]] bool table_has_changed();
  [[nodiscard]] std::int64_t rowid_of(sqlite3_value* row);
  [[nodiscard]] bool is_alive();
  /// Throws the error that SQLite has just returned.
  [[noreturn]] void fail(int status, const std::string& reason) const;

  sqlite3* db_;
  std::string schema_;
  std::string table_;
  std::string column_;
  Access access_;
  bool is_checked_ = false;            // by check_table; false after an error in it
  std::optional<Statement> watch_;     // SQLite prepares it again when a schema changes
  std::optional<Statement> find_key_;  // by the primary key; nothing if the table has none of one column
  OwnedValue row_;                     // what the open row was found by
  std::int64_t rowid_ = 0;
  sqlite3_blob* handle_ = nullptr;
};

/// Reads from a row that was opened in this call, and so cannot have expired.
inline void read_open_row(StoredRow& row, std::size_t offset, std::span<std::byte> into) {
  if (!row.read(offset, into)) throw SqlError{"row must stay as it is while it is read", SQLITE_ABORT};
}

}  // namespace crivo::sqlite

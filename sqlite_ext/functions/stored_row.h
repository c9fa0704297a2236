// A value in a row of a table, changed in place by SQLite's incremental blob I/O.
//
// SQLite treats an open blob handle as an active statement: the handle holds a snapshot and blocks VACUUM. The handle
// must not outlive the statement that uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crivo/host/blob_in_place.h"
#include "values/call.h"
#include "values/statement.h"
#include "values/writers.h"

namespace crivo::sqlite {

/// The arguments of bloom_insert: ([schema,] table, column, row, key). The default schema is "main", so that a table of
/// another database cannot shadow the intended table. Borrows the arguments.
struct RowArgs {
  /// Throws SqlError unless each name is a TEXT without NUL.
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

  /// Whether these arguments name the same column; ignores the row.
  [[nodiscard]] bool is_in(const RowArgs& args) const noexcept;
  /// The row for messages: "main.filters, column f, row 'x'". Call only within the SQL call that passed the row.
  [[nodiscard]] std::string place() const;

  /// Opens the value of a row. `row` is a rowid if it is an INTEGER, else a primary key of one column. Looks the row up
  /// each time, because a rollback can make an open handle show another row. Throws SqlError if the row is missing, if
  /// the value cannot be opened, if an UPDATE of the column would do more than write the value, or if a running
  /// statement may write the table: that statement could overwrite the new key.
  void open(sqlite3_value* row);

  // size, read, write and close require an open row.
  std::uint64_t size() override { return static_cast<std::uint64_t>(sqlite3_blob_bytes(handle_)); }
  /// Throws SqlError, as write() does.
  void read(std::uint64_t offset, std::span<std::byte> into) override;
  void write(std::uint64_t offset, std::span<const std::byte> bytes) override;
  /// Closes the row. Outside BEGIN, commits unless another statement is active. Throws SqlError if the commit fails.
  void close();

  /// Closes the row after an error, if one is open.
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
  /// Throws SqlError with `reason`, or std::bad_alloc if SQLite is out of memory.
  [[noreturn]] void fail(int status, const std::string& reason) const;

  sqlite3* db_;
  std::string schema_;
  std::string table_;
  std::string column_;
  bool is_checked_ = false;            // check_table has succeeded
  std::optional<Statement> watch_;     // SQLite prepares this statement again when a schema changes
  std::optional<Statement> find_key_;  // looks up the primary key; no value if the rowid is required
  RootPage root_;                      // the root page of the table
  std::string harmless_writer_;        // the text of a running statement that does not write the table
  sqlite3_value* row_ = nullptr;       // the argument that identifies the row; valid during the call that opened it
  sqlite3_blob* handle_ = nullptr;
};

}  // namespace crivo::sqlite

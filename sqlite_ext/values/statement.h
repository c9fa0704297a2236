// A reusable prepared statement, and a scope for each use.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "values/error.h"

namespace crivo::sqlite {

/// Prepared at the first use, and reset after each use: a statement that is not reset would hold a transaction open and
/// block VACUUM.
class Statement {
 public:
  // A hostile schema can replace a shadow table with a view on the filter table. NO_VTAB rejects this view. Otherwise a
  // statement of the filter table would use the filter table itself, so that neither the table nor the connection could
  // be closed.
  static constexpr unsigned kOwn = SQLITE_PREPARE_PERSISTENT | SQLITE_PREPARE_NO_VTAB;
  /// `flags` are passed to sqlite3_prepare_v3.
  Statement(sqlite3* db, std::string sql, unsigned flags = kOwn) : db_(db), sql_(std::move(sql)), flags_(flags) {}
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// The number of times that SQLite prepared the statement again because a schema had changed.
  [[nodiscard]] int reprepare_count() const noexcept {
    return statement_ != nullptr ? sqlite3_stmt_status(statement_, SQLITE_STMTSTATUS_REPREPARE, 0) : 0;
  }

 private:
  friend class Use;
  /// The statement must not be in use, because a second use would reset the first. Throws HostError.
  sqlite3_stmt* ready();

  sqlite3* db_;
  std::string sql_;
  unsigned flags_;
  sqlite3_stmt* statement_ = nullptr;
};

/// One use of a statement: binds parameters, steps, and resets at the end of the scope. Errors: HostError.
class Use {
 public:
  explicit Use(Statement& statement) : db_(statement.db_), statement_(statement.ready()) {}
  ~Use();
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  Use& bind(int parameter, std::int64_t value);
  /// Borrows the bytes until the use ends.
  Use& bind(int parameter, std::span<const std::byte> blob);
  /// Borrows the text until the use ends.
  Use& bind(int parameter, std::string_view text);
  Use& bind(int parameter, sqlite3_value* value);

  /// Returns true if there is a row, false at the end.
  [[nodiscard]] bool step();
  /// Runs a statement that returns no rows.
  void run();

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] int type(int column) const;
  /// An unprotected value, which can only be copied. Valid until the next step or the end of the use.
  [[nodiscard]] sqlite3_value* value(int column) const;
  /// Valid until the next step or the end of the use.
  [[nodiscard]] std::span<const std::byte> blob(int column) const;
  /// The same as blob(), for a TEXT.
  [[nodiscard]] std::string_view text(int column) const;

 private:
  sqlite3* db_;
  sqlite3_stmt* statement_;
};

/// Runs SQL without parameters that returns no rows. Errors: HostError.
void run_sql(sqlite3* db, const std::string& sql);

/// A table's type in PRAGMA table_list: "table", "view", "virtual", or "shadow" for a virtual table's storage. Empty if
/// there is no such table. Errors: HostError.
[[nodiscard]] std::string table_type(sqlite3* db, std::string_view schema, std::string_view table);

/// Whether the table is a shadow table in DEFENSIVE mode, to which the application must not write. SQLite still allows
/// statements run by a function, because virtual tables write shadow tables that way. Errors: HostError.
[[nodiscard]] bool is_protected(sqlite3* db, std::string_view schema, std::string_view table);

/// A hint for errors about a missing table, if the name may contain a schema; else empty.
[[nodiscard]] std::string schema_hint(std::string_view table);

/// Quotes a name for SQL, in double quotes.
[[nodiscard]] std::string quoted_name(std::string_view name);
/// Converts ASCII letters to lower case, as SQLite does when it compares names.
[[nodiscard]] std::string lower(std::string_view text);

}  // namespace crivo::sqlite

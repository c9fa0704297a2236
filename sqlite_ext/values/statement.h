// A prepared statement that is kept for many uses, and one use of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "values/boundary.h"

namespace crivo::sqlite {

/// Prepared when it is first used. Between two uses it is always reset: a statement that is not reset would keep a
/// transaction open, and block VACUUM.
class Statement {
 public:
  // A hostile schema can replace a shadow table by a view that uses the filter table again. NO_VTAB refuses that: the
  // table's own statement would keep the table open, and the connection with it.
  static constexpr unsigned kOwn = SQLITE_PREPARE_PERSISTENT | SQLITE_PREPARE_NO_VTAB;
  /// `flags` are those of sqlite3_prepare_v3.
  Statement(sqlite3* db, std::string sql, unsigned flags = kOwn) : db_(db), sql_(std::move(sql)), flags_(flags) {}
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// How often SQLite had to prepare it again because a schema had changed.
  [[nodiscard]] int times_prepared_again() const noexcept {
    return statement_ != nullptr ? sqlite3_stmt_status(statement_, SQLITE_STMTSTATUS_REPREPARE, 0) : 0;
  }

 private:
  friend class Use;
  /// The statement must not be in use: a second use would reset it under the first. Throws HostError.
  sqlite3_stmt* ready();

  sqlite3* db_;
  std::string sql_;
  unsigned flags_;
  sqlite3_stmt* statement_ = nullptr;
};

/// One use of a statement, from binding its parameters to its reset at the end of the scope. Errors: HostError.
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

  /// True if there is a row, false at the end.
  [[nodiscard]] bool step();
  /// Runs a statement that gives no row.
  void run();

  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  [[nodiscard]] int type(int column) const;
  /// Unprotected, so it can only be copied. Valid until the next step, or the end of the use.
  [[nodiscard]] sqlite3_value* value(int column) const;
  /// Valid until the next step, or the end of the use.
  [[nodiscard]] std::span<const std::byte> blob(int column) const;
  /// The same for a value that is a text.
  [[nodiscard]] std::string_view text(int column) const;

 private:
  sqlite3* db_;
  sqlite3_stmt* statement_;
};

/// Runs SQL that has no parameters and gives no rows. Errors: HostError.
void run_sql(sqlite3* db, const std::string& sql);

/// What PRAGMA table_list says of a table: "table", "view", "virtual", or "shadow" for a table in which a virtual one
/// lives; empty if there is no such table. Errors: HostError.
[[nodiscard]] std::string table_type(sqlite3* db, std::string_view schema, std::string_view table);

/// Whether SQLite keeps the application's statements from writing to the table: a shadow table in DEFENSIVE mode. It
/// does not keep statements that a function runs from it, because virtual tables write to their shadow tables in that
/// way. Errors: HostError.
[[nodiscard]] bool is_protected(sqlite3* db, std::string_view schema, std::string_view table);

/// What an error about a missing table adds if its name may contain a schema; else empty.
[[nodiscard]] std::string schema_hint(std::string_view table);

/// Puts a name in double quotes for use in SQL.
[[nodiscard]] std::string quoted_name(std::string_view name);
/// A text with ASCII's letters in lower case, as SQLite compares names.
[[nodiscard]] std::string lower(std::string_view text);

}  // namespace crivo::sqlite

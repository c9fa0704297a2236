// The common part of all table-valued functions. A function is a list of columns, a list of arguments, and a C++
// function that makes the rows.
//
// In SQLite, such a function is an eponymous virtual table (sqlite.org/vtab.html, 2.1.2). Its arguments are hidden
// columns with equality constraints: `FROM f(1)` means `FROM f WHERE f.first_argument = 1`.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "values/value.h"

namespace crivo::sqlite {

/// Iterates over the rows of one call. The functions may throw the exceptions that a SQL function may throw.
class Rows {
 public:
  Rows() = default;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  virtual ~Rows() = default;
  /// Advances to the next row; the first call moves to the first row. Returns false after the last row.
  [[nodiscard]] virtual bool next() = 0;
  /// Sets a column of the current row, counted from 0, as the result.
  virtual void set_column(sqlite3_context* context, int column) const = 0;
};

/// A call of a table-valued function.
struct TableCall {
  sqlite3* database;
  std::span<sqlite3_value* const> given;  // the arguments, null where missing; valid only while the rows are made
  std::span<sqlite3_value* const> args;   // copies that live as long as the rows; NULL for a pointer value

  [[nodiscard]] sqlite3* db() const { return database; }
  /// Whether an argument is missing or NULL. (SQLite reports a pointer value as NULL.)
  [[nodiscard]] bool is_null(std::size_t arg) const { return args[arg] == nullptr || sqlite::is_null(args[arg]); }
};

struct TableFunction {
  const char* name;
  std::span<const char* const> columns;                  // as in CREATE TABLE: "name TEXT"
  std::span<const char* const> arguments;                // the arguments' names; at most 8
  std::size_t required;                                  // the number of leading arguments that must be given
  double usual_rows;                                     // the planner's estimate of the number of rows
  std::unique_ptr<Rows> (*rows)(const TableCall& call);  // null means no rows
  double call_cost = 0;                                  // the planner's cost of a call without rows; a row costs 1
};

/// Registers a function, which must live as long as the process. Returns a SQLite result code.
[[nodiscard]] int register_table_function(sqlite3* db, const TableFunction& function);

/// Rows that are all made before the first is read. `set` sets a column of a row as the result.
template <class Row, void (*set)(sqlite3_context*, const Row&, int column)>
class ListedRows final : public Rows {
 public:
  explicit ListedRows(std::vector<Row> rows) : rows_(std::move(rows)) {}
  bool next() override { return ++row_ <= rows_.size(); }
  void set_column(sqlite3_context* context, int column) const override { set(context, rows_[row_ - 1], column); }

 private:
  std::vector<Row> rows_;
  std::size_t row_ = 0;
};

}  // namespace crivo::sqlite

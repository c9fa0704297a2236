// Table-valued functions: what is written once for all of them. A new one is a list of columns and of arguments, and a
// function that makes the rows.
//
// To SQLite such a function is an eponymous virtual table (sqlite.org/vtab.html, 2.1.2), whose arguments are hidden
// columns that the query compares with values: `FROM f(1)` means `FROM f WHERE f.first_argument = 1`.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "values/boundary.h"

namespace crivo::sqlite {

/// The rows of one call, one after the other. Its functions may throw what a SQL function may throw.
class Rows {
 public:
  Rows() = default;
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  virtual ~Rows() = default;
  /// Goes to the next row, and first to the first one. False behind the last row.
  [[nodiscard]] virtual bool next() = 0;
  /// Gives the value of a column of this row, counted from 0, to SQLite.
  virtual void set_column(sqlite3_context* context, int column) const = 0;
};

/// A call of a table-valued function.
struct TableCall {
  sqlite3* database;
  std::span<sqlite3_value* const> given;  // the arguments as they came, null where missing; valid while rows are made
  std::span<sqlite3_value* const> args;   // copies of them that live as long as the rows; a pointer's copy is NULL

  [[nodiscard]] sqlite3* db() const { return database; }
  /// True for an argument that is missing or NULL. (SQLite gives a pointer value as NULL.)
  [[nodiscard]] bool is_null(std::size_t arg) const {
    return args[arg] == nullptr || sqlite3_value_type(args[arg]) == SQLITE_NULL;
  }
};

struct TableFunction {
  const char* name;
  std::span<const char* const> columns;                  // as CREATE TABLE has them: "name TEXT"
  std::span<const char* const> arguments;                // their names; at most 8
  std::size_t required;                                  // so many of the arguments, the first ones, must be given
  double usual_rows;                                     // how many rows SQLite's planner should expect
  std::unique_ptr<Rows> (*rows)(const TableCall& call);  // null means no rows
  double call_cost = 0;                                  // beside its rows, in rows of a table that are read
};

/// Registers a function that lives as long as the process. Returns a SQLite result code.
[[nodiscard]] int register_table_function(sqlite3* db, const TableFunction& function);

inline void set_value(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}
inline void set_value(sqlite3_context* context, double value) { sqlite3_result_double(context, value); }
inline void set_value(sqlite3_context* context, std::int64_t value) { sqlite3_result_int64(context, value); }
inline void set_value(sqlite3_context* context, std::uint64_t value) {
  sqlite3_result_int64(context, saturated(value));
}

/// Rows that are made all at once. `set` gives a row's column to SQLite.
template <class Row, void (*set)(sqlite3_context*, const Row&, int column)>
class ListedRows final : public Rows {
 public:
  explicit ListedRows(std::vector<Row> rows) : rows_(std::move(rows)) {}
  bool next() override { return ++seen_ <= rows_.size(); }
  void set_column(sqlite3_context* context, int column) const override { set(context, rows_[seen_ - 1], column); }

 private:
  std::vector<Row> rows_;
  std::size_t seen_ = 0;
};

}  // namespace crivo::sqlite

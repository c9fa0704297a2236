#include "table/operations.h"

#include <array>

namespace crivo::sqlite {
namespace {

struct Operation {
  std::string_view name;
  void (*run)(FilterTable& table, sqlite3_value* arg);
};

void merge(FilterTable& table, sqlite3_value* arg) { table.merge(open_filter(table.db(), arg, 1).ref()); }

constexpr std::array kOperations = {
    Operation{"check", [](FilterTable& table, sqlite3_value*) { table.check(); }},
    Operation{"clear", [](FilterTable& table, sqlite3_value*) { table.clear(); }},
    Operation{"merge", merge},
    Operation{"rebuild", [](FilterTable& table, sqlite3_value*) { table.rebuild(); }},
};

bool is_null(sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; }

void run_operation(FilterTable& table, sqlite3_value* op, sqlite3_value* arg) {
  std::string names;
  for (const Operation& operation : kOperations) {
    if (sqlite3_value_type(op) == SQLITE_TEXT && KeyBytes(op).view() == operation.name) {
      return operation.run(table, arg);
    }
    names.append(names.empty() ? "" : ", ").append(operation.name);
  }
  throw SqlError{"op must be one of " + names + ", got " + shown(op)};
}

}  // namespace

bool insert_row(FilterTable& table, std::span<sqlite3_value* const> row, bool or_ignore) {
  if (!is_null(row[kCount])) throw SqlError{"count must be left out of an INSERT, got " + shown(row[kCount])};
  if (!is_null(row[kOp])) {
    if (!is_null(row[kKey])) throw SqlError{"key must be NULL where op is given, got " + shown(row[kKey])};
    run_operation(table, row[kOp], row[kArg]);
    return true;
  }
  if (!is_null(row[kArg])) throw SqlError{"arg must come with an op, got " + shown(row[kArg])};
  const KeyBytes key(row[kKey]);
  if (key.is_null()) return false;
  return table.add(key.view(), or_ignore) || !or_ignore;
}

}  // namespace crivo::sqlite

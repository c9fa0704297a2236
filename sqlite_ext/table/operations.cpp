#include "table/operations.h"

#include <array>

#include "table/follow.h"

namespace crivo::sqlite {
namespace {

struct Operation {
  std::string_view name;
  bool takes_arg;
  void (*run)(FilterTable& table, sqlite3_value* arg);
};

void merge(FilterTable& table, sqlite3_value* arg) {
  if (sqlite3_value_type(arg) != SQLITE_BLOB)
    throw SqlError{"arg must be a filter where op is union, got " + shown(arg)};
  table.merge(open_filter(table.shadow().db(), arg, 1).ref());
}

void check(FilterTable& table, sqlite3_value*) {
  table.check();
  if (table.state().has_source) check_following(table);
}

void rebuild(FilterTable& table, sqlite3_value*) {
  if (table.state().has_source) return rebuild_following(table.shadow());
  table.rebuild();
}

constexpr std::array kOperations = {
    Operation{"advance", true, [](FilterTable& table, sqlite3_value* time) { table.advance(time); }},
    Operation{"check", false, check},
    Operation{"clear", false, [](FilterTable& table, sqlite3_value*) { table.clear(); }},
    Operation{"union", true, merge},
    Operation{"rebuild", false, rebuild},
};

bool is_null(sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; }
bool is_op(sqlite3_value* value, std::string_view name) {
  return sqlite3_value_type(value) == SQLITE_TEXT && KeyBytes(value).view() == name;
}

void run_operation(FilterTable& table, sqlite3_value* op, sqlite3_value* arg) {
  std::string names;
  for (const Operation& operation : kOperations) {
    if (is_op(op, operation.name)) {
      // An argument that is left aside would look like one that was obeyed: rebuild does not take a capacity.
      if (!operation.takes_arg && !is_null(arg)) {
        throw SqlError{"arg must be NULL where op is " + std::string(operation.name) + ", got " + shown(arg)};
      }
      return operation.run(table, arg);
    }
    names.append(names.empty() ? "" : ", ").append(operation.name);
  }
  throw SqlError{"op must be one of " + names + ", got " + shown(op)};
}

}  // namespace

bool insert_row(FilterTable& table, Follower& follower, std::span<sqlite3_value* const> row, int on_conflict) {
  if (!is_null(row[kCount])) throw SqlError{"count must be left out of an INSERT, got " + shown(row[kCount])};
  if (const KeyBytes op(row[kOp]);
      !op.is_null() && op.view().starts_with("follow") &&
      follower.follow(table, op.view(), row[kKey], row[kArg], on_conflict == SQLITE_REPLACE)) {
    return true;
  }
  if (!is_null(row[kOp])) {
    if (!is_null(row[kKey])) throw SqlError{"key must be NULL where op is given, got " + shown(row[kKey])};
    run_operation(table, row[kOp], row[kArg]);
    return true;
  }
  if (!is_null(row[kArg])) throw SqlError{"arg must come with an op, got " + shown(row[kArg])};
  const KeyBytes key(row[kKey]);
  if (key.is_null()) return false;
  const bool or_ignore = on_conflict == SQLITE_IGNORE;
  return table.add(key.view(), or_ignore) || !or_ignore;
}

}  // namespace crivo::sqlite

#include "values/effects.h"

#include <algorithm>
#include <string_view>

#include "values/statement.h"

namespace crivo::sqlite {
namespace {

constexpr std::string_view kTrigger = "-- TRIGGER ";
constexpr std::int64_t kRootInRegister = 0x10;  // a flag in P5: the statement itself creates the table

enum Column { kOpcode = 1, kP1, kP2, kP3, kP4, kP5 };

/// Adds the effect of one instruction (sqlite.org/opcode.html). The program of each trigger starts with an Init.
void add_instruction(Effects& effects, const Use& row, bool is_first) {
  const std::string_view opcode = row.text(kOpcode);
  if (opcode == "OpenWrite" && (row.integer(kP5) & kRootInRegister) == 0) {
    effects.written.push_back({row.integer(kP3), row.integer(kP2)});
  } else if (opcode == "VUpdate") {
    effects.writes_virtual_table = true;
  } else if (opcode == "Init" && !is_first) {
    const std::string_view name = row.type(kP4) == SQLITE_NULL ? std::string_view() : row.text(kP4);
    effects.triggers.emplace_back(name.starts_with(kTrigger) ? name.substr(kTrigger.size()) : std::string_view());
  } else if (opcode == "Halt" && row.integer(kP1) == SQLITE_CONSTRAINT_CHECK) {
    ++effects.checks;
  }
}

}  // namespace

Effects effects_of(sqlite3* db, const std::string& sql) {
  // SQLite includes leading semicolons in a statement's text.
  const std::size_t start = std::min(sql.find_first_not_of("; \t\r\n\f"), sql.size());
  Statement explain(db, "EXPLAIN " + sql.substr(start), 0);
  Use row(explain);
  Effects effects;
  for (bool is_first = true; row.step(); is_first = false) add_instruction(effects, row, is_first);
  return effects;
}

}  // namespace crivo::sqlite

#include "values/effects.h"

#include <algorithm>
#include <memory>
#include <new>
#include <string_view>

namespace crivo::sqlite {
namespace {

constexpr std::string_view kTrigger = "-- TRIGGER ";
constexpr std::int64_t kRootInRegister = 0x10;  // in P5: a table that the statement itself creates

enum Column { kOpcode = 1, kP1, kP2, kP3, kP4, kP5 };

/// A column of EXPLAIN as text; empty for NULL.
std::string_view text_of(sqlite3_stmt* row, Column column) {
  if (sqlite3_column_type(row, column) == SQLITE_NULL) return {};
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
  if (text == nullptr) throw std::bad_alloc();
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(row, column))};
}

/// Adds what one instruction (sqlite.org/opcode.html) does. The program of each trigger starts with an Init.
void add_instruction(Effects& effects, sqlite3_stmt* row, bool is_first) {
  const std::string_view opcode = text_of(row, kOpcode);
  if (opcode == "OpenWrite" && (sqlite3_column_int64(row, kP5) & kRootInRegister) == 0) {
    effects.written.push_back({sqlite3_column_int64(row, kP3), sqlite3_column_int64(row, kP2)});
  } else if (opcode == "VUpdate") {
    effects.writes_virtual_table = true;
  } else if (opcode == "Init" && !is_first) {
    const std::string_view name = text_of(row, kP4);
    effects.triggers.emplace_back(name.starts_with(kTrigger) ? name.substr(kTrigger.size()) : std::string_view());
  } else if (opcode == "Halt" && sqlite3_column_int64(row, kP1) == SQLITE_CONSTRAINT_CHECK) {
    effects.checks.emplace_back(text_of(row, kP4));
  }
}

}  // namespace

Effects effects_of(sqlite3* db, const std::string& sql) {
  // SQLite keeps the semicolons in front of a statement as a part of its text.
  const std::string text = "EXPLAIN " + sql.substr(std::min(sql.find_first_not_of("; \t\r\n\f"), sql.size()));
  sqlite3_stmt* explain = nullptr;
  require_ok(db, sqlite3_prepare_v2(db, text.c_str(), -1, &explain, nullptr));
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owned(explain, sqlite3_finalize);
  Effects effects;
  int status = SQLITE_OK;
  for (bool is_first = true; (status = sqlite3_step(explain)) == SQLITE_ROW; is_first = false) {
    add_instruction(effects, explain, is_first);
  }
  require_ok(db, status == SQLITE_DONE ? SQLITE_OK : status);
  return effects;
}

}  // namespace crivo::sqlite

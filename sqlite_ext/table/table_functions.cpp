// The functions on filter tables. They read tables, so they are neither deterministic nor innocuous.
#include <array>

#include "crivo/host/scope_exit.h"
#include "crivo/host/sizing.h"
#include "crivo/host/text.h"
#include "crivo/kinds.h"
#include "functions.h"
#include "table/contents.h"
#include "table/follow.h"
#include "values/filter_argument.h"
#include "values/time.h"

namespace crivo::sqlite {
namespace {

bool has_table(sqlite3* db, std::string_view schema, std::string_view table) {
  Statement find(db, "SELECT 1 FROM " + quoted_name(schema) + ".sqlite_schema WHERE name = ?1 COLLATE NOCASE");
  return Use(find).bind(1, table).step();
}

/// The schema in which SQLite finds an unqualified table name: temp, then main, then the attached databases in order.
/// Empty if no schema has the table.
std::string schema_of(sqlite3* db, std::string_view table) {
  if (has_table(db, "temp", table)) return "temp";
  Statement list(db, "PRAGMA database_list");
  Use schemas(list);
  while (schemas.step()) {
    std::string schema(schemas.text(1));
    if (has_table(db, schema, table)) return schema;
  }
  return {};
}

void require_schema(sqlite3* db, const std::string& schema) {
  // The temp schema may not exist yet.
  if (sqlite3_stricmp(schema.c_str(), "temp") == 0 || sqlite3_db_readonly(db, schema.c_str()) != -1) return;
  throw SqlError{"schema must be main, temp or the name of an attached database, got " + in_quotes(schema)};
}

/// Calls `use(shadow)` for the table named by the arguments (table [, schema]).
template <class Body>
void use_table(const Call& call, const Body& use) {
  sqlite3* db = call.db();
  const std::string name = name_of(call.args[0], "table");
  // A hostile schema can replace a shadow table with a view that calls the function again: an endless recursion.
  bool& reads_table = call.connection().reads_table;
  if (reads_table) throw SqlError{"table must have ordinary shadow tables, got a view that calls the function"};
  reads_table = true;
  const ScopeExit ends([&reads_table] { reads_table = false; });
  const bool has_schema = call.has(1);
  try {
    const std::string schema = has_schema ? name_of(call.args[1], "schema") : schema_of(db, name);
    if (has_schema) require_schema(db, schema);
    // A SELECT without a FROM starts no transaction, so each of the table's statements could see another snapshot: for
    // example, the state before a rebuild and the pages after it. This statement holds one snapshot for all of them.
    Statement any(db, "SELECT 1 FROM " + (schema.empty() ? "" : quoted_name(schema) + ".") + "sqlite_schema");
    Use snapshot(any);
    (void)snapshot.step();
    ShadowTables shadow(db, schema, name);
    use(shadow);
  } catch (const HostError& error) {
    // Here, SQLITE_ERROR means that the shadow tables are missing, or have other columns.
    if (error.code != SQLITE_ERROR) throw SqlError{error.message, error.code};
    throw SqlError{"table must be a filter table (CREATE VIRTUAL TABLE ... USING bloom), got " + shown(call.args[0]) +
                   schema_hint(name)};
  }
}

std::string json_number(double value) { return std::string(NumberKey(value).view()); }
std::string json_number(std::uint64_t value) { return std::to_string(saturated(value)); }
std::string seconds(Time milliseconds) { return json_number(static_cast<double>(milliseconds) / 1000); }

void add_window(JsonObject& info, const TableState& state, const std::vector<std::uint64_t>& pane_keys, sqlite3* db) {
  PaneClock now = *state.clock;
  if (!state.is_manual) now.advance(time_now(db));
  std::string keys;
  for (const std::uint64_t value : pane_keys) keys.append(keys.empty() ? "" : ",").append(json_number(value));
  info.add("window", seconds(now.pane_length * now.panes));
  info.add("panes", json_number(std::uint64_t{now.panes}));
  info.add("clock", json_text(state.is_manual ? "manual" : "now"));
  info.add("generation", json_number(now.generation));
  info.add("next_pane", now.first_pane < 0 ? "null" : seconds(now.end_of_newest()));
  info.add("pane_keys", "[" + keys + "]");
}

void add_following(JsonObject& info, ShadowTables& table) {
  const std::optional<Source> source = source_of(table);
  info.add("source", source ? json_text(to_text(*source)) : "null");
  info.add("follows", is_following(table) ? "1" : "0");
}

/// The facts about a table as a JSON object, described in docs/sqlite_tables.md. Reads every page.
std::string table_info(Operation& table) {
  const TableState& state = table.state();
  const TableStatistics found = read_statistics(table);
  const Facts facts{.keys = found.keys, .capacity = state.spec.capacity, .fp_rate = state.spec.fp_rate};
  const Stats stats{.current_fp_rate = found.current_fp_rate, .cardinality = found.cardinality};
  JsonObject info;
  info.add("kind", json_text(kind_text(state.spec)));
  info.add("capacity", json_number(state.spec.capacity));
  info.add("fp_rate", json_number(state.spec.fp_rate));
  info.add("keys", json_number(found.keys));
  info.add("current_fp_rate", json_number(found.current_fp_rate));
  info.add("over_capacity", is_over_capacity(facts, stats, state.clock.has_value()) ? "1" : "0");
  info.add("seed", std::to_string(static_cast<std::int64_t>(state.spec.seed)));
  info.add("layers", json_number(std::uint64_t{state.layers.size()}));
  info.add("pages", json_number(found.pages));
  info.add("stored_pages", json_number(found.stored_pages));
  info.add("row_bytes", json_number(std::uint64_t{kRowHeaderBytes + state.whole_page_bytes()}));
  info.add("bytes", json_number(found.row_bytes));
  if (state.full_is_error) info.add("on_full", json_text("error"));
  if (state.clock) add_window(info, state, found.pane_keys, table.shadow().db());
  if (state.has_source) {
    add_following(info, table.shadow());
    info.add("stale", json_number(stale(table.shadow())));
  }
  return info.str();
}

void bloom_snapshot(const Call& call) {
  use_table(call, [&](ShadowTables& shadow) {
    FilterTable filter(shadow);
    Operation table(filter);
    if (table.state().has_source) require_following(shadow);
    const std::uint64_t most = max_payload_bytes(call.db());
    if (!call.has(2)) return set_result(call, snapshot(table, std::nullopt, most).ref());
    const std::int64_t pane = sqlite3_value_int64(call.args[2]);
    if (sqlite3_value_type(call.args[2]) != SQLITE_INTEGER || pane < 0) {
      throw SqlError{"pane must be an integer of at least 0 (the newest), got " + shown(call.args[2])};
    }
    set_result(call, snapshot(table, static_cast<std::uint64_t>(pane), most).ref());
  });
}

void bloom_table_info(const Call& call) {
  use_table(call, [&](ShadowTables& shadow) {
    FilterTable filter(shadow);
    Operation table(filter);
    set_value(call.context, table_info(table));
  });
}

constexpr std::array kTableFunctions = {
    FunctionRow{"bloom_snapshot", 1, 3, SQLITE_UTF8, guarded<bloom_snapshot>},
    FunctionRow{"bloom_table_info", 1, 2, SQLITE_UTF8, guarded<bloom_table_info>},
};

}  // namespace

std::span<const FunctionRow> table_functions() noexcept { return kTableFunctions; }

}  // namespace crivo::sqlite

#include "table/source.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "crivo/hash.h"
#include "crivo/host/text.h"
#include "table/seal.h"

namespace crivo::sqlite {
namespace {

struct Event {
  std::string_view name;
  std::string_view columns;  // of the filter table, that get a value
  std::string_view row;      // the one that the value is taken from first
};

// `key` is what came, and `arg` is what went.
constexpr std::array kEvents = {Event{"insert", "key", "new"}, Event{"update", "key, arg", "new"},
                                Event{"delete", "arg", "old"}};

struct Name {
  std::string text;
  bool quoted = false;
};

/// Takes a name from the front of a text: a quoted one, or all up to one of these characters.
Name take_name(std::string_view& text, std::string_view ends) {
  const char open = text.empty() ? '\0' : text.front();
  if (open != '"' && open != '\'' && open != '`' && open != '[') {
    const std::string_view name = text.substr(0, text.find_first_of(ends));
    text.remove_prefix(name.size());
    return {std::string(name), false};
  }
  const char close = open == '[' ? ']' : open;
  Name name{{}, true};
  for (text.remove_prefix(1); !text.empty(); text.remove_prefix(1)) {
    if (text.front() == close) {
      text.remove_prefix(1);
      if (open == '[' || !text.starts_with(close)) return name;
    }
    name.text += text.front();
  }
  return {};  // the quote has no end
}

bool is_plain(std::string_view name) noexcept {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string schema_table(const std::string& schema) { return quoted_name(schema) + ".sqlite_schema"; }

struct Column {
  std::string name;
  std::string definition;  // what says which values it has, beside what is written to it

  [[nodiscard]] std::string mark() const {
    return std::string("(").append(std::to_string(hash_key(definition, 0))).append(")");
  }
};

/// The definition of a table behind its name.
std::string table_definition(sqlite3* db, const std::string& schema, const std::string& table) {
  Statement statement(db, "SELECT substr(sql, length('CREATE TABLE ') + 1) FROM " + schema_table(schema) +
                              " WHERE type = 'table' AND name = ?1 COLLATE NOCASE");
  Use use(statement);
  if (!use.bind(1, table).step()) return {};
  std::string_view text = use.text(0);
  (void)take_name(text, " \t\r\n\f(-/");
  return std::string(text);
}

std::optional<Column> find_column(sqlite3* db, const std::string& schema, const Source& source) {
  constexpr int kName = 1, kDefault = 4, kHidden = 6, kGenerated = 2;
  Statement list(db, "PRAGMA " + quoted_name(schema) + ".table_xinfo(" + quoted_name(source.table) + ")");
  for (Use column(list); column.step();) {
    std::string name(column.text(kName));
    if (sqlite3_stricmp(name.c_str(), source.column.c_str()) != 0) continue;
    if (column.integer(kHidden) >= kGenerated) return Column{name, table_definition(db, schema, source.table)};
    return Column{name, column.type(kDefault) == SQLITE_NULL ? "" : std::string(column.text(kDefault))};
  }
  return std::nullopt;
}

[[noreturn]] void refuse(const std::string& schema, const std::string& what) {
  throw SqlError{"source must be a column of a table in the schema " + schema + ", got " + what};
}

/// What stands behind ('follow', and new. or old. in a trigger's text: the column. The names of filter and source stand
/// before it, quoted, and may hold the same characters.
std::string_view behind_follow(std::string_view sql) {
  constexpr std::string_view kBefore = "('follow', ";
  bool in_name = false;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    if (sql[i] == '"') in_name = !in_name;
    if (!in_name && sql.substr(i).starts_with(kBefore)) return sql.substr(std::min(sql.size(), i + kBefore.size() + 4));
  }
  return {};
}

}  // namespace

Source parse_source(std::string_view text) {
  const auto refuse_text = [text] { throw SqlError{"source must be table.column, got " + in_quotes(text)}; };
  std::vector<Name> names;
  for (std::string_view rest = text;;) {
    names.push_back(take_name(rest, "."));
    if (names.back().text.empty()) refuse_text();
    if (rest.empty()) break;
    if (rest.front() != '.') refuse_text();
    rest.remove_prefix(1);
  }
  if (names.size() < 2) refuse_text();
  Source source{std::move(names.front().text), std::move(names.back().text)};
  for (std::size_t i = 1; i + 1 < names.size(); ++i) {
    if (names[0].quoted || names[i].quoted) refuse_text();
    source.table.append(".").append(names[i].text);
  }
  return source;
}

std::string to_text(const Source& source) {
  const auto written = [](const std::string& name) { return is_plain(name) ? name : quoted_name(name); };
  return written(source.table) + "." + written(source.column);
}

Source resolve_source(sqlite3* db, const std::string& schema, const Source& source) {
  Statement find_table(db, "SELECT name, type, rootpage FROM " + schema_table(schema) +
                               " WHERE type IN ('table', 'view') AND name = ?1 COLLATE NOCASE");
  Use table(find_table);
  table.bind(1, source.table);
  if (!table.step()) refuse(schema, "no table " + in_quotes(source.table));
  if (table.text(1) == "view") refuse(schema, "the view " + in_quotes(source.table));
  if (table.integer(2) == 0) refuse(schema, "the virtual table " + in_quotes(source.table));
  // A trigger on it would run another virtual table inside of the one that writes to it, which SQLite refuses.
  if (table_type(db, schema, source.table) == "shadow") refuse(schema, "the shadow table " + in_quotes(source.table));
  if (const std::optional<Column> column = find_column(db, schema, source)) {
    return {std::string(table.text(0)), column->name};
  }
  refuse(schema, "no column " + in_quotes(source.column) + " in the table " + in_quotes(source.table));
}

std::string SourceTriggers::name(std::string_view event) const { return filter_ + "_follow_" + std::string(event); }

void SourceTriggers::create(const Source& source) const {
  const std::string column = quoted_name(source.column);
  for (const Event& event : kEvents) {
    std::string values = std::string(event.row) + "." + column;
    if (event.name == "update") values += ", old." + column;
    run_sql(db_, "CREATE TRIGGER " + quoted_name(schema_) + "." + quoted_name(name(event.name)) + " AFTER " +
                     std::string(event.name) + " ON " + quoted_name(source.table) + " BEGIN INSERT INTO " +
                     quoted_name(filter_) + "(op, " + std::string(event.columns) + ") VALUES ('follow', " + values +
                     "); END");
  }
  create_seal(db_, schema_, filter_, find_column(db_, schema_, source).value().mark());
}

std::vector<SourceTriggers::Trigger> SourceTriggers::find() const {
  const std::string rows = schema_table(schema_);
  Statement statement(
      db_, "SELECT name, tbl_name, sql, rowid FROM " + rows + " WHERE type = 'trigger' AND name = ?1 COLLATE NOCASE");
  std::vector<Trigger> found;
  for (const Event& event : kEvents) {
    const std::string trigger = name(event.name);
    Use use(statement);
    if (!use.bind(1, trigger).step()) continue;
    std::string_view column = behind_follow(use.text(2));
    if (column.empty()) continue;
    found.push_back(
        {std::string(use.text(0)), {std::string(use.text(1)), take_name(column, "), ").text}, use.integer(3)});
  }
  return found;
}

void SourceTriggers::require_names() const {
  const std::vector<Trigger> ours = find();
  Statement statement(
      db_, "SELECT name FROM " + schema_table(schema_) + " WHERE type = 'trigger' AND name = ?1 COLLATE NOCASE");
  for (const Event& event : kEvents) {
    const std::string trigger = name(event.name);
    Use use(statement);
    if (!use.bind(1, trigger).step() || std::ranges::count(ours, use.text(0), &Trigger::name) != 0) continue;
    throw SqlError{"trigger " + trigger + " must be the filter's, got another of this name; drop that one first"};
  }
}

void SourceTriggers::drop() const {
  drop_seal(db_, schema_, filter_);
  for (const Trigger& trigger : find()) {
    run_sql(db_, "DROP TRIGGER " + quoted_name(schema_) + "." + quoted_name(trigger.name));
  }
}

bool SourceTriggers::complete() const {
  const std::vector<Trigger> found = find();
  if (found.size() != kEvents.size()) return false;
  const std::optional<Column> column = find_column(db_, schema_, found.front().source);
  const std::int64_t seal = column ? find_seal(db_, schema_, filter_, column->mark()) : 0;
  return std::ranges::all_of(found, [seal](const Trigger& trigger) { return trigger.rowid < seal; });
}

std::optional<Source> SourceTriggers::source() const {
  const std::vector<Trigger> found = find();
  return found.empty() ? std::nullopt : std::optional(found.front().source);
}

}  // namespace crivo::sqlite

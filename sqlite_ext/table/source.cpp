#include "table/source.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "crivo/hash.h"
#include "crivo/host/text.h"
#include "table/seal.h"
#include "values/sql_text.h"

namespace crivo::sqlite {
namespace {

/// The texts of the ops, in the order of TriggerOp.
constexpr std::array<std::string_view, 6> kOps = {"follow insert",  "follow inserted", "follow",
                                                  "follow updated", "follow deleted",  "follow default"};
std::string quoted(TriggerOp op) { return std::string("'").append(kOps[static_cast<std::size_t>(op)]).append("'"); }

struct Event {
  std::string_view name;  // the suffix of the trigger's name
  std::string_view when;
  TriggerOp op;
  std::string_view columns;  // the columns of the filter table that get a value, besides `op`
  std::string_view row;      // the row of the first value: new or old
};

// `key` is the new value, and `arg` is the old value.
constexpr std::array kEvents = {Event{"insert", "BEFORE INSERT", TriggerOp::kInsert, "key", "new"},
                                Event{"inserted", "AFTER INSERT", TriggerOp::kInserted, "key", "new"},
                                Event{"update", "BEFORE UPDATE", TriggerOp::kUpdate, "key, arg", "new"},
                                Event{"updated", "AFTER UPDATE", TriggerOp::kUpdated, "key, arg", "new"},
                                Event{"delete", "AFTER DELETE", TriggerOp::kDeleted, "arg", "old"}};

std::string schema_table(const std::string& schema) { return quoted_name(schema) + ".sqlite_schema"; }

struct Column {
  std::string name;
  std::string definition;  // a change of this text can change the column's values without a write
  bool is_generated = false;
  bool has_rowid = false;            // the column is the rowid, or is computed from it
  std::vector<std::string> made_of;  // the columns that a generated column is computed from, or a plain column itself
  std::vector<std::string> filled;   // the columns of made_of that are NOT NULL and have a default

  [[nodiscard]] std::string mark(std::size_t triggers) const {
    return std::string("(").append(std::to_string(hash_key(definition, triggers))).append(")");
  }
};

/// Whether the primary key is an alias of the rowid. In that case, SQLite has no index for the primary key.
bool is_rowid_key(sqlite3* db, const std::string& schema, const std::string& table) {
  constexpr int kOrigin = 3;
  Statement list(db, "PRAGMA " + quoted_name(schema) + ".index_list(" + quoted_name(table) + ")");
  for (Use index(list); index.step();) {
    if (index.text(kOrigin) == "pk") return false;
  }
  return true;
}

std::optional<Column> find_column(sqlite3* db, const std::string& schema, const Source& source) {
  constexpr int kName = 1, kNotNull = 3, kDefault = 4, kInKey = 5, kHidden = 6, kGenerated = 2;
  const std::string definition = table_definition(db, schema, source.table);
  const std::vector<std::string> made_of = names_in_expressions(definition);
  Column found;
  std::vector<std::string> filled;
  std::string rowid;
  Statement list(db, "PRAGMA " + quoted_name(schema) + ".table_xinfo(" + quoted_name(source.table) + ")");
  for (Use column(list); column.step();) {
    std::string name(column.text(kName));
    const bool has_default = column.type(kDefault) != SQLITE_NULL;
    const bool is_filled = has_default && column.integer(kNotNull) != 0;
    const bool is_part = std::ranges::find(made_of, lower(name)) != made_of.end();
    if (column.integer(kInKey) != 0) rowid = name;
    if (sqlite3_stricmp(name.c_str(), source.column.c_str()) == 0) {
      found.name = name;
      found.is_generated = column.integer(kHidden) >= kGenerated;
      found.definition = has_default ? std::string(column.text(kDefault)) + (is_filled ? " NOT NULL" : "") : "";
      if (is_filled) found.filled = {name};
    } else if (is_part && column.integer(kHidden) == 0) {
      found.made_of.push_back(name);
      if (is_filled) filled.push_back(name);
    }
  }
  if (found.name.empty()) return std::nullopt;
  if (found.is_generated) {
    found.definition = definition;
    found.filled = filled;
  } else {
    found.made_of = {found.name};
  }
  found.has_rowid =
      std::ranges::find(found.made_of, rowid) != found.made_of.end() && is_rowid_key(db, schema, source.table);
  return found;
}

[[noreturn]] void refuse(const std::string& schema, const std::string& what) {
  throw SqlError{"source must be a column of a table in the schema " + schema + ", got " + what};
}

}  // namespace

std::optional<TriggerOp> parse_trigger_op(std::string_view text) noexcept {
  const auto found = std::ranges::find(kOps, text);
  if (found == kOps.end()) return std::nullopt;
  return static_cast<TriggerOp>(found - kOps.begin());
}

Source parse_source(std::string_view text) {
  const auto refuse_text = [text] { throw SqlError{"source must be table.column, got " + in_quotes(text)}; };
  std::vector<Token> names;
  for (std::string_view rest = text;;) {
    names.push_back(consume_name(rest, "."));
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
  if (!table.step()) {
    const bool has_dot = source.table.find('.') != std::string::npos;
    refuse(schema, "no table " + in_quotes(source.table) + (has_dot ? " (name it without its schema)" : ""));
  }
  if (table.text(1) == "view") refuse(schema, "the view " + in_quotes(source.table));
  if (table.integer(2) == 0) refuse(schema, "the virtual table " + in_quotes(source.table));
  if (sqlite3_strnicmp(source.table.c_str(), "sqlite_", 7) == 0) {
    refuse(schema, "SQLite's own table " + in_quotes(source.table) + ", which has no triggers");
  }
  // A trigger on a shadow table would write one virtual table inside a write of another, which SQLite rejects.
  if (table_type(db, schema, source.table) == "shadow") refuse(schema, "the shadow table " + in_quotes(source.table));
  if (const std::optional<Column> column = find_column(db, schema, source)) {
    if (column->has_rowid) {
      refuse(schema, in_quotes(column->name) +
                         ", the INTEGER PRIMARY KEY or derived from it: BEFORE triggers do not see a new rowid");
    }
    return {std::string(table.text(0)), column->name};
  }
  refuse(schema, "no column " + in_quotes(source.column) + " in the table " + in_quotes(source.table));
}

std::string SourceTriggers::name(std::string_view event) const { return filter_ + "_follow_" + std::string(event); }

void SourceTriggers::create(const Source& source, TriggerSet set) const {
  const Column column = find_column(db_, schema_, source).value();
  const std::string name = quoted_name(column.name);
  const std::string insert = "INSERT INTO " + quoted_name(filter_) + "(op";
  std::string each_part, is_filled;
  for (const std::string& part : column.made_of) {
    each_part.append(each_part.empty() ? " SELECT " : ", ").append("new." + quoted_name(part));
  }
  for (const std::string& part : column.filled) {
    is_filled.append(is_filled.empty() ? " WHERE " : " OR ").append("new." + quoted_name(part) + " IS NULL");
  }
  std::size_t made = 0;
  for (const Event& event : kEvents) {
    if (event.op == TriggerOp::kInserted && set != TriggerSet::kCountedKeys) continue;
    std::string body = insert;
    body.append(", ").append(event.columns).append(") VALUES (").append(quoted(event.op)).append(", ");
    body.append(event.row).append(".").append(name);
    if (event.columns == "key, arg") body.append(", old.").append(name);
    body.append(");");
    if (event.when.starts_with("BEFORE") && event.row == "new") {
      if (column.is_generated && !each_part.empty()) body.append(each_part).append(";");
      if (!is_filled.empty()) {
        body.append(" ").append(insert).append(") SELECT ").append(quoted(TriggerOp::kDefault));
        body.append(is_filled).append(";");
      }
    }
    run_sql(db_, "CREATE TRIGGER " + quoted_name(schema_) + "." + quoted_name(this->name(event.name)) + " " +
                     std::string(event.when) + " ON " + quoted_name(source.table) + " BEGIN " + body + " END");
    ++made;
  }
  create_seal(db_, schema_, filter_, column.mark(made));
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
    if (std::optional<std::string> column = followed_column(use.text(2))) {
      found.push_back({std::string(use.text(0)), {std::string(use.text(1)), *std::move(column)}, use.integer(3)});
    }
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
    throw SqlError{"trigger " + trigger + " must not exist, got one that " + filter_ +
                   " did not create; drop it first"};
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
  if (found.empty()) return false;
  const std::optional<Column> column = find_column(db_, schema_, found.front().source);
  const std::int64_t seal = column ? find_seal(db_, schema_, filter_, column->mark(found.size())) : 0;
  return std::ranges::all_of(found, [seal](const Trigger& trigger) { return trigger.rowid < seal; });
}

TriggerSet SourceTriggers::set() const {
  const bool has_inserted = std::ranges::count(find(), name("inserted"), &Trigger::name) != 0;
  return has_inserted ? TriggerSet::kCountedKeys : TriggerSet::kKeys;
}

std::optional<Source> SourceTriggers::source() const {
  const std::vector<Trigger> found = find();
  return found.empty() ? std::nullopt : std::optional(found.front().source);
}

bool SourceTriggers::is_virtual(const std::string& table) const {
  Statement statement(db_, "SELECT 1 FROM " + schema_table(schema_) +
                               " WHERE type = 'table' AND rootpage = 0 AND name = ?1 COLLATE NOCASE");
  return Use(statement).bind(1, table).step();
}

SourceHazards SourceTriggers::hazards(const Source& source) const {
  const std::optional<Column> column = find_column(db_, schema_, source);
  SourceHazards found{.is_generated = column && column->is_generated};
  found.has_replace = replaces_on_conflict(table_definition(db_, schema_, source.table));
  const std::string triggers = " WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE";
  Statement statement(db_, "SELECT sql FROM " + schema_table(schema_) + triggers +
                               " UNION ALL SELECT sql FROM temp.sqlite_schema" + triggers);
  Use use(statement);
  use.bind(1, source.table);
  while (use.step()) {
    const std::string_view sql = use.text(0);
    const TriggerEffect effect = effect_of(sql);
    const bool is_of_filter = followed_column(sql) && is_virtual(reported_table(sql));
    if (is_of_filter && !may_end_between_triggers(sql) && !effect.changes_rows) continue;
    found.has_foreign_insert_trigger |= effect.on_insert;
    found.foreign_trigger_may_write |= effect.writes_before;
  }
  return found;
}

}  // namespace crivo::sqlite

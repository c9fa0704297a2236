// A value opened by an incremental blob handle; see stored_row.h.
#include "functions/stored_row.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "values/sql_text.h"

namespace crivo::sqlite {
namespace {

/// Facts about a table's columns, from PRAGMA table_xinfo.
struct Columns {
  Columns(sqlite3* db, std::string pragma) {
    Statement statement(db, std::move(pragma));
    Use column(statement);
    while (column.step()) {
      constexpr int kName = 1;
      constexpr int kInKey = 5;
      constexpr int kHidden = 6;
      const std::string name(column.text(kName));
      hide_rowid = hide_rowid || sqlite3_stricmp(name.c_str(), "_rowid_") == 0;
      generated += column.integer(kHidden) >= 2;  // 2: virtual, 3: stored
      if (column.integer(kInKey) == 0) continue;
      ++in_key;
      key = name;
    }
  }
  int generated = 0;
  int in_key = 0;           // the number of columns in the primary key
  std::string key;          // a column of the primary key
  bool hide_rowid = false;  // a column is named _rowid_
};

}  // namespace

RowArgs::RowArgs(const Call& call) {
  const std::size_t first = call.args.size() - 4;
  schema = first != 0 ? name_of(call.args[0], "schema") : "main";
  table = name_of(call.args[first], "table");
  column = name_of(call.args[first + 1], "column");
  row = call.args[first + 2];
  key = call.args[first + 3];
}

StoredRow::StoredRow(sqlite3* db, const RowArgs& args)
    : db_(db), schema_(args.schema), table_(args.table), column_(args.column) {}

StoredRow::~StoredRow() { drop(); }

void StoredRow::drop() noexcept { sqlite3_blob_close(std::exchange(handle_, nullptr)); }

bool StoredRow::is_in(const RowArgs& args) const noexcept {
  const auto same = [](const std::string& ours, const char* theirs) { return std::strcmp(ours.c_str(), theirs) == 0; };
  return same(table_, args.table) && same(column_, args.column) && same(schema_, args.schema);
}

// Until the value is open, there may be no transaction, and another process can change the table between any two steps.
// So the table and the rowid are checked again once the value is open.
void StoredRow::open(sqlite3_value* row) {
  row_ = row;
  try {
    if (is_checked_ && table_has_changed()) {
      drop();
      is_checked_ = false;
    }
    bool alive = is_alive();
    if (!is_checked_) check_table();
    require_no_writer();
    for (;;) {
      const std::int64_t rowid = find_rowid();
      std::string reason;
      const int status = seek(rowid, alive, reason);
      if (!alive && table_has_changed()) check_table();
      if (alive || find_rowid() == rowid) return require_value(status, rowid, reason);
      alive = status == SQLITE_OK;
    }
  } catch (const HostError& error) {
    fail(error.code, error.message);
  }
}

/// Opens the row with this rowid; reuses the handle if `alive`. Returns SQLite's result code. On an error, sets
/// `reason` and leaves nothing open.
int StoredRow::seek(std::int64_t rowid, bool alive, std::string& reason) {
  constexpr int kForWriting = 1;
  const int status =
      alive ? sqlite3_blob_reopen(handle_, rowid)
            : sqlite3_blob_open(db_, schema_.c_str(), table_.c_str(), column_.c_str(), rowid, kForWriting, &handle_);
  if (status == SQLITE_OK) return status;
  reason = sqlite3_errmsg(db_);
  drop();
  return status;
}

/// Throws SqlError unless seek opened a value. A row that is older than the column stores no value of the column:
/// SQLite then reports NULL, although a query returns the column's DEFAULT.
void StoredRow::require_value(int status, std::int64_t rowid, const std::string& reason) const {
  if (status == SQLITE_OK) return;
  // SQLite has no separate result code for this error. The error's text has never changed.
  if (reason != "cannot open value of type null") fail(status, reason);
  Statement find(db_, "SELECT 1 FROM " + quoted_name(schema_) + "." + quoted_name(table_) + " WHERE _rowid_ = ?1 AND " +
                          quoted_name(column_) + " IS NOT NULL");
  const bool is_default = Use(find).bind(1, rowid).step();
  fail(SQLITE_ERROR, is_default ? "the column's DEFAULT, which the row does not store; UPDATE the row first" : "NULL");
}

/// Prepares the statement that detects changes of the schema. (Statement rejects virtual tables.)
void StoredRow::watch(const std::string& table) {
  try {
    watch_.emplace(db_, "SELECT 1 FROM " + table + " WHERE 0");
    Use(*watch_).run();  // before check_table reads the schema, so that later changes are detected
  } catch (const HostError& error) {
    if (error.code != SQLITE_ERROR || table_type(db_, schema_, table_) != "virtual") throw;
    throw SqlError{"table must be an ordinary table, got the virtual table " + schema_ + "." + table_ +
                   " (query a filter table with WHERE key = ...)"};
  }
}

/// Rejects a column for which a blob write would differ from an UPDATE, and finds the primary key.
void StoredRow::check_table() {
  is_checked_ = false;
  harmless_writer_.clear();
  const std::string table = quoted_name(schema_) + "." + quoted_name(table_);
  watch(table);
  find_key_.reset();
  const Columns columns(db_, "PRAGMA " + quoted_name(schema_) + ".table_xinfo(" + quoted_name(table_) + ")");
  // When SQLite 3.40 opens a blob, it miscounts the columns after a virtual one, and so reads and writes another
  // column. Also, a blob write does not update a stored generated column.
  if (columns.generated != 0) {
    throw SqlError{"table must have no generated column, got " + schema_ + "." + table_ + " with " +
                   std::to_string(columns.generated)};
  }
  if (is_protected(db_, schema_, table_)) {
    throw SqlError{"table must allow UPDATE, got the shadow table " + schema_ + "." + table_ + " in DEFENSIVE mode"};
  }
  const std::string column = quoted_name(column_);
  require_plain_column(effects_of(db_, "UPDATE " + table + " SET " + column + " = " + column));
  if (columns.in_key == 1 && !columns.hide_rowid) {
    find_key_.emplace(db_, "SELECT _rowid_ FROM " + table + " WHERE " + quoted_name(columns.key) + " = ?");
  }
  is_checked_ = true;
}

/// Rejects a column if an UPDATE of the column also writes an index, fires a trigger or evaluates a CHECK: a blob write
/// does not. Allows harmless CHECKs, and the triggers of filter tables that follow other columns.
void StoredRow::require_plain_column(const Effects& update) {
  for (const std::string& trigger : update.triggers) {
    if (follows_other_column(trigger)) continue;
    throw SqlError{"column must have no trigger on UPDATE, got " + column_name() + " with " + trigger};
  }
  const std::size_t harmless =
      update.checks == 0 ? 0 : count_harmless_checks(table_definition(db_, schema_, table_), table_, column_);
  if (harmless != update.checks) {
    throw SqlError{"column must have no CHECK except bloom_valid(f), length(f) or typeof(f), got " + column_name() +
                   " with another"};
  }
  if (update.written.size() != 1) {
    throw SqlError{"column must be in no index, got " + column_name() + " in " + name_of_index(update.written)};
  }
  root_ = update.written.front();
}

std::string StoredRow::name_of_index(const std::vector<RootPage>& roots) const {
  Statement find(db_,
                 "SELECT name FROM " + quoted_name(schema_) + ".sqlite_schema WHERE type = 'index' AND rootpage = ?1");
  for (const RootPage& root : roots) {
    Use index(find);
    if (index.bind(1, root.page).step()) return std::string(index.text(0));
  }
  return "one";
}

/// Whether a trigger belongs to a filter table that follows another column of this table. Such triggers fire on every
/// UPDATE. A trigger in temp may have the same name, so all triggers of this name must qualify.
bool StoredRow::follows_other_column(const std::string& trigger) const {
  const std::string where = "sqlite_schema WHERE type = 'trigger' AND name = ?1";
  Statement find(db_, "SELECT sql FROM " + quoted_name(schema_) + "." + where + " UNION SELECT sql FROM temp." + where);
  Use found(find);
  found.bind(1, trigger);
  bool follows = false;
  while (found.step()) {
    const std::optional<std::string> followed = followed_column(found.text(0));
    follows = followed && sqlite3_stricmp(followed->c_str(), column_.c_str()) != 0;
    if (!follows) break;
  }
  return follows;
}

/// Rejects a table that a running statement may write. A statement on a virtual table may write any shadow table.
void StoredRow::require_no_writer() {
  for (sqlite3_stmt* writer = next_writer(db_, nullptr); writer != nullptr; writer = next_writer(db_, writer)) {
    const char* const sql = sqlite3_sql(writer);
    if (harmless_writer_ == sql) continue;
    const Effects effects = effects_of(db_, sql);
    const bool is_unknown = effects.written.empty() && !effects.writes_virtual_table;
    const bool writes_table = std::ranges::find(effects.written, root_) != effects.written.end();
    if (is_unknown || writes_table || (effects.writes_virtual_table && table_type(db_, schema_, table_) == "shadow")) {
      throw SqlError{"table must not be written by a running statement, got " + schema_ + "." + table_ +
                     "; insert the key in a SELECT of its own"};
    }
    harmless_writer_ = sql;
  }
}

/// Whether a schema has changed since the last call of this function or of check_table.
bool StoredRow::table_has_changed() {
  const int before = watch_->reprepare_count();
  Use(*watch_).run();
  return watch_->reprepare_count() != before;
}

std::int64_t StoredRow::find_rowid() {
  if (sqlite3_value_type(row_) == SQLITE_INTEGER) return sqlite3_value_int64(row_);
  if (!find_key_) {
    fail(SQLITE_ERROR, "a table in which a key cannot be looked up; use the rowid");
  }
  Use found(*find_key_);
  found.bind(1, row_);
  if (!found.step()) fail(SQLITE_ERROR, "no such key");
  return found.integer(0);
}

/// Whether the handle is open. If a statement has changed the row, the handle has expired, and is closed here.
bool StoredRow::is_alive() {
  std::byte first;
  if (handle_ != nullptr && sqlite3_blob_read(handle_, &first, size() == 0 ? 0 : 1, 0) == SQLITE_OK) return true;
  drop();
  return false;
}

void StoredRow::read(std::uint64_t offset, std::span<std::byte> into) {
  require(sqlite3_blob_read(handle_, into.data(), static_cast<int>(into.size()), static_cast<int>(offset)));
}

void StoredRow::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  require(sqlite3_blob_write(handle_, bytes.data(), static_cast<int>(bytes.size()), static_cast<int>(offset)));
}

void StoredRow::close() { require(sqlite3_blob_close(std::exchange(handle_, nullptr))); }

void StoredRow::require(int status) const {
  if (status != SQLITE_OK) fail(status, sqlite3_errmsg(db_));
}

std::string StoredRow::place() const { return schema_ + "." + table_ + ", column " + column_ + ", row " + shown(row_); }

void StoredRow::fail(int status, const std::string& reason) const {
  if ((status & 0xFF) == SQLITE_NOMEM) throw std::bad_alloc();
  const std::string hint = reason.starts_with("no such table") ? schema_hint(table_) : "";
  throw SqlError{"filter must be in " + place() + ", got " + reason + hint,
                 status == SQLITE_MISUSE ? SQLITE_ERROR : status};
}

}  // namespace crivo::sqlite

// The virtual table "bloom": how SQLite's callbacks (sqlite.org/vtab.html) become operations of a FilterTable.
//
// The table has no rows that could be listed. A question is a lookup by `key = ...`, which gives one row with the key
// that was asked for, or none. The row's rowid is the key's hash, because the rowid is all that SQLite hands back when
// it deletes the row.
#include <array>
#include <span>

#include "functions.h"
#include "table/arguments.h"
#include "table/follow.h"
#include "table/seal.h"
#include "table/shadowed_table.h"
#include "values/running.h"

namespace crivo::sqlite {
namespace {

enum Column { kKey = 0, kCount = 1, kOp = 2, kArg = 3, kColumns = 4 };
constexpr const char* kTableDeclaration = "CREATE TABLE bloom(key, count HIDDEN, op HIDDEN, arg HIDDEN)";

/// How a query can be run.
enum Plan { kByKey = 1, kListAll = 2 };

struct BloomTable : ShadowedTable {
  BloomTable(sqlite3* db, std::string schema, std::string name)
      : ShadowedTable(db, std::move(schema), std::move(name)), table(shadow) {}
  void check_pages() { table.check(); }
  FilterTable table;
  Follower follower;
  int followed_in = -1;  // the schema in which the triggers of a table with a source were all there
};

struct BloomCursor : sqlite3_vtab_cursor {
  OwnedValue key;  // as it was asked for; null at the end
  std::uint64_t hash = 0;
};

BloomTable& of(sqlite3_vtab* table) { return *static_cast<BloomTable*>(table); }
BloomCursor& of(sqlite3_vtab_cursor* cursor) { return *static_cast<BloomCursor*>(cursor); }
FilterTable& table_of(sqlite3_vtab_cursor* cursor) { return of(cursor->pVtab).table; }

template <bool kCreate>
int connect(sqlite3* db, void*, int argc, const char* const* argv, sqlite3_vtab** result, char** message) noexcept {
  return open_table<BloomTable>(db, argc, argv, kTableDeclaration, result, message,
                                [db](BloomTable& made, std::span<const char* const> texts) {
                                  if (!kCreate) return;
                                  const TableArguments parsed = parse_table_arguments(db, texts);
                                  if (!parsed.source) return made.table.create(parsed.spec);
                                  create_following(made.shadow, parsed.spec, *parsed.source);
                                });
}

bool is_question(const sqlite3_index_info& info, int i) {
  const auto& constraint = info.aConstraint[i];
  return constraint.iColumn == kKey &&
         (constraint.op == SQLITE_INDEX_CONSTRAINT_EQ || constraint.op == SQLITE_INDEX_CONSTRAINT_IS);
}

/// A filter knows equal bytes only, so a comparison under another collation cannot be answered from it.
bool is_binary(sqlite3_index_info* info, int i) {
  const char* collation = sqlite3_vtab_collation(info, i);
  return collation == nullptr || sqlite3_stricmp(collation, "BINARY") == 0;
}

int best_index(sqlite3_vtab*, sqlite3_index_info* info) {
  bool needs_other_order = false;
  for (int i = 0; i < info->nConstraint; ++i) {
    if (!is_question(*info, i) || !is_binary(info, i)) continue;
    if (info->aConstraint[i].usable == 0) {
      needs_other_order = true;
      continue;
    }
    info->aConstraintUsage[i].argvIndex = 1;
    info->aConstraintUsage[i].omit = 1;
    info->idxNum = kByKey;
    info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    info->estimatedCost = 2;
    info->estimatedRows = 1;
    return SQLITE_OK;
  }
  if (needs_other_order) return SQLITE_CONSTRAINT;
  info->idxNum = kListAll;  // which is an error, but one that can be worded when the query runs
  info->estimatedCost = 1e18;
  return SQLITE_OK;
}

/// A "no" counts only if the filter was told of every change. Whoever makes the source anew, as programs do to change
/// its columns, leaves the triggers behind with the old table. Triggers that were there all the time are so until a
/// schema changes.
void require_followed(BloomTable& bloom) {
  if (!bloom.table.has_source() || bloom.followed_in == bloom.shadow.schema_seen()) return;
  require_following(bloom.shadow);
  bloom.followed_in = bloom.shadow.schema_seen();
}

int filter_rows(sqlite3_vtab_cursor* cursor, int plan, const char*, int, sqlite3_value** args) {
  return guarded_callback(of(cursor->pVtab), [&] {
    BloomCursor& asked = of(cursor);
    asked.key.reset();
    if (plan != kByKey) {
      const bool follows = table_of(cursor).state().has_source;
      throw SqlError{"query must ask for single keys, as in EXISTS (SELECT 1 FROM " + of(cursor->pVtab).shadow.table() +
                     " WHERE key = x), got one that lists all keys, which a filter cannot (x IN (SELECT key FROM ...) "
                     "would need the list, too; bloom_table_info tells how many keys there are; to remove all keys, " +
                     (follows ? "delete the rows of its source, and insert 'rebuild' as op" : "insert 'clear' as op") +
                     "; VACUUM INTO, backups and the shell's .dump copy the table)"};
    }
    const KeyBytes key(args[0]);
    if (key.is_null()) return SQLITE_OK;
    if (const std::optional<std::uint64_t> hash = table_of(cursor).find(key.view())) {
      asked.key = copy_of(args[0]);
      asked.hash = *hash;
    } else {
      require_followed(of(cursor->pVtab));
    }
    return SQLITE_OK;
  });
}

int next_row(sqlite3_vtab_cursor* cursor) {
  of(cursor).key.reset();
  return SQLITE_OK;
}

int at_end(sqlite3_vtab_cursor* cursor) { return of(cursor).key == nullptr; }

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int number) {
  return guarded_callback(of(cursor->pVtab), [&] {
    if (number == kKey) sqlite3_result_value(context, of(cursor).key.get());
    if (number == kCount) {
      const std::optional<std::uint64_t> count = table_of(cursor).count(of(cursor).hash);
      if (count) sqlite3_result_int64(context, saturated(*count));
    }
    return SQLITE_OK;
  });
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(of(cursor).hash);
  return SQLITE_OK;
}

struct Operation {
  std::string_view name;
  bool takes_arg;
  void (*run)(FilterTable& table, sqlite3_value* arg);
};

void merge(FilterTable& table, sqlite3_value* arg) {
  if (sqlite3_value_type(arg) != SQLITE_BLOB)
    throw SqlError{"arg must be a filter where op is union, got " + shown(arg)};
  table.merge(FilterArgument(table.shadow().db(), arg, 1).open().ref());
}

void check(FilterTable& table, sqlite3_value*) {
  table.check();
  if (table.state().has_source) check_following(table);
}

void rebuild(FilterTable& table, sqlite3_value*) {
  if (table.state().has_source) return rebuild_following(table.shadow());
  table.drop_idle_pages();
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

/// Inserts a row, given as the values of all columns: adds the key, or does what `op` says. False if the row made no
/// difference: its key is NULL, or it is an INSERT OR IGNORE and the key may have been there. `on_conflict` is what
/// sqlite3_vtab_on_conflict says.
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
    follower = {};  // a rebuild may have tied the table to a source that was made anew
    return true;
  }
  if (!is_null(row[kArg])) throw SqlError{"arg must come with an op, got " + shown(row[kArg])};
  const KeyBytes key(row[kKey]);
  if (key.is_null()) return false;
  const bool or_ignore = on_conflict == SQLITE_IGNORE;
  return table.add(key.view(), or_ignore) || !or_ignore;
}

/// SQLite's one callback for all changes: a DELETE has one argument, an UPDATE an old rowid, and an INSERT none.
int update(sqlite3_vtab* table, int argc, sqlite3_value** argv, sqlite3_int64* id) {
  return guarded_callback(of(table), [&] {
    BloomTable& bloom = of(table);
    if (argc == 1) {
      bloom.table.remove_row(static_cast<std::uint64_t>(sqlite3_value_int64(argv[0])));
      return SQLITE_OK;
    }
    if (sqlite3_value_type(argv[0]) != SQLITE_NULL) {
      throw SqlError{"statement must be INSERT, DELETE or SELECT, got UPDATE; delete the old key, then insert the new"};
    }
    if (sqlite3_value_type(argv[1]) != SQLITE_NULL) {
      throw SqlError{"rowid must be left out of an INSERT, got " + shown(argv[1])};
    }
    const int on_conflict = sqlite3_vtab_on_conflict(bloom.shadow.db());
    const bool changed = insert_row(bloom.table, bloom.follower, {argv + 2, kColumns}, on_conflict);
    *id = 0;
    // An ignored row is one that changes() does not count.
    return on_conflict == SQLITE_IGNORE && !changed ? SQLITE_CONSTRAINT : SQLITE_OK;
  });
}

ModuleWithIntegrity make_module() noexcept {
  ModuleWithIntegrity made = module_of<BloomTable, BloomCursor>();
  sqlite3_module& module = made.module;
  module.xCreate = connect<true>;
  module.xConnect = connect<false>;
  module.xBestIndex = best_index;
  module.xFilter = filter_rows;
  module.xNext = next_row;
  module.xEof = at_end;
  module.xColumn = column;
  module.xRowid = row_id;
  module.xUpdate = update;
  return made;
}

}  // namespace

int register_bloom_table(sqlite3* db) {
  static const ModuleWithIntegrity made = make_module();
  const int status = sqlite3_create_module_v2(db, "bloom", &made.module, nullptr, nullptr);
  return status == SQLITE_OK ? register_seal(db) : status;
}

}  // namespace crivo::sqlite

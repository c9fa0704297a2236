// The virtual table "bloom": maps SQLite's callbacks (sqlite.org/vtab.html) to operations on a FilterTable.
//
// The table cannot list its rows. A query is a lookup by `key = ...`, which returns one row with that key, or no row.
// The rowid is the key's hash, because SQLite passes only the rowid when it deletes the row.
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "crivo/host/scope_exit.h"
#include "functions.h"
#include "table/arguments.h"
#include "table/follow.h"
#include "table/seal.h"
#include "values/filter_argument.h"
#include "values/virtual_table.h"
#include "values/writers.h"

namespace crivo::sqlite {
namespace {

enum Column { kKey = 0, kCount = 1, kOp = 2, kArg = 3, kColumns = 4 };

/// The plans of a query.
enum Plan { kByKey = 1, kListAll = 2 };

struct BloomTable : sqlite3_vtab {
  BloomTable(sqlite3* db, std::string schema, std::string name)
      : sqlite3_vtab{}, shadow(db, std::move(schema), std::move(name)), filter(shadow) {}
  ~BloomTable() { sqlite3_free(zErrMsg); }  // SQLite does not free the message of a failed xDestroy
  BloomTable(const BloomTable&) = delete;
  BloomTable& operator=(const BloomTable&) = delete;

  [[nodiscard]] const char* name() const noexcept { return shadow.table().c_str(); }
  static int best_index(sqlite3_index_info& info);
  /// Begins a callback, which ends when the returned object is destroyed. Throws SqlError during another callback: a
  /// hostile schema can make the table's own statements run a view or a trigger whose function uses the table again.
  /// Such a use would reset the statements while they run.
  [[nodiscard]] auto begin_callback() {
    if (is_in_callback) throw SqlError{"table must not be used by the statement that writes it"};
    // The old name may now belong to another table.
    if (is_renamed) throw SqlError{"table must not be renamed while a statement uses it"};
    is_in_callback = true;
    return ScopeExit([this] { is_in_callback = false; });
  }

  ShadowTables shadow;
  FilterTable filter;
  Follower follower;
  int verified_schema = -1;  // schema_seen() when the triggers of a table with a source were found complete
  bool is_in_callback = false;
  bool is_renamed = false;  // only statements that were running during the rename still use this object
};

BloomTable& of(sqlite3_vtab* table) { return *static_cast<BloomTable*>(table); }

/// Runs `body`, which returns a result code, as one callback of the table.
template <class Body>
int guarded_callback(BloomTable& table, const Body& body) noexcept {
  return guarded_table(table, [&] {
    const auto callback = table.begin_callback();
    return body();
  });
}

class BloomCursor : public sqlite3_vtab_cursor {
 public:
  void filter(int plan, std::span<sqlite3_value* const> args);
  void next() { key_.reset(); }
  [[nodiscard]] bool at_end() const noexcept { return key_ == nullptr; }
  void set_column(sqlite3_context* context, int column) const;
  [[nodiscard]] std::int64_t row_id() const noexcept { return static_cast<std::int64_t>(hash_); }

 private:
  OwnedValue key_;  // the value in the query; null at the end
  std::uint64_t hash_ = 0;
};

/// xCreate and xConnect. `argv` has the module's name, the schema, the table's name, and the module's arguments.
template <bool kCreate>
int connect(sqlite3* db, void*, int argc, const char* const* argv, sqlite3_vtab** result, char** message) noexcept {
  return connect_table(argv[2], result, message, [&](const std::string& name) {
    auto made = std::make_unique<BloomTable>(db, argv[1], name);
    if (kCreate) {
      const TableArguments parsed = parse_table_arguments(db, {argv + 3, argv + argc});
      if (parsed.source) {
        create_following(made->shadow, parsed.table, *parsed.source);
      } else {
        create_table(made->shadow, parsed.table);
      }
    }
    require_ok(db, sqlite3_declare_vtab(db, "CREATE TABLE bloom(key, count HIDDEN, op HIDDEN, arg HIDDEN)"));
    require_ok(db, sqlite3_vtab_config(db, SQLITE_VTAB_CONSTRAINT_SUPPORT, 1));
    // A trigger in an untrusted schema may use the table, which writes only its shadow tables, triggers and seal.
    require_ok(db, sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS));
    return made;
  });
}

int destroy(sqlite3_vtab* table) noexcept {
  const int status = guarded_callback(of(table), [table] {
    drop_following(of(table).shadow);
    return SQLITE_OK;
  });
  return status == SQLITE_OK ? disconnect_table<BloomTable>(table) : status;
}

int rename(sqlite3_vtab* table, const char* name) noexcept {
  BloomTable& renamed = of(table);
  return guarded_callback(renamed, [&] {
    require_no_other_writer(renamed.shadow.db(), "ALTER TABLE RENAME of a virtual table");
    rename_following(renamed.shadow, name);
    renamed.is_renamed = true;
    return SQLITE_OK;
  });
}

/// SQLite 3.44 and later call this for PRAGMA integrity_check.
int check_integrity(sqlite3_vtab* table, const char*, const char*, int, char** report) noexcept {
  std::string found;
  const int status = coded(
      [&] {
        Operation(of(table).filter).check();
        return SQLITE_OK;
      },
      [&](const std::string& message) { found = of(table).shadow.table() + ": " + message; });
  const int primary = status & 0xff;  // SQLITE_ERROR: invalid contents of the shadow tables
  if ((primary != SQLITE_CORRUPT && primary != SQLITE_ERROR) || found.empty()) return status;
  *report = sqlite3_mprintf("%s", found.c_str());
  return *report != nullptr ? SQLITE_OK : SQLITE_NOMEM;
}

bool is_key_lookup(const sqlite3_index_info& info, int i) {
  const auto& constraint = info.aConstraint[i];
  return constraint.iColumn == kKey &&
         (constraint.op == SQLITE_INDEX_CONSTRAINT_EQ || constraint.op == SQLITE_INDEX_CONSTRAINT_IS);
}

/// Whether a comparison has the collation BINARY. A filter compares bytes, so it cannot answer other comparisons.
bool is_binary(sqlite3_index_info& info, int i) {
  const char* collation = sqlite3_vtab_collation(&info, i);
  return collation == nullptr || sqlite3_stricmp(collation, "BINARY") == 0;
}

int BloomTable::best_index(sqlite3_index_info& info) {
  bool needs_other_order = false;
  for (int i = 0; i < info.nConstraint; ++i) {
    if (!is_key_lookup(info, i) || !is_binary(info, i)) continue;
    if (info.aConstraint[i].usable == 0) {
      needs_other_order = true;
      continue;
    }
    info.aConstraintUsage[i] = {1, 1};
    info.idxNum = kByKey;
    info.idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    info.estimatedCost = 2;
    info.estimatedRows = 1;
    return SQLITE_OK;
  }
  if (needs_other_order) return SQLITE_CONSTRAINT;
  info.idxNum = kListAll;  // not a valid plan: filter() throws when the query runs
  info.estimatedCost = 1e18;
  return SQLITE_OK;
}

/// A "no" is valid only if the filter received every change. Programs that recreate the source to change its columns
/// drop the triggers with the old table. Complete triggers remain complete until a schema changes.
void require_following_once(BloomTable& bloom) {
  if (!bloom.filter.state.has_source || bloom.verified_schema == bloom.shadow.schema_seen()) return;
  require_following(bloom.shadow);
  bloom.verified_schema = bloom.shadow.schema_seen();
}

void BloomCursor::filter(int plan, std::span<sqlite3_value* const> args) {
  BloomTable& bloom = of(pVtab);
  const auto callback = bloom.begin_callback();
  key_.reset();
  if (plan != kByKey) {
    throw SqlError{"query must compare key with = or IN, as in EXISTS (SELECT 1 FROM " + bloom.shadow.table() +
                   " WHERE key = x), got one without: a filter cannot list its keys"};
  }
  const KeyBytes key(args[0]);
  if (key.is_null()) return;
  if (const std::optional<std::uint64_t> hash = Operation(bloom.filter).find(key.view())) {
    key_ = copy_of(args[0]);
    hash_ = *hash;
  } else {
    require_following_once(bloom);
  }
}

void BloomCursor::set_column(sqlite3_context* context, int column) const {
  BloomTable& bloom = of(pVtab);
  const auto callback = bloom.begin_callback();
  if (column == kKey) sqlite3_result_value(context, key_.get());
  if (column == kCount) {
    const std::optional<std::uint64_t> count = Operation(bloom.filter).count(hash_);
    if (count) set_value(context, *count);
  }
}

/// An operation that an INSERT with a value for `op` runs.
struct TableOp {
  std::string_view name;
  bool takes_arg;
  void (*run)(Operation& table, sqlite3_value* arg);
};

void merge(Operation& table, sqlite3_value* arg) {
  if (sqlite3_value_type(arg) != SQLITE_BLOB) throw SqlError{"arg must be a filter if op is union, got " + shown(arg)};
  table.merge(FilterArgument(table.shadow().db(), arg, 1).open().ref());
}

void check(Operation& table, sqlite3_value*) {
  table.check();
  if (table.state().has_source) check_following(table);
}

void rebuild(Operation& table, sqlite3_value*) {
  if (table.state().has_source) return rebuild_following(table.shadow());
  table.drop_idle_pages();
}

constexpr std::array kTableOps = {
    TableOp{"advance", true, [](Operation& table, sqlite3_value* time) { table.advance(time); }},
    TableOp{"check", false, check},
    TableOp{"clear", false, [](Operation& table, sqlite3_value*) { table.clear(); }},
    TableOp{"union", true, merge},
    TableOp{"rebuild", false, rebuild},
};

bool is_op(sqlite3_value* value, std::string_view name) {
  return sqlite3_value_type(value) == SQLITE_TEXT && KeyBytes(value).view() == name;
}

void run_op(FilterTable& filter, sqlite3_value* op, sqlite3_value* arg) {
  std::string names;
  for (const TableOp& known : kTableOps) {
    if (is_op(op, known.name)) {
      // An ignored argument would seem to be accepted: 'rebuild', for example, has no argument for a capacity.
      if (!known.takes_arg && !is_null(arg)) {
        throw SqlError{"arg must be NULL if op is " + std::string(known.name) + ", got " + shown(arg)};
      }
      Operation table(filter);
      return known.run(table, arg);
    }
    names.append(names.empty() ? "" : ", ").append(known.name);
  }
  throw SqlError{"op must be one of " + names + ", got " + shown(op)};
}

/// Inserts a row, given as the values of all columns: adds the key, or runs `op`. Returns false if the key is NULL, or
/// if the statement is INSERT OR IGNORE and the key may have been present. `on_conflict` is the result of
/// sqlite3_vtab_on_conflict.
bool insert_row(BloomTable& bloom, std::span<sqlite3_value* const> row, int on_conflict) {
  if (!is_null(row[kCount])) throw SqlError{"count must be omitted from an INSERT, got " + shown(row[kCount])};
  if (!is_null(row[kOp])) {
    if (const std::optional<TriggerOp> op = parse_trigger_op(KeyBytes(row[kOp]).view())) {
      bloom.follower.follow(bloom.filter, *op, row[kKey], row[kArg], on_conflict == SQLITE_REPLACE);
      return true;
    }
    if (!is_null(row[kKey])) throw SqlError{"key must be NULL if op is set, got " + shown(row[kKey])};
    run_op(bloom.filter, row[kOp], row[kArg]);
    if (is_op(row[kOp], "rebuild")) bloom.follower = {};  // the source and its triggers may have changed
    return true;
  }
  if (!is_null(row[kArg])) throw SqlError{"arg must be NULL without op, got " + shown(row[kArg])};
  const KeyBytes key(row[kKey]);
  if (key.is_null()) return false;
  const bool or_ignore = on_conflict == SQLITE_IGNORE;
  return Operation(bloom.filter).add(key.view(), or_ignore) || !or_ignore;
}

/// SQLite's callback for all changes. DELETE passes one argument; otherwise argv[0] is the old rowid, NULL for INSERT.
int update(sqlite3_vtab* table, int argc, sqlite3_value** argv, sqlite3_int64* id) {
  return guarded_callback(of(table), [&] {
    BloomTable& bloom = of(table);
    if (argc == 1) {
      Operation(bloom.filter).remove_row(static_cast<std::uint64_t>(sqlite3_value_int64(argv[0])));
      return SQLITE_OK;
    }
    if (!is_null(argv[0])) {
      throw SqlError{"statement must be INSERT, DELETE or SELECT, got UPDATE; delete the old key, then insert the new"};
    }
    if (!is_null(argv[1])) {
      throw SqlError{"rowid must be omitted from an INSERT, got " + shown(argv[1])};
    }
    const int on_conflict = sqlite3_vtab_on_conflict(bloom.shadow.db());
    const bool changed = insert_row(bloom, {argv + 2, kColumns}, on_conflict);
    *id = 0;
    // SQLITE_CONSTRAINT makes SQLite ignore the row, so that changes() does not count it.
    return on_conflict == SQLITE_IGNORE && !changed ? SQLITE_CONSTRAINT : SQLITE_OK;
  });
}

/// The module structure of SQLite 3.44, for compilation with older headers. The new member follows the older members.
struct ModuleWithIntegrity {
  sqlite3_module module;
  int (*integrity)(sqlite3_vtab*, const char*, const char*, int, char**);
};

ModuleWithIntegrity make_module() noexcept {
  ModuleWithIntegrity made{module_of<BloomTable, BloomCursor>(), check_integrity};
  sqlite3_module& module = made.module;
  module.iVersion = sqlite3_libversion_number() >= 3044000 ? 4 : 3;
  module.xCreate = connect<true>;
  module.xConnect = connect<false>;
  module.xDestroy = destroy;
  module.xUpdate = update;
  module.xRename = rename;
  module.xShadowName = [](const char* suffix) -> int { return ShadowTables::is_shadow_suffix(suffix); };
#if SQLITE_VERSION_NUMBER >= 3044000
  module.xIntegrity = check_integrity;
#endif
  return made;
}

}  // namespace

int register_bloom_table(sqlite3* db) {
  static const ModuleWithIntegrity made = make_module();
  const int status = sqlite3_create_module_v2(db, "bloom", &made.module, nullptr, nullptr);
  return status == SQLITE_OK ? register_seal(db) : status;
}

}  // namespace crivo::sqlite

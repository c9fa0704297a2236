// The virtual table "bloom_sketch": how SQLite's callbacks become operations of a SketchTable. It has one row, the
// sketch, or a part of it by the hidden columns `first` and `symbols`.
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "functions.h"
#include "table/arguments.h"
#include "table/shadowed_table.h"
#include "table/sketch_table.h"

namespace crivo::sqlite {
namespace {

enum Column { kSketch = 0, kFirst = 1, kSymbols = 2, kOp = 3, kKey = 4, kArg = 5, kColumns = 6 };
constexpr const char* kDeclaration =
    "CREATE TABLE sketch(sketch, first HIDDEN, symbols HIDDEN, op HIDDEN, key HIDDEN, arg HIDDEN)";

/// All but op.
constexpr std::array<std::pair<Column, const char*>, kColumns - 1> kOthers = {
    {{kSketch, "sketch"}, {kFirst, "first"}, {kSymbols, "symbols"}, {kKey, "key"}, {kArg, "arg"}}};

struct SketchVtab : ShadowedTable {
  SketchVtab(sqlite3* db, std::string schema, std::string name)
      : ShadowedTable(db, std::move(schema), std::move(name)), table(shadow) {}
  void check_pages() { table.check(false); }
  SketchTable table;
};

struct SketchCursor : sqlite3_vtab_cursor {
  std::optional<Sketch> sketch;  // none at the end
};

SketchVtab& of(sqlite3_vtab* table) { return *static_cast<SketchVtab*>(table); }
SketchCursor& of(sqlite3_vtab_cursor* cursor) { return *static_cast<SketchCursor*>(cursor); }

template <bool kCreate>
int connect(sqlite3* db, void*, int argc, const char* const* argv, sqlite3_vtab** result, char** message) noexcept {
  return open_table<SketchVtab>(db, argc, argv, kDeclaration, result, message,
                                [db](SketchVtab& made, std::span<const char* const> texts) {
                                  if (!kCreate) return;
                                  const SketchArguments parsed = parse_sketch_arguments(db, texts);
                                  made.table.create(parsed.spec, parsed.source);
                                });
}

/// The plan's number has a bit for each hidden column that is given: 1 << kFirst and 1 << kSymbols.
int best_index(sqlite3_vtab*, sqlite3_index_info* info) {
  int given = 0;
  for (const int column : {kFirst, kSymbols}) {
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      if (constraint.iColumn != column || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
      if (constraint.usable == 0) return SQLITE_CONSTRAINT;
      if ((given >> column & 1) != 0) continue;  // SQLite compares the second one itself
      given |= 1 << column;
      info->aConstraintUsage[i].argvIndex = (given >> kFirst & 1) + (given >> kSymbols & 1);
      info->aConstraintUsage[i].omit = 1;
    }
  }
  info->idxNum = given;
  info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  info->estimatedCost = 1000;
  info->estimatedRows = 1;
  return SQLITE_OK;
}

int filter_rows(sqlite3_vtab_cursor* cursor, int given, const char*, int, sqlite3_value** args) {
  return guarded_callback(of(cursor->pVtab), [&] {
    of(cursor).sketch.reset();
    const auto next = [&](const char* name, Column column) -> std::optional<std::uint64_t> {
      if ((given >> column & 1) == 0) return std::nullopt;
      const std::optional<std::int64_t> number = whole_number(*args);
      if (!number || *number < 0) {
        throw SqlError{std::string(name) + " must be an integer from 0 on, got " + shown(*args)};
      }
      ++args;
      return static_cast<std::uint64_t>(*number);
    };
    const std::uint64_t first = next("first", kFirst).value_or(0);
    of(cursor).sketch = of(cursor->pVtab).table.part(first, next("symbols", kSymbols));
    return SQLITE_OK;
  });
}

int next_row(sqlite3_vtab_cursor* cursor) {
  of(cursor).sketch.reset();
  return SQLITE_OK;
}

int at_end(sqlite3_vtab_cursor* cursor) { return !of(cursor).sketch; }

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int number) {
  return guarded_callback(of(cursor->pVtab), [&] {
    const Sketch& sketch = *of(cursor).sketch;
    if (number == kSketch) {
      const std::vector<std::byte> blob = sketch.to_blob();
      sqlite3_result_blob64(context, blob.data(), blob.size(), SQLITE_TRANSIENT);
    }
    if (number == kFirst) sqlite3_result_int64(context, static_cast<sqlite3_int64>(sketch.spec().first));
    if (number == kSymbols) sqlite3_result_int64(context, static_cast<sqlite3_int64>(sketch.spec().symbols));
    return SQLITE_OK;
  });
}

int row_id(sqlite3_vtab_cursor*, sqlite3_int64* id) {
  *id = 1;
  return SQLITE_OK;
}

/// SQLite's one callback for all changes: what triggers tell, and operations.
int update(sqlite3_vtab* table, int argc, sqlite3_value** argv, sqlite3_int64* id) {
  return guarded_callback(of(table), [&] {
    SketchVtab& changed = of(table);
    if (argc == 1 || sqlite3_value_type(argv[0]) != SQLITE_NULL || sqlite3_value_type(argv[2 + kOp]) == SQLITE_NULL) {
      throw SqlError{
          "statement must be a SELECT, or an INSERT of an op, got another; the column that the sketch "
          "follows is what is changed"};
    }
    if (sqlite3_value_type(argv[1]) != SQLITE_NULL) {
      throw SqlError{"rowid must be left out of an INSERT, got " + shown(argv[1])};
    }
    const KeyBytes op(argv[2 + kOp]);
    *id = 0;
    const int conflict = sqlite3_vtab_on_conflict(changed.shadow.db());
    if (changed.table.follow(op.view(), argv[2 + kKey], argv[2 + kArg], conflict)) return SQLITE_OK;
    if (op.view() != "rebuild" && op.view() != "check") {
      throw SqlError{"op must be one of check, rebuild, got " + shown(argv[2 + kOp])};
    }
    for (const auto& [column, name] : kOthers) {
      if (sqlite3_value_type(argv[2 + column]) == SQLITE_NULL) continue;
      throw SqlError{std::string(name) + " must be NULL where op is " + std::string(op.view()) + ", got " +
                     shown(argv[2 + column])};
    }
    if (op.view() == "rebuild") {
      changed.table.rebuild();
    } else {
      changed.table.check(true);
    }
    return SQLITE_OK;
  });
}

ModuleWithIntegrity make_module() noexcept {
  ModuleWithIntegrity made = module_of<SketchVtab, SketchCursor>();
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
  module.xBegin = [](sqlite3_vtab*) { return SQLITE_OK; };  // without it SQLite tells of no rollback
  module.xRollback = [](sqlite3_vtab* table) {
    of(table).table.note_rollback();
    return SQLITE_OK;
  };
  return made;
}

}  // namespace

int register_sketch_table(sqlite3* db) {
  static const ModuleWithIntegrity made = make_module();
  return sqlite3_create_module_v2(db, "bloom_sketch", &made.module, nullptr, nullptr);
}

}  // namespace crivo::sqlite

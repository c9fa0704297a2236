// bloom_insert: adds a key to a raw filter in a table's row, through SQLite's incremental blob I/O.
//
// An UPDATE with bloom_add reads, validates and copies the whole filter. bloom_insert reads only the header and the
// 4096-byte segments with the key's bits, and writes only the parts that change (crivo/host/blob_in_place.h).
//
// Outside a transaction, each call opens and closes the row, because closing commits. If the row stayed open, SQLite
// would close it at the end of the statement, where a failed commit cannot be reported. Inside a transaction, the row
// stays open until the statement ends, so that SQLite need not follow the value's chain of overflow pages again.
#include <array>
#include <memory>

#include "crivo/host/blob_in_place.h"
#include "functions.h"
#include "functions/stored_row.h"

namespace crivo::sqlite {
namespace {

bool insert(sqlite3* db, StoredRow& row, sqlite3_value* name, std::string_view key) {
  row.open(name);
  const Result<bool> added = add_in_place(row, key);  // no other code runs after open(), so the row cannot expire
  if (!added.has_value() && added.error().code == ErrorCode::kUnsupported) {
    throw SqlError{added.error().message + " in " + row.place() + ": use UPDATE ... SET f = bloom_add(f, key)"};
  }
  const bool is_new = unwrap(added);
  const bool close_commits = sqlite3_get_autocommit(db) != 0;
  if (close_commits) row.close();
  return is_new;
}

/// In a statement, successive calls for the same column reuse one StoredRow, which has checked the table.
void bloom_insert(const Call& call) {
  const RowArgs args(call);
  const KeyBytes key(args.key);
  if (is_null(args.row)) throw SqlError{"row must be a rowid or a key, got NULL"};
  if (key.is_null()) return;
  sqlite3* const db = call.db();
  auto* row = static_cast<StoredRow*>(sqlite3_get_auxdata(call.context, 0));
  std::unique_ptr<StoredRow> made;
  if (row == nullptr || !row->is_in(args)) {
    made = std::make_unique<StoredRow>(db, args);
    row = made.get();
  }
  try {
    sqlite3_result_int(call.context, insert(db, *row, args.row, key.view()));
  } catch (...) {
    row->drop();
    throw;
  }
  if (made != nullptr) sqlite3_set_auxdata(call.context, 0, made.release(), delete_as<StoredRow>);
}

constexpr std::array kInPlaceFunctions = {
    FunctionRow{"bloom_insert", 4, 5, SQLITE_UTF8 | SQLITE_DIRECTONLY, guarded<bloom_insert>},
};

}  // namespace

std::span<const FunctionRow> in_place_functions() noexcept { return kInPlaceFunctions; }

}  // namespace crivo::sqlite

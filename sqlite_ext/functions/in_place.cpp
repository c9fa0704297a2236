// bloom_insert: adds a key to a raw filter inside its row, through SQLite's incremental blob I/O.
//
// An UPDATE with bloom_add reads, checks, copies and compares the whole filter. This reads the header and the chunks of
// 4096 bytes that the key lies in, and writes the bytes that change (crivo/blob_in_place.h).
//
// Each call opens the row and closes it again. A handle that stayed open from row to row would be faster; but outside
// of a transaction closing it is what commits, and where SQLite closes what a statement has kept, nobody would hear
// that the commit has failed.
#include <array>

#include "crivo/blob_in_place.h"
#include "functions.h"
#include "values/stored_row.h"

namespace crivo::sqlite {
namespace {

constexpr std::size_t kArgs = 5;  // schema, table, column, row, key

/// The value of an open row. Nothing else runs while it is changed, so it cannot expire.
class RowBlob : public StoredBlob {
 public:
  explicit RowBlob(StoredRow& row) : row_(row) {}
  std::uint64_t size() override { return row_.bytes(); }
  void read(std::uint64_t offset, std::span<std::byte> into) override {
    read_open_row(row_, static_cast<std::size_t>(offset), into);
  }
  void write(std::uint64_t offset, std::span<const std::byte> bytes) override {
    row_.write(static_cast<std::size_t>(offset), bytes);
  }

 private:
  StoredRow& row_;
};

void bloom_insert(const Call& call) {
  const RowArgs args(call, kArgs);
  const KeyBytes key(call.args[args.next]);
  if (call.is_null(args.next - 1)) throw SqlError{"row must be a rowid or a key, got NULL"};
  if (key.is_null()) return;
  StoredRow row(sqlite3_context_db_handle(call.context), args, StoredRow::Access::kWrite);
  if (!row.open(args.row)) {
    throw SqlError{"argument must name a filter, got NULL in " + row.place()};
  }
  RowBlob blob(row);
  const Result<bool> added = add_in_place(blob, key.view());
  if (!added && added.error().code == ErrorCode::kUnsupported) {
    throw SqlError{added.error().message + "; store bloom_raw(f) of a kind that has places for keys in " + row.place()};
  }
  const bool is_new = unwrap(added);
  row.close();
  sqlite3_result_int(call.context, is_new);
}

constexpr std::array kInPlaceFunctions = {
    FunctionRow{"bloom_insert", kArgs - 1, kArgs, SQLITE_UTF8 | SQLITE_DIRECTONLY, guarded<bloom_insert>},
};

}  // namespace

std::span<const FunctionRow> in_place_functions() noexcept { return kInPlaceFunctions; }

}  // namespace crivo::sqlite
